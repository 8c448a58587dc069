"""What stops a simulation."""

from __future__ import annotations


class HarnessError(RuntimeError):
    """The simulation cannot go on; the message says in which cycle and why."""


class HangError(HarnessError):
    """The core is busy and has committed nothing for too long."""


class AssertionFailedError(HarnessError):
    """A SystemVerilog assertion of the design or of the harness failed."""


class CommandTimeoutError(HarnessError):
    """A command reached its bound; the commands behind it were dropped."""


class ProbeError(HarnessError):
    """The trace wires broke a rule of docs/architecture.md."""
