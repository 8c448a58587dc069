"""`make minimise RUN=…`: from words to the smallest command."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from config import ConfigError, RunConfig
from sw.runtime import DeviceError
from tests.regression.bucket import first_difference
from tests.regression.errors import RunError
from tests.regression.minimise.failed import Failed, find_failed
from tests.regression.minimise.shrink import DEFAULT_RUNS, Attempt, Minimised, Tried, minimise
from tests.regression.pipeline import RESULTS, Request, run_test
from tests.regression.progress import Progress

_KNOBS = ("RUN", "RUNS", "SEEDS")
_FOLDER = "minimise"


def run_minimise(
    knobs: Mapping[str, str],
    say: Callable[[str], None],
    progress: Progress,
    results: Path = RESULTS,
    attempt: Attempt | None = None,
) -> int:
    """Make the run that RUN names smaller, print each step and the smallest command; returns 0.

    Args:
        knobs: RUN, RUNS (bound on runs), SEEDS (more seeds, `a,b`, for candidates that pass with the run's own).
        attempt: instead of real runs.

    Raises:
        RunError: a knob that is not understood, or a run that can't be used. A failure that does not repeat is one:
            then there is no point in making it smaller.
    """
    unknown = [name for name in knobs if name not in _KNOBS]
    if unknown:
        raise RunError(f"minimise does not know {unknown[0]}; it takes {' '.join(_KNOBS)}")
    most = _number("RUNS", knobs.get("RUNS") or str(DEFAULT_RUNS), 2)
    seeds = tuple(_number("SEEDS", text, 0) for text in (knobs.get("SEEDS") or "").split(",") if text)
    failed = find_failed(knobs.get("RUN", ""), results)
    again = attempt or _runner(failed, results / _FOLDER / failed.config.test, progress)
    say(f"first difference: {failed.wanted}")
    say(f"seed {failed.config.seed}, other seeds: {', '.join(map(str, seeds)) or 'none'}; at most {most} runs")
    repeated = again(failed.config)
    if repeated != failed.wanted:
        ended = "passed" if repeated == "" else repeated or "could not be started"
        raise RunError(f"the failure does not repeat: {failed.config.repro_line()} ended so: {ended}")
    found = minimise(
        failed.config,
        failed.wanted,
        again,
        most_runs=most - 1,
        seeds=seeds,
        tell=lambda tried: say(_line(tried)),
    )
    for line in _ending(failed, found, most):
        say(line)
    return 0


def _runner(failed: Failed, folder: Path, progress: Progress) -> Attempt:
    job, number = failed.job, 0

    def attempt(config: RunConfig) -> str | None:
        nonlocal number
        number += 1
        place = folder / f"{number:03d}"
        request = Request(config, job.backend, folder=place, policy=job.policy, prepare=job.prepare)
        try:
            return first_difference(run_test(request, progress).result)
        except (RunError, ConfigError, DeviceError):
            return None

    return attempt


def _line(tried: Tried) -> str:
    ended = "passes" if tried.ended == "" else tried.ended or "cannot run"
    return f"  {'smaller' if tried.kept else 'no':<8}{tried.change:<16}seed {tried.config.seed:<8}" + (
        "" if tried.kept else ended
    )


def _ending(failed: Failed, found: Minimised, most: int) -> list[str]:
    lines = [f"{found.runs + 1} runs" + ("" if found.complete else f": the bound RUNS={most} was reached")]
    if found.config == failed.config:
        lines.append("nothing smaller fails the same way")
    if failed.job.policy:
        lines.append(f"the memory policy of the run was {failed.job.policy}, which MEM does not name")
    if failed.job.prepare:
        lines.append(f"the run prepares the design with {failed.job.prepare}, which the command does not do")
    return [*lines, f"smallest   {found.config.repro_line()}"]


def _number(knob: str, text: str, smallest: int) -> int:
    if not text.isdecimal() or int(text) < smallest:
        raise RunError(f"{knob}={text}: must be a whole number of at least {smallest}")
    return int(text)
