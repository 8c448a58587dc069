"""Cores other than the in-tree one, and tests of how they are taken in."""
