"""One batch in front of C: where the records lie, and how far they are consumed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from golden_model.fast import follow_layout as layout
from golden_model.follow.track import Track
from golden_model.records.layout import Kind
from golden_model.records.ring import Records

JOINED = {layout.MEMORY: Kind.MEMORY, layout.BARRIER: Kind.BARRIER, layout.IPDOM: Kind.IPDOM}


class Rest(NamedTuple):
    """What is left of a batch: records to be filed, records in their order, warps to be woken (the last one first)."""

    joined: dict[Kind, Records]
    merged: dict[Kind, Records]
    woken: list[Track]


class Cursor:
    """The position is kept in C's structure `F`, which this object fills in.

    Attributes:
        arrays: the records that the follower reads, contiguous.
    """

    def __init__(self, f: Any, batch: Mapping[Kind, Records]) -> None:
        self._f = f
        self.arrays = {kind: np.ascontiguousarray(batch[kind]) for kind in layout.FOLLOWED if kind in batch}
        for kind in layout.FOLLOWED:
            name, records = kind.name.lower(), self.arrays.get(kind)
            setattr(f, f"n_{name}", 0 if records is None else len(records))
            setattr(f, f"i_{name}", 0)
            if records is not None:
                setattr(f, name, records.ctypes.data)
        f.i_seen = f.depth = f.checked = 0

    def fits(self, sizes: Mapping[Kind, int]) -> bool:
        """Whether the records have as many lanes as C believes."""
        return all(not len(records) or records.dtype.itemsize == sizes[kind] for kind, records in self.arrays.items())

    def take(self, kind: Kind) -> Records:
        """The next record of a kind, alone; C goes on behind it."""
        name = f"i_{kind.name.lower()}"
        number = getattr(self._f, name)
        setattr(self._f, name, number + 1)
        return self.arrays[kind][number : number + 1]

    def rest(self, woken: list[Track]) -> Rest:
        """What C has not consumed."""

        def left(kinds: Iterable[Kind]) -> dict[Kind, Records]:
            return {
                kind: self.arrays[kind][getattr(self._f, f"i_{kind.name.lower()}") :]
                for kind in kinds
                if kind in self.arrays
            }

        merged = left((Kind.COMMIT, Kind.CTA))
        if Kind.BARRIER in self.arrays:
            merged[Kind.BARRIER] = self.arrays[Kind.BARRIER][self._f.i_seen :]
        return Rest(left(JOINED.values()), merged, woken)
