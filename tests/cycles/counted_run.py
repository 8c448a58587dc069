"""Runs inside the simulator process: host programs one after the other, and the core's counters after each."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import cocotb

from config import LaunchPath
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.client import run_client
from hw.tb.run.settings import RunSettings
from sw.runtime import Device
from sw.runtime.backend import Backend
from tests.regression.catalogue import find_test
from tests.regression.execute import execute
from tests.regression.job import JOB_OPTION, Job
from tests.regression.result import RunResult
from tests.regression.typed_json import read_json, write_json

COUNTERS_FILE = "counters.json"

# Rows of the breakdown: name -> (class, CSR) of docs/reference/vortex.md section 3.5. They add up to MCYCLE.
BREAKDOWN = {
    "issued": (1, 0xB06),
    "idle": (1, 0xB03),
    "fetch": (1, 0xB08),
    "ibuffer": (1, 0xB09),
    "scoreboard": (1, 0xB0A),
    "alu": (1, 0xB0C),
    "fpu": (1, 0xB0D),
    "lsu": (1, 0xB0E),
    "sfu": (1, 0xB0F),
}
# What explains them.
EXTRA = {
    "cycles": (0, 0xB00),
    "loads": (1, 0xB1C),
    "load latency": (1, 0xB1D),
    "stores": (1, 0xB1E),
    "dcache reads": (4, 0xB03),
    "dcache read misses": (4, 0xB05),
    "lmem stalls": (7, 0xB09),
    "more requests": (7, 0xB0A),
}


@cocotb.test()
async def counted_run(dut: Any) -> None:
    """All jobs of this process, up to the first that fails. A run begins with a reset, so counters begin at 0."""
    for file in RunSettings.read().options[JOB_OPTION].split(os.pathsep):
        job = read_json(Path(file), Job)
        policy = MemoryPolicy.preset(job.policy, job.config.seed)
        result = await run_client(
            dut, partial(_execute, job), backend=job.backend, path=LaunchPath.KMU, policy=policy, config=job.config
        )
        write_json(job.result, result)
        assert result.passed, result.failures[0].message if result.failures else "nothing was run"


def _execute(job: Job, backend: Backend) -> RunResult:
    def keep_counters(device: Device) -> None:
        counts = {name: device.counter(csr, 0, group) for name, (group, csr) in (BREAKDOWN | EXTRA).items()}
        write_json(job.folder / COUNTERS_FILE, counts)

    return execute(find_test(job.config.test), backend, job.images, job.config, at_end=keep_counters)
