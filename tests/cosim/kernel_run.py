"""Runs inside the simulator process: one host program on one backend, as the job file says."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import cocotb

from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.client import run_client
from hw.tb.env import VortexEnv
from hw.tb.run.settings import RunSettings
from tests.regression.catalogue import find_test
from tests.regression.execute import execute
from tests.regression.job import JOB_OPTION, Job
from tests.regression.typed_json import read_json, write_json


def _prepare(env: VortexEnv, job: Job) -> None:
    """After reset and before the host program: waves, and whatever the job wants to put in."""
    if job.waves:
        env.config.harness.waves(job.waves_file, *job.waves)
    if job.prepare:
        module, _, name = job.prepare.partition(":")
        getattr(importlib.import_module(module), name)(env)


@cocotb.test()
async def kernel_run(dut: Any) -> None:
    """The host program runs in a thread; its verdict goes to the job's result file, whatever it is."""
    job = read_json(Path(RunSettings.read().options[JOB_OPTION]), Job)
    test = find_test(job.config.test)
    result = await run_client(
        dut,
        lambda backend: execute(test, backend, job.images, job.config),
        backend=job.backend,
        policy=MemoryPolicy.preset(job.policy, job.config.seed) if job.policy else None,
        prepare=lambda env: _prepare(env, job),
    )
    write_json(job.result, result)
    assert result.passed, result.failures[0].message if result.failures else "nothing was run"
