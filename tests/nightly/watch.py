"""Watches one simulator process with several jobs: records what passed at once, stops what takes too long."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from tests.nightly.case import Case
from tests.nightly.record import record_of, write_record
from tests.regression.job import Job
from tests.regression.junit import write_junit
from tests.regression.result import RunResult
from tests.regression.typed_json import TypedJsonError, read_json

START_SECONDS = 60.0  # a process that has not begun its first job after this long is stuck

Stop = Callable[[], bool]


class Watch:
    """Call it while the process runs; it returns a sentence when the process must be stopped.

    Attributes:
        jobs: what the process runs, in order.
        done: so many of them have passed and have their record.
    """

    def __init__(self, jobs: Sequence[tuple[Case, Job]], stop: Stop = lambda: False) -> None:
        self.jobs = jobs
        self.done = 0
        self._stop = stop
        self._began = time.time()

    def __call__(self) -> str:
        self.collect()
        if self._stop():
            return "interrupted"
        if self.done == len(self.jobs):
            return ""
        case, job = self.jobs[self.done]
        started = _modified(job.started)
        if self.result(job) is not None:
            return ""
        if started is None:
            waited = time.time() - max([self._began, *self._ends()])
            return f"the simulator did not begin within {START_SECONDS:g} s" if waited > START_SECONDS else ""
        if time.time() - started > case.seconds:
            return f"the case exceeded its budget of {case.seconds:g} s of wall time and was stopped"
        return ""

    def collect(self) -> None:
        """Write the records of jobs that have passed since the last call."""
        while self.done < len(self.jobs):
            case, job = self.jobs[self.done]
            result = self.result(job)
            if result is None or not result.passed:
                return
            write_junit(job.folder / "results.xml", result)
            write_record(job.folder, record_of(case, result, self.seconds(job)))
            self.done += 1

    def result(self, job: Job) -> RunResult | None:
        """The verdict of a job, once the process has written it."""
        try:
            return read_json(job.result, RunResult)
        except TypedJsonError:
            return None

    def seconds(self, job: Job) -> float:
        """Wall time of a job, up to now if it never ended."""
        started = _modified(job.started)
        return (_modified(job.result) or time.time()) - started if started is not None else 0.0

    def _ends(self) -> list[float]:
        ends = (_modified(job.result) for _, job in self.jobs[: self.done])
        return [end for end in ends if end is not None]


def _modified(path: Path) -> float | None:
    try:
        return path.stat().st_mtime
    except OSError:
        return None
