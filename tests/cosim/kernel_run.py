"""Runs inside the simulator process: host programs on one backend, one after the other, as the job files say."""

from __future__ import annotations

import ctypes
import importlib
import os
import signal
from functools import partial
from pathlib import Path
from typing import Any

import cocotb

from config import LaunchPath
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.client import run_client
from hw.tb.env import VortexEnv
from hw.tb.run.settings import RunSettings
from hw.tb.top.abi import Status
from sw.runtime.backend import Backend
from tests.regression.catalogue import find_test
from tests.regression.execute import execute
from tests.regression.job import JOB_OPTION, Job
from tests.regression.kernel_test import KernelTest
from tests.regression.paths import join_paths
from tests.regression.progress import committed
from tests.regression.rerun.stream import CommitStream, write_streams
from tests.regression.result import RunResult
from tests.regression.typed_json import read_json, write_json

_PR_SET_PDEATHSIG = 1


def _prepare(env: VortexEnv, job: Job, *, waves: bool) -> None:
    """After reset and before the host program: waves, once in a process, and whatever the job wants to put in."""
    for window in job.waves if waves else ():
        env.config.harness.waves(job.folder / window.file, window.first, window.last, job.scope)
    if job.prepare:
        module, _, name = job.prepare.partition(":")
        getattr(importlib.import_module(module), name)(env)


async def run_job(dut: Any, job: Job) -> RunResult:
    """Run the host program in a thread, once on each launch path; the verdict goes to the job's result file.

    A path that failed is the last one: the design may be in any state.
    """
    test = find_test(job.config.test)
    results: list[RunResult] = []
    streams: list[CommitStream] = []
    for path in job.config.launch.single:
        if results and not results[-1].passed:
            break
        seen: list[Status] = []

        def prepare(env: VortexEnv, seen: list[Status] = seen, first: bool = not results) -> None:
            seen.append(env.config.harness.status)
            _prepare(env, job, waves=first)

        results.append(
            await run_client(
                dut,
                partial(_execute, test, job, path),
                backend=job.backend,
                path=path,
                policy=MemoryPolicy.preset(job.policy, job.config.seed) if job.policy else None,
                prepare=prepare,
                config=job.config,
            )
        )
        status = seen[0]
        commits = committed(RunSettings.read().run_dir / "ring.bin")
        streams.append(CommitStream(path.value, commits, int(status.commit_checksum), int(status.cycle)))
    write_streams(job.folder, streams)
    result = join_paths(results, counts_vary=test.counts_vary)
    write_json(job.result, result)
    return result


@cocotb.test()
async def kernel_run(dut: Any) -> None:
    """All jobs of this process. The first one that fails is the last one: the design may be in any state."""
    _end_with_parent()
    for file in RunSettings.read().options[JOB_OPTION].split(os.pathsep):
        job = read_json(Path(file), Job)
        job.started.touch()
        result = await run_job(dut, job)
        assert result.passed, result.failures[0].message if result.failures else "nothing was run"


def _end_with_parent() -> None:
    """A simulator whose starter was killed would go on for the rest of its jobs."""
    parent = os.getppid()
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended just before
        os.kill(os.getpid(), signal.SIGKILL)


def _execute(test: KernelTest, job: Job, path: LaunchPath, backend: Backend) -> RunResult:
    return execute(test, backend, job.images, job.config, path)
