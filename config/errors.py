"""The error that refuses an impossible configuration."""


class ConfigError(ValueError):
    """A configuration value that cannot be built; the message names the knob and the rule it breaks."""
