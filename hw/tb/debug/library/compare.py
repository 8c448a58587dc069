"""The first instruction in which two recorded runs differ, block by block, wherever the hardware placed the blocks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from golden_model.records.layout import CommitFlag
from hw.tb.debug.library.instructions import Instructions
from hw.tb.debug.library.residents import Residents, WarpLife

# A warp of a run by what it worked for: launch (counted from 0), block, rank, how often that came before.
Place = tuple[int, tuple[int, ...], int, int]
_CONTROL = CommitFlag.CONTROL


@dataclass(frozen=True)
class Deviation:
    """Where two runs part. Keys name the instruction in each run; None: that run has no such instruction."""

    field: str
    place: Place
    number: int  # instruction of the warp's life, from 0
    mine: int | None
    other: int | None


def lives_by_place(residents: Residents) -> dict[Place, WarpLife]:
    """Every warp life under a name that does not depend on placement; lives that WSPAWN began keep their hart."""
    launches = {launch: at for at, launch in enumerate(sorted({life.launch for life in residents.warps}))}
    seen: dict[tuple[int, tuple[int, ...], int], int] = {}
    found: dict[Place, WarpLife] = {}
    for life in residents.warps:
        who = life.block if life.block is not None else (-1, life.core, life.warp)
        name = (launches[life.launch], who, life.rank)
        found[(*name, seen.setdefault(name, 0))] = life
        seen[name] += 1
    return found


def rows_of(table: Instructions, life: WarpLife) -> slice:
    """Rows of the instructions of one life."""
    last = life.end_uid if life.end_uid is not None else (1 << 36) - 1
    ends = np.array([life.stream << 36 | life.uid, life.stream << 36 | last], np.uint64)
    begin, end = np.searchsorted(table.key, ends)
    return slice(int(begin), int(end))


def deviations(mine: Instructions, own: Residents, other: Instructions, theirs: Residents) -> Iterator[Deviation]:
    """The first deviation of each warp life that has one, in no order; placement and timing are no deviations."""
    left, right = lives_by_place(own), lives_by_place(theirs)
    for place in {**left, **right}:
        a = rows_of(mine, left[place]) if place in left else slice(0, 0)
        b = rows_of(other, right[place]) if place in right else slice(0, 0)
        found = _first(mine, a, other, b)
        if found is not None:
            name, number = found
            keys = [
                int(table.key[rows.start + number]) if number < rows.stop - rows.start else None
                for table, rows in ((mine, a), (other, b))
            ]
            yield Deviation(name, place, number, keys[0], keys[1])


def _first(mine: Instructions, a: slice, other: Instructions, b: slice) -> tuple[str, int] | None:
    both = min(a.stop - a.start, b.stop - b.start)
    a_rows, b_rows = slice(a.start, a.start + both), slice(b.start, b.start + both)
    found: tuple[str, int] | None = None
    for name in ("pc", "instr", "tmask", "rd_file", "rd", "wmask", "data", "next_pc", "next_mask"):
        if name == "data":
            differs = _data_differs(mine, a_rows, other, b_rows)
        else:
            differs = mine.column[name][a_rows] != other.column[name][b_rows]
        if name.startswith("next"):
            differs &= (mine.column["flags"][a_rows] & other.column["flags"][b_rows] & _CONTROL) != 0
        at = np.flatnonzero(differs)
        if len(at) and (found is None or int(at[0]) < found[1]):
            found = (name, int(at[0]))
    if found is None and (a.stop - a.start) != (b.stop - b.start):
        return "number of instructions", both
    return found


def _data_differs(mine: Instructions, a: slice, other: Instructions, b: slice) -> np.ndarray:
    lanes = np.arange(mine.data.shape[1], dtype=np.uint64)
    written = mine.column["wmask"][a].astype(np.uint64)[:, None] >> lanes & np.uint64(1) != 0
    differs: np.ndarray = ((mine.data[a] != other.data[b]) & written).any(axis=1)
    return differs
