"""Runner behind `make SIM=verilator TEST=…`: catalogue, host programs, verdict and report."""
