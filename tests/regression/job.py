"""The order that the command line hands to the process that simulates, as a JSON file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from config import RunConfig
from tests.regression.images import Images

JOB_OPTION = "job"  # option of the simulating process that names the job file


@dataclass(frozen=True)
class Job:
    """One run of one test on one backend; the simulating process writes its `RunResult` to `result`."""

    config: RunConfig
    backend: str
    images: Images
    folder: Path

    @property
    def result(self) -> Path:
        return self.folder / "results.json"
