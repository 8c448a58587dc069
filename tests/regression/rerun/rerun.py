"""The same job again on the debug model: recorded, traced in its windows, and proven to be the same run."""

from __future__ import annotations

import dataclasses
import shutil
import time
from dataclasses import dataclass
from pathlib import Path

from hw.tb.build.model import is_built
from hw.tb.build.spec import ModelKind, ModelSpec
from hw.tb.build.toolchain import ToolError
from hw.tb.debug.waves.evidence import WavesError, open_at
from tests.regression.job import Job, WavesWindow
from tests.regression.progress import Progress
from tests.regression.rerun.scope import check_scope, explain_scope
from tests.regression.rerun.stream import compare, last_cycle
from tests.regression.result import RunResult
from tests.regression.simulation import prepare_simulation

FOLDER = "debug"  # in the results folder of the run


@dataclass(frozen=True)
class Evidence:
    """What a second run left behind.

    Attributes:
        identical: it did what the first one did.
        proof: sentence that says how that is known, or what differs.
        files: traced windows that exist, the one of the failure last.
        seconds: wall time, without the build of the model.
        notes: what a user is told, one sentence each.
    """

    folder: Path
    identical: bool
    proof: str
    files: tuple[Path, ...]
    seconds: float
    notes: tuple[str, ...]


def debug_spec(job: Job, spec: ModelSpec | None) -> ModelSpec:
    """The debug model beside the model that a job ran on."""
    return dataclasses.replace(spec or ModelSpec(hardware=job.config.hardware), kind=ModelKind.DEBUG)


def is_ready(job: Job, spec: ModelSpec | None) -> bool:
    """Whether a second run can start at once."""
    try:
        return is_built(debug_spec(job, spec))
    except ToolError:
        return False


def rerun(
    job: Job,
    result: RunResult,
    windows: tuple[WavesWindow, ...],
    progress: Progress,
    spec: ModelSpec | None = None,
    scope: str = "",
) -> Evidence:
    """Run `job`, which ended as `result`, again in the folder `debug` of its results.

    Args:
        spec: model of the first run, if it was not the fast one of its configuration.
        scope: as in `Job`.

    Raises:
        RunError: the debug model cannot be built, or SCOPE names nothing.
    """
    check_scope(scope, job.folder)
    runner = prepare_simulation(job.config, progress, debug_spec(job, spec))
    folder = job.folder / FOLDER
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config = dataclasses.replace(job.config, record=True)
    again = dataclasses.replace(job, config=config, folder=folder, waves=windows, scope=scope)
    spans = ", ".join(f"{window.first} to {window.last}" for window in windows)
    progress.stage(f"once more on the debug model, tracing cycles {spans}")
    began = time.monotonic()
    traced = runner(again, progress)
    if not any(failure.check == "simulator" for failure in result.failures):
        explain_scope(scope, traced)
    identical, proof = compare(job.folder, folder)
    if identical and verdict(traced) != verdict(result):
        identical, proof = False, f"{verdict(traced)} instead of {verdict(result)}"
    notes = [f"run again on the debug model: {proof}" if identical else f"the second run is another one: {proof}"]
    files, found = collect_waves(again, result)
    notes += found
    return Evidence(folder, identical, proof, files, time.monotonic() - began, tuple(notes))


def collect_waves(job: Job, result: RunResult) -> tuple[tuple[Path, ...], list[str]]:
    """The traced windows of a job that ended as `result`, with their lanes and layouts, and sentences about them."""
    files, notes = [], []
    detail = next((failure.detail for failure in result.failures[:1]), None)
    where = (detail.core, detail.warp) if detail is not None else (None, None)
    for window in job.waves:
        path = job.folder / window.file
        if not path.exists():
            ended = last_cycle(job.folder)
            notes.append(f"no waves of cycles {window.first} to {window.last}: the run ended in cycle {ended or '?'}")
            continue
        files.append(path)
        try:
            opened = open_at(path, job.folder, (window.first, window.last), verdict_cycle(result), where)
        except WavesError as error:
            notes.append(f"{_shown(path)}: {error}")
            continue
        notes.append(
            f"waves of cycles {window.first} to {window.last} ({_size(path)}): gtkwave {_shown(opened.layout)}"
        )
    return tuple(files), notes


def verdict(result: RunResult) -> str:
    """First failure with its cycle, for comparing two runs."""
    first = result.failures[0] if result.failures else None
    return f"{first.check} in cycle {first.cycle}" if first else "passed" if result.passed else "failed"


def verdict_cycle(result: RunResult) -> int:
    """Cycle of the first failure whose cycle is known, else 0."""
    return next((failure.cycle for failure in result.failures if failure.cycle), 0)


def _shown(path: Path) -> Path:
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _size(path: Path) -> str:
    size = path.stat().st_size
    return f"{size / 1e6:.1f} MB" if size >= 1_000_000 else f"{size / 1e3:.0f} kB"
