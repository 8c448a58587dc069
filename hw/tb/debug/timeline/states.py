"""What every warp did in every cycle: it issued, or it waited, and for what.

Between two issues of a warp the time is divided at the cycles in which each obstacle went away, in the order in which
they block: a barrier, a branch that was not decided, no instruction decoded, an operand that was not written. What then
remains is the issue port or the unit, taken by others. Everything is numpy over the instructions of a window.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from golden_model.isa.instruction import Unit
from golden_model.records.layout import BarrierOp, CommitFlag, Kind
from hw.tb.debug.library import words
from hw.tb.debug.library.instructions import Epochs, Instructions, Ints, Keys
from hw.tb.debug.library.residents import Residents
from hw.tb.debug.recording import Recording

Values = npt.NDArray[Any]
_NOWHERE = -1


class State(IntEnum):
    """State of an active warp in a cycle."""

    ISSUE = 0
    BARRIER = 1
    CONTROL = 2  # its branch, mask change or spawn is not decided
    FETCH = 3  # no instruction decoded
    MEMORY = 4  # an operand is owed by a load or an atomic
    FLOAT = 5
    MULDIV = 6
    OPERAND = 7  # … by any other unit
    PORT = 8  # ready; another warp issues, or the unit takes nothing
    DRAIN = 9  # everything is issued; the last commits or the end are outstanding

    @property
    def label(self) -> str:
        return _LABELS[self]


_LABELS = {
    State.ISSUE: "issue",
    State.BARRIER: "barrier",
    State.CONTROL: "branch pending",
    State.FETCH: "no instruction",
    State.MEMORY: "waits for memory",
    State.FLOAT: "waits for float",
    State.MULDIV: "waits for muldiv",
    State.OPERAND: "waits for operand",
    State.PORT: "issue port or unit busy",
    State.DRAIN: "drain",
}


@dataclass(frozen=True)
class States:
    """Spans without overlap within a stream; [begin, end) in cycles.

    Attributes:
        row: the instruction that issued or waited (row of the instructions), -1 after the last one.
        writer: the instruction that owed the operand, -1 if none.
    """

    stream: Keys
    begin: Ints
    end: Ints
    state: Ints
    row: Ints
    writer: Ints

    def __len__(self) -> int:
        return len(self.begin)

    def take(self, index: Values) -> States:
        return States(
            self.stream[index], self.begin[index], self.end[index], self.state[index], self.row[index],
            self.writer[index],
        )  # fmt: skip


def warp_states(
    recording: Recording, epochs: Epochs, residents: Residents, table: Instructions, first: int, last: int
) -> States:
    """States in the cycles `first` to `last`; `table` holds at least what was in flight then."""
    lives = residents.between(first, last)
    count = len(table)
    issue, same = table.issue, np.zeros(count, np.bool_)
    same[1:] = table.stream[1:] == table.stream[:-1]
    start = np.where(same, np.concatenate(([0], issue[:-1] + 1)) if count else 0, issue)
    for life in lives:  # the first instruction of a life waits from the life's start
        row = int(table.find(np.array([life.stream << 36 | life.uid], np.uint64))[0])
        if row >= 0:
            start[row], same[row] = min(life.begin, int(issue[row])), False
    previous = np.where(same, np.arange(count) - 1, _NOWHERE)
    ready, writer, unit = _operands(recording, table)
    ends = [
        _barrier_end(recording, epochs, table, previous, first, last),
        _control_end(table, previous),
        np.where(table.decode > 0, table.decode, start),
        ready,
    ]
    kinds = [
        np.full(count, State.BARRIER),
        np.full(count, State.CONTROL),
        np.full(count, State.FETCH),
        _owed(unit),
    ]
    rows = np.arange(count)
    spans: list[tuple[Ints, Ints, Ints, Ints, Ints]] = []  # begin, end, state, row, writer
    begin = start
    for number, (end, kind) in enumerate(zip(ends, kinds, strict=True)):
        until = np.maximum(begin, np.minimum(end, issue))
        spans.append((begin, until, kind, rows, writer if number == 3 else np.full(count, _NOWHERE)))
        begin = until
    nobody = np.full(count, _NOWHERE)
    spans.append((begin, issue, np.full(count, State.PORT), rows, nobody))
    spans.append((issue, issue + 1, np.full(count, State.ISSUE), rows, nobody))
    joined = [np.concatenate([span[part] for span in spans]) for part in range(5)]
    stream = np.tile(table.stream, len(spans))
    tails = _tails(table, lives, last)
    columns = [np.concatenate((column, tail)) for column, tail in zip([stream, *joined], tails, strict=True)]
    states = States(*columns)
    states = states.take((states.end > states.begin) & (states.end > first) & (states.begin <= last))
    return states.take(np.lexsort((states.begin, states.stream)))


def _operands(recording: Recording, table: Instructions) -> tuple[Ints, Ints, Ints]:
    """For each instruction: when its last operand was written, by which row, of which unit (of words.UNITS)."""
    count = len(table)
    sources, unit = words.decode_all(table.column["instr"], recording.meta.xlen)
    written = words.destinations(table.column["rd"], table.column["rd_file"])
    # One number a stream, so that (stream, register, row) fits into an integer that sorts.
    _, stream = np.unique(table.stream, return_inverse=True)
    rows = np.arange(count)
    writers = np.flatnonzero(written != words.NO_REGISTER)
    place = (stream[writers] * 64 + written[writers]) << 36 | writers
    place.sort()
    ready, by = np.zeros(count, np.int64), np.full(count, _NOWHERE)
    for slot in range(sources.shape[1]):
        register = sources[:, slot]
        wanted = (stream * 64 + register) << 36
        at = np.searchsorted(place, wanted | rows, "left") - 1
        found = (register != words.NO_REGISTER) & (at >= 0)
        found[found] = place[at[found]] >> 36 == wanted[found] >> 36
        row = np.where(found, place[np.maximum(at, 0)] & ((1 << 36) - 1), 0) if len(place) else np.zeros(count, int)
        cycle = np.where(found, table.commit[row] if count else 0, 0)
        later = cycle > ready
        ready, by = np.where(later, cycle, ready), np.where(later, row, by)
    return ready, by, np.where(by >= 0, unit[np.maximum(by, 0)], _NOWHERE) if count else by


def _owed(unit: Ints) -> Ints:
    state = np.full(len(unit), int(State.OPERAND))
    for kind, owed in (
        (Unit.LOAD, State.MEMORY),
        (Unit.ATOMIC, State.MEMORY),
        (Unit.FLOAT, State.FLOAT),
        (Unit.MULDIV, State.MULDIV),
    ):
        state[unit == words.UNITS.index(kind.value)] = owed
    return state


def _control_end(table: Instructions, previous: Ints) -> Ints:
    """Cycle in which the instruction before was decided, 0 if it was no control instruction."""
    if not len(table):
        return np.zeros(0, np.int64)
    control = (table.column["flags"] & CommitFlag.CONTROL) != 0
    return np.where((previous >= 0) & control[previous], table.commit[previous], 0)


def _barrier_end(
    recording: Recording, epochs: Epochs, table: Instructions, previous: Ints, first: int, last: int
) -> Ints:
    """Cycle in which the barrier before each instruction let its warp go, 0 without a barrier."""
    end = np.zeros(len(table), np.int64)
    barriers = recording[Kind.BARRIER]
    rows = barriers.window(max(first - (1 << 20), 0), last)
    op, cycle = barriers["op"][rows], barriers["cycle"][rows].astype(np.int64)
    if not len(op) or not len(table):
        return end
    waits = (op == BarrierOp.SYNC) | (op == BarrierOp.WAIT)
    at = table.find(epochs.keys(recording, Kind.BARRIER, rows)[waits])
    known = at >= 0
    held = np.zeros(len(table), np.int64)  # cycle of the operation, by row
    held[at[known]] = cycle[waits][known] + 1
    released, core = barriers["released"][rows], barriers["core"][rows].astype(np.int64)
    for row in np.flatnonzero((previous >= 0) & (held[previous] > 0)).tolist():
        before = int(previous[row])
        mine = (core == table.core[before]) & (released >> np.uint64(table.warp[before]) & np.uint64(1) != 0)
        later = np.flatnonzero(mine & (cycle >= held[before] - 1))
        # A barrier across cores lets go without a record of this core: fetch begins when it has.
        end[row] = int(cycle[later[0]]) if len(later) else int(table.decode[row])
    return end


def _tails(table: Instructions, lives: list[Any], last: int) -> tuple[Values, ...]:
    """From the last issue of each life to its end."""
    out: list[tuple[int, int, int]] = []
    for life in lives:
        until = life.end if life.end is not None else last + 1
        lower = np.searchsorted(table.key, np.uint64(life.stream << 36 | life.uid))
        upper = np.searchsorted(
            table.key, np.uint64(life.stream << 36 | (life.end_uid if life.end_uid is not None else (1 << 36) - 1))
        )
        begin = int(table.issue[upper - 1]) + 1 if upper > lower else life.begin
        if until > begin:
            out.append((life.stream, begin, until))
    number = len(out)
    stream = np.array([item[0] for item in out], np.uint64)
    begin_, end_ = (np.array([item[part] for item in out], np.int64) for part in (1, 2))
    nothing = np.full(number, _NOWHERE)
    return stream, begin_, end_, np.full(number, int(State.DRAIN)), nothing, nothing
