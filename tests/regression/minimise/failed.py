"""The failing run that is to be made smaller: its folder, its configuration and its first difference."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from config import RunConfig
from tests.regression.bucket import first_difference
from tests.regression.catalogue import find_test
from tests.regression.errors import RunError
from tests.regression.job import Job
from tests.regression.result import RunResult
from tests.regression.typed_json import TypedJsonError, read_json

_JOB = "job.json"


@dataclass(frozen=True)
class Failed:
    """A run with its class; the configuration states the size, also where the run took the test's own."""

    job: Job
    config: RunConfig
    wanted: str


def find_failed(run: str, results: Path) -> Failed:
    """The run that `run` names: a results folder, or the end of the path of one below `results`.

    Raises:
        RunError: there is no such run, or several, it passed, or its files are of another version.
    """
    job, result = find_run(run, results)
    wanted = first_difference(result)
    if not wanted:
        raise RunError(f"RUN={run}: the run in {job.folder} passed; there is nothing to make smaller")
    size = job.config.size or find_test(job.config.test).sizes.default
    return Failed(job, dataclasses.replace(job.config, size=size, waves=False), wanted)


def find_run(run: str, results: Path) -> tuple[Job, RunResult]:
    """A run and how it ended, failed or not.

    Raises:
        RunError: there is no such run, or several, or its files are of another version.
    """
    folder = _folder(run, results)
    try:
        job, result = read_json(folder / _JOB, Job), read_json(folder / "results.json", RunResult)
    except TypedJsonError as error:
        raise RunError(f"RUN={run}: {error}; run the test again with this version") from error
    # A folder that was moved is where it is now.
    return dataclasses.replace(job, folder=folder.resolve()), result


def _folder(run: str, results: Path) -> Path:
    if not run:
        raise RunError("RUN is missing: give a results folder, as the last lines of a failed run name it")
    given = Path(run)
    if (given / _JOB).exists():
        return given
    if given.exists():
        raise RunError(f"RUN={run}: the folder has no {_JOB}, so it is not the results folder of one run")
    parts = given.parts
    found = sorted(file.parent for file in results.rglob(_JOB) if file.parent.parts[-len(parts) :] == parts)
    if not found:
        raise RunError(f"RUN={run}: no such folder, and no run of this name below {results}")
    if len(found) > 1:
        names = ", ".join(str(folder.relative_to(results)) for folder in found[:4])
        raise RunError(
            f"RUN={run} names {len(found)} runs ({names}{' …' if len(found) > 4 else ''}): give more of the path"
        )
    return found[0]
