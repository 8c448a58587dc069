"""The first-difference report of a failed run (tests/regression/failure/README.md)."""
