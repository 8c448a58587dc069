"""The one typed configuration of the project and everything that is derived from it."""

from config.errors import ConfigError
from config.external import ExternalCore
from config.hardware import HardwareConfig
from config.knobs import CompareMode, CopyMode, EntryGeneration, GoldenTier, LaunchPath, MemoryPolicyName, RunConfig

__all__ = [
    "CompareMode",
    "ConfigError",
    "CopyMode",
    "EntryGeneration",
    "ExternalCore",
    "GoldenTier",
    "HardwareConfig",
    "LaunchPath",
    "MemoryPolicyName",
    "RunConfig",
]
