"""Smallest run that still fails with the same first difference (tests/regression/minimise/README.md)."""
