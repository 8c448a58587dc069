"""What a recording looks like on disk.

A folder with `meta.json` and, for every field of every record kind (golden_model/records/layout.py), a file
`<KIND>.<field>` that holds nothing but the values, little-endian, one row a record. So a column is mapped without being
read, and a file that ends in the middle of a row (its writer was killed) loses only that row.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from golden_model.records.layout import LAYOUT, Kind

VERSION = 1
META = "meta.json"
RECORDING = "recording"  # folder of a run's recording in its run folder
NAME = "vortex-cosim recording"

# Fields that a 32-bit design never fills further than 32 bits, and masks, which have at most 64 lanes or warps.
_ADDRESSES = frozenset({"pc", "next_pc", "lmem_addr"})
_LANE_MASKS = frozenset({"tmask", "next_mask", "wmask", "mask"})
_BUS = frozenset({Kind.AXI, Kind.DEVICE_AXI, Kind.RUN})


class RecordingError(ValueError):
    """A recording that cannot be written or read; one sentence with the path."""


@dataclass(frozen=True)
class Column:
    """One field of one kind: `dtype` of an element, `width` elements a row (1: a plain column)."""

    kind: Kind
    name: str
    dtype: np.dtype
    width: int

    @property
    def row_bytes(self) -> int:
        return self.dtype.itemsize * self.width

    def file(self, folder: Path) -> Path:
        return folder / f"{self.kind.name}.{self.name}"


def columns(kind: Kind, lanes: int, xlen: int) -> list[Column]:
    """Columns of a kind in the order of the record, without padding."""
    found = []
    for name, code, count in LAYOUT[kind]:
        if name == "pad":
            continue
        width = lanes if count == "lanes" else int(count)
        narrow = code == "u8" and _narrow(kind, name, count == "lanes", lanes, xlen)
        found.append(Column(kind, name, np.dtype("<u4" if narrow else "<" + code), width))
    return found


def _narrow(kind: Kind, name: str, per_lane: bool, lanes: int, xlen: int) -> bool:
    if kind in _BUS:
        return False
    if name in _LANE_MASKS:
        return lanes <= 32
    return xlen == 32 and (per_lane or name in _ADDRESSES)
