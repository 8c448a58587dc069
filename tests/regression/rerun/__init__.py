"""A failed run again, with waves around its first cause (tests/regression/rerun/README.md)."""
