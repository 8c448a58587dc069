"""Warp instructions as columns: commit packets joined, sorted by warp and program order.

`stream` numbers a warp between two resets: its uids count up from 0 without a gap. All functions are numpy over whole
arrays; a window of a recording costs what the window holds.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from golden_model.records.layout import CommitFlag, Kind, RunEvent
from hw.tb.debug.recording import Recording

Ints = npt.NDArray[np.int64]
Keys = npt.NDArray[np.uint64]
Values = npt.NDArray[Any]

_UID_BITS, _WARP_BITS, _CORE_BITS = 36, 8, 12
# How far the commit of an instruction can lie behind its issue, and packets apart, when a window is cut out (cycles).
SLACK = 4096

_COLUMNS = (
    "seq", "cycle", "launch", "decode_cycle", "issue_cycle", "pc", "next_pc", "tmask", "next_mask", "wmask", "instr",
    "flags", "rd", "rd_file", "slot",
)  # fmt: skip


@dataclass(frozen=True)
class Instructions:
    """Columns of equal length; row order is stream, then uid.

    Attributes:
        key: stream << 36 | uid.
        first: cycle of the first commit packet; `column["cycle"]` is that of the last.
        column: fields of the COMMIT record by name; `wmask` and `flags` over all packets.
        data: result, shape (rows, lanes); defined under `wmask`.
    """

    key: Keys
    first: Ints
    column: dict[str, Values]
    data: Values

    def __len__(self) -> int:
        return len(self.key)

    @cached_property
    def stream(self) -> Keys:
        return self.key >> np.uint64(_UID_BITS)

    @cached_property
    def uid(self) -> Ints:
        return (self.key & np.uint64((1 << _UID_BITS) - 1)).astype(np.int64)

    @cached_property
    def core(self) -> Ints:
        return core_of(self.stream)

    @cached_property
    def warp(self) -> Ints:
        return warp_of(self.stream)

    @cached_property
    def issue(self) -> Ints:
        return self.column["issue_cycle"].astype(np.int64)

    @cached_property
    def decode(self) -> Ints:
        return self.column["decode_cycle"].astype(np.int64)

    @cached_property
    def commit(self) -> Ints:
        """Cycle of the last packet."""
        return self.column["cycle"].astype(np.int64)

    def take(self, index: Values) -> Instructions:
        """Chosen rows; `index` is a mask or ascending numbers."""
        columns = {name: values[index] for name, values in self.column.items()}
        return Instructions(self.key[index], self.first[index], columns, self.data[index])

    def find(self, key: Keys) -> Ints:
        """Row of each key, -1 where there is none."""
        if not len(self):
            return np.full(len(key), -1)
        row = np.searchsorted(self.key, key)
        row[row == len(self)] = 0
        return np.where(self.key[row] == key, row, -1)


def core_of(stream: Keys) -> Ints:
    """Global core ids of streams."""
    return (stream >> np.uint64(_WARP_BITS)).astype(np.int64) & ((1 << _CORE_BITS) - 1)


def warp_of(stream: Keys) -> Ints:
    """Warps of streams."""
    return stream.astype(np.int64) & ((1 << _WARP_BITS) - 1)


class Epochs:
    """Resets number the lives of the processor, because uids begin again."""

    def __init__(self, recording: Recording) -> None:
        run = recording[Kind.RUN]
        self._seqs = np.asarray(run["seq"][run["event"] == RunEvent.RESET])

    def of(self, seq: Values) -> Ints:
        """Resets before each record."""
        return np.searchsorted(self._seqs, seq).astype(np.int64)

    def start(self, seq: int) -> int:
        """`seq` of the last reset before a record; 0 if there was none."""
        before = int(np.searchsorted(self._seqs, seq))
        return int(self._seqs[before - 1]) if before else 0

    def streams(self, recording: Recording, kind: Kind, rows: slice) -> Keys:
        """Stream of each record of a kind that belongs to a warp."""
        table = recording[kind]
        stream = self.of(table["seq"][rows])
        stream = stream << _CORE_BITS | table["core"][rows]
        return (stream << _WARP_BITS | table["warp"][rows]).astype(np.uint64)

    def keys(self, recording: Recording, kind: Kind, rows: slice) -> Keys:
        """Key of the instruction of each record of a joined kind."""
        return join_key(self.streams(recording, kind, rows), recording[kind]["uid"][rows])


def join_key(stream: Keys, uid: Values) -> Keys:
    """Keys of instructions."""
    return stream << np.uint64(_UID_BITS) | uid.astype(np.uint64)


def read_instructions(recording: Recording, epochs: Epochs, rows: slice) -> Instructions:
    """Instructions of some rows of the COMMIT table; one whose packets are cut off has what is there."""
    table = recording[Kind.COMMIT]
    key = epochs.keys(recording, Kind.COMMIT, rows)
    order = np.argsort(key, kind="stable")
    key = key[order]
    column = {name: table[name][rows][order] for name in _COLUMNS}
    data = table["data"][rows].reshape(len(key), -1)[order]
    first = column["cycle"].astype(np.int64)
    if len(key) > 1 and (key[1:] == key[:-1]).any():
        key, first, column, data = _joined(key, first, column, data)
    return Instructions(key, first, column, data)


def _joined(
    key: Keys, first: Ints, column: dict[str, Values], data: Values
) -> tuple[Keys, Ints, dict[str, Values], Values]:
    """Packets of the same instruction become one row: that of the last, with all lanes."""
    begin = np.flatnonzero(np.concatenate(([True], key[1:] != key[:-1])))
    end = np.append(begin[1:], len(key)) - 1
    lanes = np.arange(data.shape[1], dtype=np.uint64)
    written = (column["wmask"].astype(np.uint64)[:, None] >> lanes & np.uint64(1)).astype(data.dtype)
    merged = np.bitwise_or.reduceat(data * written, begin, axis=0)
    joined = {name: values[end] for name, values in column.items()}
    for name in ("wmask", "tmask", "flags"):
        joined[name] = np.bitwise_or.reduceat(column[name], begin)
    for name in ("next_pc", "next_mask"):  # with CONTROL in one packet only
        joined[name] = np.bitwise_or.reduceat(
            np.where(column["flags"] & CommitFlag.CONTROL, column[name], 0).astype(column[name].dtype), begin
        )
    return key[begin], first[begin], joined, merged


def instructions_between(recording: Recording, epochs: Epochs, first: int, last: int) -> Instructions:
    """Instructions that were in flight (decoded to committed) in some of the cycles `first` to `last`."""
    rows = recording[Kind.COMMIT].window(max(first - SLACK, 0), last + SLACK)
    found = read_instructions(recording, epochs, rows)
    return found.take((found.commit >= first) & (found.decode <= last))
