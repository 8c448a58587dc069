"""Builds the model and runs the process that simulates."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from config import RunConfig
from hw.tb.build.model import BuildError, build
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
    try:
        model = build(spec or ModelSpec(hardware=config.hardware), progress=progress.stage)
    except (BuildError, ToolError) as error:
        raise RunError(str(error)) from error

    def run(job: Job, progress: Progress) -> RunResult:
        run_dir = job.folder / "sim"
        job_file = job.folder / "job.json"
        write_json(job_file, job)
        with watch_simulation(run_dir, progress):
            ended = simulate(
                job.config,
                TEST_MODULE,
                run_dir,
                model=model,
                options={JOB_OPTION: str(job_file)},
                timeout_s=TIMEOUT_S,
            )
        return _collect(job, ended)

    return run


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
