"""Waves come from a second run: the same job on the debug model, traced around the cause only.

Tracing a whole run costs a hundred times its speed and gigabytes; the run is deterministic, so its end is known before.
"""

from __future__ import annotations

import dataclasses

from hw.tb.build.spec import ModelKind, ModelSpec
from tests.regression.job import Job
from tests.regression.progress import Progress
from tests.regression.result import RunResult
from tests.regression.simulation import prepare_simulation

WINDOW_CYCLES = 2000
_AFTER = 200  # cycles after the failure; the cause lies before it


def waves_window(result: RunResult) -> tuple[int, int]:
    """First and last cycle to trace: around the first failure whose cycle is known, else the beginning of the run."""
    cycle = next((failure.cycle for failure in result.failures if failure.cycle), 0)
    last = max(cycle + _AFTER, WINDOW_CYCLES)
    return last - WINDOW_CYCLES, last


def record_waves(job: Job, result: RunResult, progress: Progress, spec: ModelSpec | None = None) -> RunResult:
    """Run `job` again on the debug model and return `result` with a note that says where the waves are."""
    debug = dataclasses.replace(spec or ModelSpec(hardware=job.config.hardware), kind=ModelKind.DEBUG)
    runner = prepare_simulation(job.config, progress, debug)
    first, last = waves_window(result)
    folder = job.folder / "waves"
    folder.mkdir()
    again = dataclasses.replace(job, folder=folder, waves=(first, last))
    progress.stage(f"tracing cycles {first} to {last}")
    traced = runner(again, progress)
    if again.waves_file.exists():
        note = f"waves of cycles {first} to {last}: {again.waves_file}"
    else:
        note = f"no waves: the traced run ended before cycle {first}"
    notes = [*result.notes, note]
    if _verdict(traced) != _verdict(result):
        notes.append(f"the traced run ended differently ({_verdict(traced)}): see {again.result}")
    return dataclasses.replace(result, notes=tuple(notes))


def _verdict(result: RunResult) -> str:
    first = result.failures[0] if result.failures else None
    return f"{first.check} in cycle {first.cycle}" if first else "passed" if result.passed else "failed"
