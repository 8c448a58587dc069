"""The first difference of two traces, whoever made them.

Instructions are put side by side by who executed them, each in its own order, since the order between warps is no
one's business: by warp (launch, core, warp), or by block (launch, block index, rank), when the two may have placed
blocks differently. Only columns that both traces have are compared, and only where both state a value.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from golden_model.trace.columns import BY_NAME, COLUMNS, PLACEMENT
from golden_model.trace.read import Trace, TraceError

KEYS = {
    "warp": ("launch", "core", "warp"),
    "block": ("launch", "block_x", "block_y", "block_z", "rank"),
}
_OF_UNSPECIFIED_ORDER = frozenset({"released"})  # who arrives last is a matter of timing


@dataclass(frozen=True, slots=True)
class Difference:
    """Where two traces part. Rows are indices from 0; a row is None where that trace has ended."""

    key: dict[str, int]  # who: the columns that put instructions side by side
    number: int  # instructions of that warp that agree before this one
    ours: int | None
    theirs: int | None
    columns: dict[str, tuple[list[int | None], list[int | None]]]  # name -> values (ours, theirs), one or one a lane


@dataclass(frozen=True, slots=True)
class Comparison:
    """Outcome: what was compared, and the difference that comes first in our trace."""

    by: tuple[str, ...]
    columns: tuple[str, ...]
    instructions: int  # pairs that were compared and agree
    difference: Difference | None


def compare(ours: Trace, theirs: Trace, by: str = "warp", ignore: Iterable[str] = ()) -> Comparison:
    """Compare. Raises TraceError if there is nothing to put side by side."""
    keys = tuple(name for name in KEYS[by] if name in ours.columns and name in theirs.columns)
    skipped = set(ignore) | (PLACEMENT if by == "block" else set()) | set(keys) | _OF_UNSPECIFIED_ORDER
    names = tuple(
        c.name for c in COLUMNS if c.name in ours.columns and c.name in theirs.columns and c.name not in skipped
    )
    if not names:
        raise TraceError("the traces have no column in common that could be compared")
    mine, other = _groups(ours, keys), _groups(theirs, keys)
    different = _Different(ours, theirs, names)
    found: list[tuple[int, Difference]] = []
    agreed = 0
    for key, rows in mine.items():
        opposite = other.get(key, np.zeros(0, np.int64))
        common = min(len(rows), len(opposite))
        wrong = different.first(rows[:common], opposite[:common])
        who = dict(zip(keys, key, strict=True))
        if wrong is not None:
            agreed += wrong
            a, b = int(rows[wrong]), int(opposite[wrong])
            found.append((a, Difference(who, wrong, a, b, different.at(a, b))))
        elif len(rows) != len(opposite):
            agreed += common
            at = int(rows[common]) if len(rows) > common else None
            found.append(
                (
                    at if at is not None else len(ours),
                    Difference(who, common, at, int(opposite[common]) if at is None else None, {}),
                )
            )
        else:
            agreed += common
    for key, rows in other.items():
        if key not in mine:
            found.append((len(ours), Difference(dict(zip(keys, key, strict=True)), 0, None, int(rows[0]), {})))
    first = min(found, key=lambda item: item[0])[1] if found else None
    return Comparison(keys, names, agreed, first)


def _groups(trace: Trace, keys: tuple[str, ...]) -> dict[tuple[int, ...], np.ndarray]:
    """Rows of each warp, in order; warps in order of their first row."""
    if not len(trace):
        return {}
    if not keys:
        return {(): np.arange(len(trace))}
    table = np.stack([trace.columns[name].astype(np.uint64) for name in keys], axis=1)
    unique, first, inverse = np.unique(table, axis=0, return_index=True, return_inverse=True)
    inverse = inverse.reshape(-1)
    order = np.argsort(inverse, kind="stable")
    parts = np.split(order, np.searchsorted(inverse[order], np.arange(1, len(unique))))
    return {tuple(int(v) for v in unique[i]): parts[i] for i in np.argsort(first)}


class _Different:
    """Compares rows of two traces."""

    def __init__(self, ours: Trace, theirs: Trace, names: tuple[str, ...]) -> None:
        self._columns = {}
        lanes = min(ours.lanes, theirs.lanes)
        for name in names:
            a, b = ours.columns[name], theirs.columns[name]
            known = ours.known(name), theirs.known(name)
            if BY_NAME[name].lanes:
                a, b, known = a[:, :lanes], b[:, :lanes], (known[0][:, :lanes], known[1][:, :lanes])
            self._columns[name] = (a, known[0], b, known[1])

    def first(self, rows: np.ndarray, opposite: np.ndarray) -> int | None:
        """Index of the first pair that differs."""
        differs = np.zeros(len(rows), bool)
        for a, a_known, b, b_known in self._columns.values():
            wrong = (a[rows] != b[opposite]) & a_known[rows] & b_known[opposite]
            differs |= wrong if wrong.ndim == 1 else wrong.any(axis=1)
        return int(np.argmax(differs)) if differs.any() else None

    def at(self, row: int, opposite: int) -> dict[str, tuple[list[int | None], list[int | None]]]:
        """The columns that differ in one pair."""
        found = {}
        for name, (a, a_known, b, b_known) in self._columns.items():
            if ((a[row] != b[opposite]) & a_known[row] & b_known[opposite]).any():
                found[name] = (_values(a[row], a_known[row]), _values(b[opposite], b_known[opposite]))
        return found


def _values(values: np.ndarray, known: np.ndarray) -> list[int | None]:
    pairs = zip(np.atleast_1d(values).tolist(), np.atleast_1d(known).tolist(), strict=True)
    return [value if is_known else None for value, is_known in pairs]
