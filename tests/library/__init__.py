"""The kernel library compiled for the host and held against exact results, input by input."""
