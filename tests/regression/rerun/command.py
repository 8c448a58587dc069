"""`make debug RUN=…` and `make waves TEST=… FROM=… TO=…`."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from itertools import pairwise

from tests.regression.errors import RunError
from tests.regression.failure.report import FailureReport
from tests.regression.job import Job, WavesWindow
from tests.regression.minimise.failed import find_run
from tests.regression.pipeline import RESULTS, Request, fit_core
from tests.regression.progress import Progress
from tests.regression.rerun.rerun import rerun
from tests.regression.rerun.stream import last_cycle
from tests.regression.rerun.window import windows_of
from tests.regression.typed_json import TypedJsonError, read_json

_KNOBS = ("RUN", "FROM", "TO", "SCOPE")


def run_debug(knobs: Mapping[str, str], say: Callable[[str], None], progress: Progress) -> bool:
    """Run again what RUN names, with waves of FROM to TO or around its first cause; whether it was the same run.

    Raises:
        RunError: a knob that is not understood, a run that is not there, or a debug model that cannot be built.
    """
    unknown = [name for name in knobs if name not in _KNOBS]
    if unknown:
        raise RunError(f"debug does not know {unknown[0]}; it takes {' '.join(_KNOBS)}")
    job, result = find_run(knobs.get("RUN", ""), RESULTS)
    if job.backend == "golden":
        raise RunError(f"RUN={knobs['RUN']}: the golden model has no signals; run it on the RTL")
    asked = parse_windows(knobs.get("FROM", ""), knobs.get("TO", ""))
    request, _ = fit_core(Request(job.config, job.backend), progress)
    windows = asked or windows_of(_report(job), result, last_cycle(job.folder))
    evidence = rerun(job, result, windows, progress, request.spec, knobs.get("SCOPE", ""))
    for note in evidence.notes:
        say(note)
    say(f"make shell RUN={run_id(job)}")
    return evidence.identical and bool(evidence.files)


def parse_windows(first: str, last: str) -> tuple[WavesWindow, ...]:
    """Windows from FROM and TO, each a cycle or several with commas between; none for two empty texts.

    Raises:
        RunError: numbers that are none, or windows that overlap or end before they begin.
    """
    if not first and not last:
        return ()
    begins, ends = _cycles("FROM", first), _cycles("TO", last)
    if len(begins) != len(ends):
        raise RunError(f"FROM={first} TO={last}: {len(begins)} windows begin, {len(ends)} end")
    windows = sorted(zip(begins, ends, strict=True))
    for begin, end in windows:
        if end < begin:
            raise RunError(f"FROM={begin} TO={end}: the window ends before it begins")
    for (_, end), (begin, _) in pairwise(windows):
        if begin <= end:
            raise RunError(f"FROM={first} TO={last}: windows must not overlap")
    names = ["waves.fst"] if len(windows) == 1 else [f"waves{number}.fst" for number in range(1, len(windows) + 1)]
    return tuple(WavesWindow(*window, name) for window, name in zip(windows, names, strict=True))


def waves_request(request: Request, first: str, last: str, scope: str) -> Request:
    """The request of `make waves`: this test on its debug model, with these windows. Raises RunError."""
    windows = parse_windows(first, last)
    if not windows:
        raise RunError("FROM and TO are missing: make waves TEST=… FROM=<first cycle> TO=<last cycle>")
    if request.backend == "golden":
        raise RunError("the golden model has no signals; run it on the RTL")
    config = dataclasses.replace(request.config, record=True)
    return dataclasses.replace(request, config=config, windows=windows, scope=scope)


def run_id(job: Job) -> str:
    """What RUN takes for the results of a job."""
    folder = job.folder
    return folder.relative_to(RESULTS).as_posix() if folder.is_relative_to(RESULTS) else str(folder)


def _report(job: Job) -> FailureReport | None:
    try:
        return read_json(job.folder / "failure.json", FailureReport)
    except TypedJsonError:
        return None


def _cycles(knob: str, text: str) -> list[int]:
    found = []
    for part in text.split(","):
        if not part.strip().replace("_", "").isdecimal():
            raise RunError(f"{knob}={text}: must be a cycle number, or several with commas between")
        found.append(int(part))
    return found
