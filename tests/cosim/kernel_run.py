"""Runs inside the simulator process: host programs on one backend, one after the other, as the job files say."""

from __future__ import annotations

import importlib
import os
from functools import partial
from pathlib import Path
from typing import Any

import cocotb

from config import LaunchPath
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.client import run_client
from hw.tb.env import VortexEnv
from hw.tb.run.settings import RunSettings
from sw.runtime.backend import Backend
from tests.regression.catalogue import find_test
from tests.regression.execute import execute
from tests.regression.job import JOB_OPTION, Job
from tests.regression.kernel_test import KernelTest
from tests.regression.paths import join_paths
from tests.regression.result import RunResult
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
    """The first job that fails is the last one: the design may be in any state."""
    for file in RunSettings.read().options[JOB_OPTION].split(os.pathsep):
        await _run_job(dut, read_json(Path(file), Job))


async def _run_job(dut: Any, job: Job) -> None:
    """The host program runs in a thread, once on each launch path; the verdict goes to the job's result file."""
    test = find_test(job.config.test)
    results: list[RunResult] = []
    for path in job.config.launch.single:
        if results and not results[-1].passed:
            break
        results.append(
            await run_client(
                dut,
                partial(_execute, test, job, path),
                backend=job.backend,
                path=path,
                policy=MemoryPolicy.preset(job.policy, job.config.seed) if job.policy else None,
                prepare=lambda env: _prepare(env, job),
            )
        )
    result = join_paths(results)
    write_json(job.result, result)
    assert result.passed, result.failures[0].message if result.failures else "nothing was run"


def _execute(test: KernelTest, job: Job, path: LaunchPath, backend: Backend) -> RunResult:
    return execute(test, backend, job.images, job.config, path)
