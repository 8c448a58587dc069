"""Random command sequences for the BAR device: commands, generator, coverage, executors, shrinking."""

from golden_model.device.sequences.commands import Command
from golden_model.device.sequences.coverage import Coverage, DeviceState
from golden_model.device.sequences.execute import Executor, GoldenExecutor, Observation, run
from golden_model.device.sequences.generator import Sequence, generate
from golden_model.device.sequences.shrink import shrink
from golden_model.device.sequences.text import SequenceError, from_text, to_text

__all__ = [
    "Command",
    "Coverage",
    "DeviceState",
    "Executor",
    "GoldenExecutor",
    "Observation",
    "Sequence",
    "SequenceError",
    "from_text",
    "generate",
    "run",
    "shrink",
    "to_text",
]
