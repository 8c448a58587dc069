"""Builds the model and runs the process that simulates."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from config import RunConfig
from hw.tb.build.model import BuildError, Model, build
from hw.tb.build.spec import ModelSpec
from hw.tb.build.toolchain import ToolError
from hw.tb.run import SimResult, simulate
from tests.regression.errors import RunError
from tests.regression.job import JOB_OPTION, Job
from tests.regression.progress import Progress, watch_simulation
from tests.regression.result import Failure, RunResult
from tests.regression.typed_json import TypedJsonError, read_json, write_json

TEST_MODULE = "tests.cosim.kernel_run"
TIMEOUT_S = 1800.0

Runner = Callable[[Job, Progress], RunResult]


def prepare_simulation(config: RunConfig, progress: Progress, spec: ModelSpec | None = None) -> Runner:
    """Build the model; the returned function runs one job on it.

    Args:
        config: the run.
        progress: told about the build.
        spec: another model than the fast one of `config`, such as a patched design.

    Raises:
        RunError: a tool is missing or the model cannot be built.
    """
    model = prepare_model(config, progress, spec)

    def run(job: Job, progress: Progress) -> RunResult:
        return run_jobs([job], model, progress)[0]

    return run


def prepare_model(config: RunConfig, progress: Progress, spec: ModelSpec | None = None) -> Model:
    """The model for a run, built if need be. Raises RunError."""
    try:
        return build(spec or ModelSpec(hardware=config.hardware), progress=progress.stage)
    except (BuildError, ToolError) as error:
        raise RunError(str(error)) from error


def run_jobs(jobs: Sequence[Job], model: Model, progress: Progress) -> list[RunResult]:
    """Run jobs that differ in test and size alone in one process, one after the other, up to the first that fails."""
    first = jobs[0]
    run_dir = _run_dir(jobs)
    for job in jobs:
        write_json(job.file, job)
    with watch_simulation(run_dir, progress):
        ended = simulate(
            first.config,
            TEST_MODULE,
            run_dir,
            model=model,
            options={JOB_OPTION: os.pathsep.join(str(job.file) for job in jobs)},
            timeout_s=TIMEOUT_S,
        )
    results: list[RunResult] = []
    for job in jobs:
        last = job is jobs[-1] or not job.result.exists()
        results.append(_collect(job, ended) if last else read_json(job.result, RunResult))
        if last or not results[-1].passed:
            break
    return results


def ring_of(jobs: Sequence[Job]) -> Path:
    """Records that the process of `run_jobs` leaves behind; of several jobs they are the last one's."""
    return _run_dir(jobs) / "ring.bin"


def _run_dir(jobs: Sequence[Job]) -> Path:
    return jobs[0].folder / "sim"


def _collect(job: Job, ended: SimResult) -> RunResult:
    """The verdict of the simulating process, and what its end adds to it; written back so that both agree."""
    try:
        result = read_json(job.result, RunResult)
    except TypedJsonError:
        result = RunResult(job.config.test, job.backend, job.config.knobs(), job.config.repro_line())
    if ended.passed or result.failures:
        return result
    log = "\n".join(f"  | {line}" for line in ended.log_tail().splitlines())
    screen = f"simulator\n  {ended.reason}\n\n  last lines of its log:\n{log}"
    result = dataclasses.replace(result, failures=(Failure("simulator", "simulator", ended.reason, screen),))
    write_json(job.result, result)
    return result
