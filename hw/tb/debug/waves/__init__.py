"""Waves of a window beside the records of its run (hw/tb/debug/README.md)."""
