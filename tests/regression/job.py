"""The order that the command line hands to the process that simulates, as a JSON file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from config import RunConfig
from tests.regression.images import Images

JOB_OPTION = "job"  # option of the simulating process that names the job file


@dataclass(frozen=True)
class WavesWindow:
    """Cycles of which waves are written to `file` in the results folder; windows of one run do not overlap."""

    first: int
    last: int
    file: str = "waves.fst"


@dataclass(frozen=True)
class Job:
    """One run of one test on one backend; the simulating process writes its `RunResult` to `result`.

    Attributes:
        policy: preset of the memory policy that replaces the one of the MEM knob, such as `fixed20`; empty: none.
        prepare: `package.module:function` that the simulating process calls with the environment after reset, to put a
            fault in; empty: none.
        waves: windows of which waves are written; empty: none. Needs a debug model.
        scope: instance that is traced with what is below it, such as `vx_tb_top.dut`; empty: everything.
    """

    config: RunConfig
    backend: str
    images: Images
    folder: Path
    policy: str = ""
    prepare: str = ""
    waves: tuple[WavesWindow, ...] = ()
    scope: str = ""

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
