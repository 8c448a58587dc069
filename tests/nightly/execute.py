"""Runs the cases of a chunk in as few simulator processes as they allow, and writes each record as soon as it is known.

```
 chunk ─ compile images ─▶ jobs ─▶ one process: job, job, job … ─▶ records
                                     │ a job fails, the process dies or a budget runs out
                                     └─▶ record of that case, another process for the rest
 a case that failed ─▶ once more, alone ─▶ flaky if it ends differently
```
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from config import ConfigError
from hw.tb.build.model import Model
from hw.tb.build.spec import ModelSpec
from hw.tb.run import SimResult, simulate
from tests.nightly.case import Case
from tests.nightly.folders import case_folder, chunk_folder
from tests.nightly.leftover import recovered
from tests.nightly.plan import Chunk
from tests.nightly.record import Record, read_record, record_of, refused, write_record
from tests.nightly.watch import START_SECONDS, Stop, Watch
from tests.regression.errors import RunError
from tests.regression.failure.write import write_failure
from tests.regression.job import JOB_OPTION, Job
from tests.regression.junit import write_junit
from tests.regression.pipeline import Request, fit_core, make_images, make_job
from tests.regression.progress import SilentProgress
from tests.regression.result import Failure, RunResult
from tests.regression.simulation import TEST_MODULE, prepare_model
from tests.regression.typed_json import write_json


class InterruptedRunError(Exception):
    """Somebody asked the run to stop; what is finished is recorded."""


def run_chunk(run: Path, chunk: Chunk, wanted: Collection[str], stop: Stop = lambda: False) -> list[Record]:
    """Run the wanted cases of a chunk that have no record yet.

    Args:
        run: folder of the run.
        chunk: its cases have one model.
        wanted: ids of the cases that were selected.
        stop: asked several times a second.

    Returns:
        Records of all wanted cases, those of earlier attempts among them.

    Raises:
        InterruptedRunError: `stop` said so.
    """
    cases = [case for case in chunk.cases if case.id in wanted]
    pending = [case for case in cases if read_record(case_folder(run, case)) is None]
    ready = _prepare(run, pending)
    model = _model(ready)
    left: Sequence[tuple[Case, Job]] = [(item.case, item.job) for item in ready]
    attempt = 0
    while left and model is not None:
        if stop():
            raise InterruptedRunError
        attempt += 1
        left = _run_process(chunk_folder(run, chunk) / f"process{attempt}", model, left, stop)
    return [record for case in cases if (record := read_record(case_folder(run, case))) is not None]


@dataclass(frozen=True)
class Prepared:
    """A case that can be started; `spec` is the model of a foreign core, None for the in-tree one."""

    case: Case
    job: Job
    spec: ModelSpec | None


def _prepare(run: Path, cases: Sequence[Case]) -> list[Prepared]:
    """The cases that can be started; the others get their record."""
    ready: list[Prepared] = []
    for case in cases:
        folder = case_folder(run, case)
        try:
            request, _ = fit_core(Request(case.config(), folder=folder), SilentProgress())
            job = make_job(request, make_images(request, SilentProgress()))
        except (RunError, ConfigError) as error:
            folder.mkdir(parents=True, exist_ok=True)
            write_record(folder, refused(case, str(error)))
            continue
        write_json(job.file, job)
        ready.append(Prepared(case, job, request.spec))
    return ready


def _model(ready: Sequence[Prepared]) -> Model | None:
    """The one model of all these cases; None, and records that say why, if it cannot be built."""
    if not ready:
        return None
    # A foreign core is built without the BAR device where no case launches through it.
    spec = max((item.spec for item in ready), key=lambda spec: spec is not None and spec.device)
    try:
        return prepare_model(ready[0].job.config, SilentProgress(), spec)
    except RunError as error:
        for item in ready:
            write_record(item.job.folder, refused(item.case, str(error)))
        return None


def _run_process(
    folder: Path, model: Model, jobs: Sequence[tuple[Case, Job]], stop: Stop
) -> Sequence[tuple[Case, Job]]:
    """Run one process and record what it finished and what ended it; returns the cases that are still to do."""
    watch = Watch(jobs, stop)
    ended = _simulate(folder, model, watch)
    watch.collect()
    if stop():
        raise InterruptedRunError
    if watch.done == len(jobs):
        return []
    case, job = jobs[watch.done]
    result = watch.result(job) or _killed(case, job, ended)
    record = record_of(case, result, watch.seconds(job))
    write_json(job.result, result)
    write_junit(job.folder / "results.xml", result)
    write_failure(job, result, ended.run_dir / "ring.bin")
    record = record.model_copy(update={"flaky": _flaky(model, job, record, stop)})
    write_record(job.folder, record)
    return jobs[watch.done + 1 :]


def _simulate(folder: Path, model: Model, watch: Watch) -> SimResult:
    folder.mkdir(parents=True, exist_ok=True)
    return simulate(
        watch.jobs[0][1].config,
        TEST_MODULE,
        folder,
        model=model,
        options={JOB_OPTION: os.pathsep.join(str(job.file) for _, job in watch.jobs)},
        timeout_s=START_SECONDS + sum(case.seconds for case, _ in watch.jobs),
        watch=watch,
    )


def _killed(case: Case, job: Job, ended: SimResult) -> RunResult:
    """The result of a case whose process ended before its verdict; its log and last commits are kept beside it."""
    shutil.copyfile(ended.log, job.folder / "sim.log")
    commits = recovered(ended.run_dir / "ring.bin")
    (job.folder / "last_commits.txt").write_text(commits + "\n", encoding="utf-8")
    reason = ended.reason or "the simulator ended without a verdict on this case"
    log = "\n".join(f"  | {line}" for line in ended.log_tail().splitlines())
    last = "\n".join(f"  {line}" for line in commits.splitlines())
    screen = f"simulator\n  {reason}\n\n  last commits:\n{last}\n\n  last lines of its log:\n{log}"
    failure = Failure("simulator", "simulator", reason.split("; log: ")[0], screen)
    return RunResult(case.test, job.backend, job.config.knobs(), job.config.repro_line(), failures=(failure,))


def _flaky(model: Model, job: Job, record: Record, stop: Stop) -> bool:
    """Whether the same case with the same seed ends differently in a process of its own."""
    folder = job.folder / "again"
    folder.mkdir(parents=True, exist_ok=True)
    alone = Job(job.config, job.backend, job.images, folder, job.policy, job.prepare)
    write_json(alone.file, alone)
    watch = Watch([(record.case, alone)], stop)
    ended = _simulate(folder / "sim", model, watch)
    result = watch.result(alone) or _killed(record.case, alone, ended)
    return record_of(record.case, result, 0.0).bucket != record.bucket
