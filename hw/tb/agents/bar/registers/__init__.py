"""Register model of BAR0, generated from golden_model/device/registers.py."""
