"""The order that the command line hands to the process that simulates, as a JSON file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from config import RunConfig
from tests.regression.images import Images

JOB_OPTION = "job"  # option of the simulating process that names the job file


@dataclass(frozen=True)
class Job:
    """One run of one test on one backend; the simulating process writes its `RunResult` to `result`.

    Attributes:
        policy: preset of the memory policy that replaces the one of the MEM knob, such as `fixed20`; empty: none.
        prepare: `package.module:function` that the simulating process calls with the environment after reset, to put a
            fault in; empty: none.
        waves: first and last cycle of which waves are written to `waves.fst`; empty: none. Needs a debug model.
    """

    config: RunConfig
    backend: str
    images: Images
    folder: Path
    policy: str = ""
    prepare: str = ""
    waves: tuple[int, ...] = ()

    @property
    def file(self) -> Path:
        return self.folder / "job.json"

    @property
    def started(self) -> Path:
        """Touched when the job begins, so that a watchdog knows whose time runs."""
        return self.folder / "started"

    @property
    def result(self) -> Path:
        return self.folder / "results.json"

    @property
    def waves_file(self) -> Path:
        return self.folder / "waves.fst"
