"""The one typed configuration of the project and everything that is derived from it."""

from config.errors import ConfigError
from config.hardware import HardwareConfig
from config.knobs import CopyMode, EntryGeneration, GoldenTier, LaunchPath, MemoryPolicyName, RunConfig

__all__ = [
    "ConfigError",
    "CopyMode",
    "EntryGeneration",
    "GoldenTier",
    "HardwareConfig",
    "LaunchPath",
    "MemoryPolicyName",
    "RunConfig",
]
