"""Runs inside the simulator process: many host programs one after the other, each from a reset and empty memories.

Starting a process costs more than most of these programs run. A job that did not pass is the last one of its process,
because the design may be in any state; whoever started the process starts another one for the rest.
"""

from __future__ import annotations

import ctypes
import os
import signal
from pathlib import Path
from typing import Any

import cocotb

from hw.tb.run.settings import RunSettings
from tests.cosim.kernel_run import run_job
from tests.regression.job import Job
from tests.regression.typed_json import read_json

BATCH_OPTION = "batch"  # names a text file with a job file a line
STARTED = "started"  # touched in the folder of a job when it begins, so that a watchdog knows whose time runs
_PR_SET_PDEATHSIG = 1


@cocotb.test()
async def kernel_batch(dut: Any) -> None:
    """All jobs of the list, until one does not pass."""
    _end_with_parent()
    listed = Path(RunSettings.read().options[BATCH_OPTION]).read_text(encoding="utf-8").splitlines()
    for line in listed:
        job = read_json(Path(line), Job)
        (job.folder / STARTED).touch()
        if not (await run_job(dut, job)).passed:
            return


def _end_with_parent() -> None:
    """A simulator whose starter was killed would go on for the rest of its list."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended just before
        os.kill(os.getpid(), signal.SIGKILL)
