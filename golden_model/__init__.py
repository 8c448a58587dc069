"""The reference: executes kernels exactly as docs/reference/vortex.md says, and reports what they do wrong."""

from golden_model.errors import DispatchError, HangError, LaunchError, LimitError, ModelError, StepError
from golden_model.findings import Finding, FindingKind
from golden_model.launch import Launch
from golden_model.machine import Machine
from golden_model.module import Module, Result
from golden_model.scheduler import RunSummary, Watch
from golden_model.step import Adoption, Step

__all__ = [
    "Adoption",
    "DispatchError",
    "Finding",
    "FindingKind",
    "HangError",
    "Launch",
    "LaunchError",
    "LimitError",
    "Machine",
    "ModelError",
    "Module",
    "Result",
    "RunSummary",
    "Step",
    "StepError",
    "Watch",
]
