"""Everything that a picture of a window shows, computed once and drawn by several writers."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from golden_model.records.layout import BarrierOp, Kind, MemoryOp, MemorySpace
from hw.tb.debug.library.instructions import Instructions, core_of, warp_of
from hw.tb.debug.library.residents import CtaLife, WarpLife
from hw.tb.debug.library.run import Run
from hw.tb.debug.library.transactions import OPEN, Transactions
from hw.tb.debug.timeline.states import States, warp_states

# A run with more commits than that is shown by its last cycles unless a window is asked for.
MOST_COMMITS = 100_000
_DEFAULT_CYCLES = 20_000


class WindowError(ValueError):
    """A window that shows nothing, or too much; one sentence."""


@dataclass(frozen=True)
class BarrierSpan:
    """From the first arrival at a barrier to its release; `end` is None if that is not in the window."""

    core: int
    id: int
    begin: int
    end: int | None
    arrived: tuple[int, ...]  # warps in the order of arrival
    released: int  # mask


@dataclass(frozen=True)
class Link:
    """A load (row of the instructions) and the read transaction (row of the transactions) that brought its data."""

    load: int
    transaction: int


@dataclass(frozen=True)
class Scene:
    """A window [first, last] of a run, in cycles."""

    run: Run
    first: int
    last: int
    table: Instructions
    states: States
    warps: list[WarpLife]
    ctas: list[CtaLife]
    barriers: list[BarrierSpan]
    transactions: Transactions
    links: list[Link]

    @property
    def harts(self) -> list[tuple[int, int]]:
        """(core, warp) of everything that shows up, in order."""
        streams = np.unique(np.concatenate((self.table.stream, self.states.stream)))
        found = set(zip(core_of(streams).tolist(), warp_of(streams).tolist(), strict=True))
        return sorted(found | {(life.core, life.warp) for life in self.warps})


def is_long(run: Run) -> bool:
    """Whether a picture of the whole run would show too much."""
    return len(run.recording[Kind.COMMIT]) > MOST_COMMITS


def default_window(run: Run, first: int | None = None, last: int | None = None) -> tuple[int, int]:
    """The window that was asked for; without one the whole run, or the end of a long one.

    Raises:
        WindowError: it holds nothing, or more than a picture can.
    """
    commits = run.recording[Kind.COMMIT]
    if not len(commits):
        raise WindowError(f"{run.recording.folder}: no instruction was recorded, so there is nothing to show")
    if first is None and last is None:
        if not is_long(run):
            return _busy_part(run)
        return max(run.first, int(commits["cycle"][-1]) - _DEFAULT_CYCLES), int(commits["cycle"][-1])
    window = (run.first if first is None else first, run.last if last is None else last)
    asked = f"FROM={window[0]} TO={window[1]}"
    if first is not None and last is not None and first > last:
        raise WindowError(f"{asked}: the window ends before it begins")
    if window[1] < run.first or window[0] > run.last:
        raise WindowError(f"{asked}: the run was recorded from {run.first} to {run.last}")
    rows = commits.window(*window)
    if rows.stop - rows.start > 10 * MOST_COMMITS:
        raise WindowError(
            f"{asked}: {rows.stop - rows.start:,} commits are more than any viewer can show "
            f"({10 * MOST_COMMITS:,}); choose a smaller window"
        )
    return window


def _busy_part(run: Run) -> tuple[int, int]:
    """From the first CTA or instruction to the last one: without programming before and counters behind."""
    commits, ctas = run.recording[Kind.COMMIT], run.recording[Kind.CTA]
    first, last = int(commits["decode_cycle"][: 1 << 10].min()), int(commits["cycle"][-1])
    if len(ctas):
        first, last = min(first, int(ctas["cycle"][0])), max(last, int(ctas["cycle"][-1]))
    return first, last


def make_scene(run: Run, first: int, last: int) -> Scene:
    """Everything in the cycles `first` to `last`."""
    table = run.instructions(first, last)
    residents = run.residents
    transactions = run.transactions(first, last)
    return Scene(
        run,
        first,
        last,
        table,
        warp_states(run.recording, run.epochs, residents, table, first, last),
        residents.between(first, last),
        [life for life in residents.ctas if life.begin <= last and (life.end is None or life.end >= first)],
        _barriers(run, first, last),
        transactions,
        _links(run, table, transactions, first, last),
    )


def _barriers(run: Run, first: int, last: int) -> list[BarrierSpan]:
    table = run.recording[Kind.BARRIER]
    rows = table.window(first, last)
    names = ("core", "id", "cycle", "warp", "op", "released")
    pending: dict[tuple[int, int], tuple[int, list[int]]] = {}
    found = []
    for core, ident, cycle, warp, op, released in zip(*(table[name][rows].tolist() for name in names), strict=True):
        if op in (BarrierOp.SYNC, BarrierOp.ARRIVE):
            pending.setdefault((core, ident), (cycle, []))[1].append(warp)
        if released and op != BarrierOp.WAIT and (core, ident) in pending:
            begin, arrived = pending.pop((core, ident))
            found.append(BarrierSpan(core, ident, begin, cycle, tuple(arrived), released))
    found += [BarrierSpan(core, ident, begin, None, tuple(who), 0) for (core, ident), (begin, who) in pending.items()]
    return sorted(found, key=lambda span: (span.core, span.begin))


def _links(run: Run, table: Instructions, seen: Transactions, first: int, last: int) -> list[Link]:
    """Loads that missed: a read of their line was asked for after their issue and answered before their commit."""
    memory = run.recording[Kind.MEMORY]
    rows = memory.window(first, last)
    loads = (memory["op"][rows] == MemoryOp.LOAD) & (memory["space"][rows] == MemorySpace.GLOBAL)
    at = np.flatnonzero(loads)
    if not len(at) or not len(seen):
        return []
    block = int(seen.bytes.min())
    reads: defaultdict[int, list[int]] = defaultdict(list)
    for number in np.flatnonzero(~seen.write & (seen.response != OPEN)).tolist():
        begin = int(seen.addr[number]) // block
        for line in range(begin, begin + int(seen.bytes[number]) // block):
            reads[line].append(number)
    row_of = table.find(run.epochs.keys(run.recording, Kind.MEMORY, rows)[at])
    lines = memory["addr"][rows].reshape(len(loads), -1)[at].astype(np.uint64) // np.uint64(block)
    masks = memory["mask"][rows][at].astype(np.uint64)
    found: set[tuple[int, int]] = set()
    for number, row in enumerate(row_of.tolist()):
        if row < 0:
            continue
        active = _lanes(masks[number], lines.shape[1])
        for line in sorted(set(lines[number][active].tolist())):
            for transaction in reads.get(line, ()):
                in_time = table.issue[row] <= seen.request[transaction]
                if in_time and seen.response[transaction] <= table.commit[row]:
                    found.add((row, transaction))
    return [Link(load, transaction) for load, transaction in sorted(found)]


def _lanes(mask: np.uint64, lanes: int) -> npt.NDArray[np.bool_]:
    active: npt.NDArray[np.bool_] = (mask >> np.arange(lanes, dtype=np.uint64) & np.uint64(1)) != 0
    return active
