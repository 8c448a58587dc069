"""Sequences of the BAR agent: what a host does, and one check for each rule of the register table."""
