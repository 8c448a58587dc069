"""Runs one launch on the golden model alone and counts what free mode needs."""

from __future__ import annotations

from dataclasses import dataclass

from golden_model import Machine
from golden_model.errors import HangError, LimitError

MOST_INSTRUCTIONS = 50_000_000


@dataclass
class AloneRun:
    """Counts of one run.

    Attributes:
        instructions: warp instructions, all cores.
        first_uses: warps that ran the entry code, once each.
        prologue: instructions of that entry code before the dispatch window, the same for every warp; None if two
            warps needed different numbers.
        faults: warps that were stopped.
    """

    instructions: int = 0
    first_uses: int = 0
    prologue: int | None = None
    faults: int = 0


def run_alone(machine: Machine, limit: int = MOST_INSTRUCTIONS) -> AloneRun:
    """Execute the launch that was started on `machine` to its end, warps in turn.

    Raises:
        HangError: nothing can step although the launch is not over.
        LimitError: more than `limit` instructions.
    """
    run = AloneRun()
    in_prologue: dict[tuple[int, int], int] = {}
    lengths: set[int] = set()
    while machine.busy:
        _dispatch(machine, run, in_prologue)
        ready = [warp for core in machine.cores for warp in core.warps if warp.tmask and not warp.blocked]
        if not ready:
            raise HangError("no warp can step although the launch is not over")
        for warp in ready:
            step = warp.step()
            run.instructions += step.name != "fetch"
            run.faults += step.fault is not None
            if not in_prologue:
                continue
            place = step.core, step.warp
            if place in in_prologue:
                in_prologue[place] += 1
                if step.warp_ended or machine.code.is_window(step.next_pc):
                    lengths.add(in_prologue.pop(place))
        if run.instructions > limit:
            raise LimitError(f"still running after {limit} warp instructions")
    run.prologue = lengths.pop() if len(lengths) == 1 else None
    return run


def _dispatch(machine: Machine, run: AloneRun, in_prologue: dict[tuple[int, int], int]) -> None:
    progress = True
    while progress:
        progress = False
        for core in machine.cores:
            while core.dispatcher.pending is not None and any(not warp.tmask for warp in core.warps):
                start = core.start_warp()
                if start.first_use:
                    run.first_uses += 1
                    in_prologue[start.core, start.warp] = 0
                progress = True
        taker = next((core.core_id for core in machine.cores if machine.can_accept(core.core_id)), None)
        if taker is not None:
            machine.accept_cta(taker)
            progress = True
