"""`python -m tests.cycles [DOCUMENT=file] [K=name,name]`: cycles of kernels beside those of the public design."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from config import LaunchPath, RunConfig
from hw.tb.run import simulate
from tests.cycles.counted_run import BREAKDOWN, COUNTERS_FILE
from tests.cycles.rows import ROWS, Row
from tests.cycles.table import Measured, inserted, markdown
from tests.regression.cli import split_knobs
from tests.regression.errors import RunError
from tests.regression.job import JOB_OPTION, Job
from tests.regression.pipeline import RESULTS, Request, make_images, make_job
from tests.regression.progress import SilentProgress
from tests.regression.result import RunResult
from tests.regression.simulation import prepare_model
from tests.regression.typed_json import read_json, write_json, write_text

POLICY = "fixed20"
MODULE = "tests.cycles.counted_run"
FOLDER = RESULTS / "cycles"


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 when every goal is met, 1 when one is missed, 2 when nothing could be measured."""
    try:
        knobs = split_knobs(arguments)
        document, chosen = knobs.pop("DOCUMENT", ""), knobs.pop("K", "")
        if knobs:
            raise RunError(f"{next(iter(knobs))}: not an option; there are DOCUMENT=file and K=name,name")
        measured = measure(select(chosen))
        table = markdown(measured)
        print(table)
        if document:
            write_text(Path(document), inserted(Path(document).read_text(encoding="utf-8"), table))
    except (RunError, OSError, ValueError) as error:
        print(f"cycles: {error}", file=sys.stderr)
        return 2
    missed = [item.row.name for item in measured if not item.good]
    print(f"goals missed: {', '.join(missed)}" if missed else "every goal is met")
    return 1 if missed else 0


def select(chosen: str) -> list[Row]:
    """Rows of the tests named in `chosen`, all if it is empty. Raises RunError if there is none."""
    names = chosen.split(",") if chosen else [row.test for row in ROWS]
    unknown = [name for name in names if name not in {row.test for row in ROWS}]
    if unknown:
        raise RunError(f"K={chosen}: there is no {unknown[0]}; known: {', '.join(dict.fromkeys(r.test for r in ROWS))}")
    return [row for row in ROWS if row.test in names]


def measure(rows: Sequence[Row]) -> list[Measured]:
    """Run the rows in one process. Raises RunError: it could not be started, a run failed, a breakdown has a hole."""
    jobs = []
    for row in rows:
        config = RunConfig(test=row.test, size=row.size, launch=LaunchPath.KMU)
        request = Request(config=config, folder=FOLDER / f"{row.test}-{row.size}", policy=POLICY)
        jobs.append(make_job(request, make_images(request, SilentProgress())))
    for job in jobs:
        write_json(job.file, job)
    options = {JOB_OPTION: os.pathsep.join(str(job.file) for job in jobs)}
    model = prepare_model(jobs[0].config, SilentProgress())
    ended = simulate(jobs[0].config, MODULE, FOLDER / "sim", model=model, options=options, timeout_s=1800.0)
    if not ended.passed:
        raise RunError(f"a run failed, so its cycles mean nothing: {ended.reason}; log in {FOLDER / 'sim'}")
    return [_measured(row, job) for row, job in zip(rows, jobs, strict=True)]


def _measured(row: Row, job: Job) -> Measured:
    result = read_json(job.result, RunResult)
    counters: dict[str, int] = read_json(job.folder / COUNTERS_FILE, dict[str, int])
    if sum(counters[name] for name in BREAKDOWN) != counters["cycles"]:
        raise RunError(f"{row.name}: the breakdown does not add up to the {counters['cycles']} cycles of the core")
    kernels = result.kernels[: row.launches] if row.launches else result.kernels
    return Measured(row, sum(k.instructions for k in kernels), sum(k.cycles for k in kernels), counters)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
