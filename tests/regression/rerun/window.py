"""Which cycles of a failed run are worth tracing: around the failure, and where its first cause lies."""

from __future__ import annotations

from collections.abc import Iterable

from golden_model.follow.difference import Difference
from golden_model.hang.report import HangReport
from tests.regression.failure.report import Context, FailureReport
from tests.regression.job import WavesWindow
from tests.regression.result import RunResult

WINDOW_CYCLES = 2000
MAIN = "waves.fst"
AFTER = 200  # cycles after the failure; the cause lies before it
_BEFORE = 100  # cycles before a cause
_NEAR = 10_000  # causes that are not further back than that share the window of the failure
_FAR_WINDOWS = 2  # for the causes before that


def windows_of(report: FailureReport | None, result: RunResult, end: int = 0) -> tuple[WavesWindow, ...]:
    """Windows to trace, the one of the failure last.

    Args:
        report: what is known of the failure; None for a run that passed, of which the beginning is traced.
        end: last cycle of the run, for a failure whose cycle is not known; 0: not known either.
    """
    if report is not None and report.hang is not None and (stuck := _last_progress(report.hang)):
        # What stands still afterwards is of no interest; where the first one stopped is, however long others went on.
        waits = [wait.since for wait in report.hang.waits] + [request.since for request in report.hang.outstanding]
        return _with_causes(stuck, sorted({at for at in waits if at is not None and at < stuck}), last=False)
    cycle = next((failure.cycle for failure in result.failures if failure.cycle), 0)
    if not cycle and result.failures:
        cycle = end
    causes = _causes(report.difference, report.context, cycle) if report is not None else ()
    return _with_causes(cycle, sorted(causes), last=True)


def _with_causes(cycle: int, causes: list[int], *, last: bool) -> tuple[WavesWindow, ...]:
    """Near causes widen the window around `cycle`; of the others the last or the first have their own."""
    far = [cause for cause in causes if cycle - cause > _NEAR]
    far = far[-_FAR_WINDOWS:] if last else far[:_FAR_WINDOWS]
    apart = [
        WavesWindow(max(cause - _BEFORE, 0), cause + AFTER, f"cause{number}.fst") for number, cause in enumerate(far, 1)
    ]
    return (*_merged(apart), _around(cycle, (cause for cause in causes if cycle - cause <= _NEAR)))


def _around(cycle: int, causes: Iterable[int]) -> WavesWindow:
    last = max(cycle + AFTER, WINDOW_CYCLES)
    return WavesWindow(max(min([last - WINDOW_CYCLES, *(cause - _BEFORE for cause in causes)]), 0), last, MAIN)


def _merged(windows: list[WavesWindow]) -> list[WavesWindow]:
    """Windows of one run must not overlap."""
    found: list[WavesWindow] = []
    for window in windows:
        if found and window.first <= found[-1].last:
            found[-1] = WavesWindow(found[-1].first, window.last, found[-1].file)
        else:
            found.append(window)
    return found


def _causes(difference: Difference | None, context: Context, cycle: int) -> tuple[int, ...]:
    """Cycles in which what the failure follows from happened: writers of operands and loaded words, bus reads."""
    if difference is None:
        return ()
    found: set[int | None] = {writer.cycle for writer in difference.writers}
    found |= {producer.store.cycle for producer in context.producers}
    found |= {read.request_cycle for read in [*difference.transactions, *context.transactions]}
    return tuple(sorted(at for at in found if at is not None and at < cycle))


def _last_progress(hang: HangReport) -> int:
    return max((unit.cycle or 0 for unit in hang.progress), default=0)
