"""Runs inside the simulator process: a host program in lockstep, and the counters of the L2 after it."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import cocotb

from config import LaunchPath
from hw.tb.client import run_client
from hw.tb.run.settings import RunSettings
from sw.runtime import Device
from sw.runtime.backend import Backend
from tests.regression.catalogue import find_test
from tests.regression.execute import execute
from tests.regression.job import JOB_OPTION, Job
from tests.regression.result import RunResult
from tests.regression.typed_json import read_json, write_json

COUNTERS_FILE = "l2.json"
L2_CLASS = 5
COUNTERS = {"reads": 0xB03, "writes": 0xB04, "read_misses": 0xB05, "write_misses": 0xB06, "evictions": 0xB07}


@cocotb.test()
async def l2_run(dut: Any) -> None:
    job = read_json(Path(RunSettings.read().options[JOB_OPTION]), Job)
    result = await run_client(dut, partial(_execute, job), backend=job.backend, path=LaunchPath.KMU, config=job.config)
    write_json(job.result, result)
    assert result.passed, result.failures[0].message if result.failures else "nothing was run"


def _execute(job: Job, backend: Backend) -> RunResult:
    def keep_counters(device: Device) -> None:
        counts = {name: device.counter(csr, 0, L2_CLASS) for name, csr in COUNTERS.items()}
        write_json(job.folder / COUNTERS_FILE, counts)

    return execute(find_test(job.config.test), backend, job.images, job.config, at_end=keep_counters)
