"""The nightly regression: catalogue, plan, run, history, report."""
