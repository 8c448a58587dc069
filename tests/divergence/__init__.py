"""Random programs with divergent control flow, compiled for the device and for the host, and compared."""
