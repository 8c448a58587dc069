"""Agent of the AXI4 memory side: responder in C++, policy and monitor in Python."""
