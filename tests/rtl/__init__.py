"""RTL blocks, each alone under cocotb."""
