"""Builds the model and runs the process that simulates."""

from __future__ import annotations

from collections.abc import Callable

from config import RunConfig
from tests.regression.errors import RunError
from tests.regression.job import Job
from tests.regression.progress import Progress
from tests.regression.result import RunResult

Runner = Callable[[Job, Progress], RunResult]


def prepare_simulation(config: RunConfig, progress: Progress) -> Runner:
    """Build the model; the returned function runs one job on it.

    Raises:
        RunError: a tool is missing or the model cannot be built.
    """
    raise RunError(f"the model {config.hardware.label()} cannot be built yet")
