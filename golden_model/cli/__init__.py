"""The command line `python -m golden_model`: one file a command."""
