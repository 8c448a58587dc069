"""Who wrote a byte of memory: the stores and atomics of a recording, newest first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from golden_model.records.layout import Kind, MemoryOp, MemorySpace
from hw.tb.debug.library.instructions import Epochs
from hw.tb.debug.recording import Recording

_CHUNK = 1 << 16


@dataclass(frozen=True)
class Access:
    """A write of one lane; `data` is the store operand (of an atomic the operand, not what memory holds then)."""

    key: int
    seq: int
    cycle: int
    core: int
    warp: int
    uid: int
    lane: int
    addr: int
    size: int
    data: int
    atomic: bool

    def __str__(self) -> str:
        what = "atomic on" if self.atomic else "store to"
        return (
            f"cycle {self.cycle:,}  core {self.core} warp {self.warp} uid {self.uid} lane {self.lane}: {what} "
            f"{self.size} bytes at {self.addr:#x}, operand {self.data:#x}"
        )


def writers(
    recording: Recording,
    epochs: Epochs,
    addr: int,
    size: int = 1,
    *,
    before_seq: int | None = None,
    space: MemorySpace = MemorySpace.GLOBAL,
    core: int | None = None,
    limit: int = 1,
) -> list[Access]:
    """Up to `limit` writes of some of `size` bytes at `addr`, newest first, of records before `before_seq`.

    The order is that of the LSUs. Writes of the host and of the loader have no record.
    """
    table = recording[Kind.MEMORY]
    end = len(table) if before_seq is None else int(table["seq"].searchsorted(before_seq, "left"))
    found: list[Access] = []
    lanes = np.arange(recording.lanes, dtype=np.uint64)
    while end > 0 and len(found) < limit:
        rows = slice(max(0, end - _CHUNK), end)
        end = rows.start
        op = table["op"][rows]
        wanted = ((op == MemoryOp.STORE) | (op == MemoryOp.ATOMIC)) & (table["space"][rows] == space)
        if core is not None:
            wanted &= table["core"][rows] == core
        chosen = np.flatnonzero(wanted)
        if not len(chosen):
            continue
        low = table["addr"][rows].reshape(len(op), -1)[chosen].astype(np.int64)
        width = table["size"][rows][chosen].astype(np.int64)[:, None]
        active = table["mask"][rows].astype(np.uint64)[chosen][:, None] >> lanes & np.uint64(1) != 0
        hits = active & (low < addr + size) & (low + width > addr)
        keys = None
        for at, lane in reversed(np.argwhere(hits).tolist()):
            row = int(chosen[at])
            if keys is None:
                keys = epochs.keys(recording, Kind.MEMORY, rows)
            index = rows.start + row
            found.append(
                Access(
                    key=int(keys[row]),
                    seq=int(table["seq"][index]),
                    cycle=int(table["cycle"][index]),
                    core=int(table["core"][index]),
                    warp=int(table["warp"][index]),
                    uid=int(table["uid"][index]),
                    lane=lane,
                    addr=int(low[at, lane]),
                    size=int(table["size"][index]),
                    data=int(table["data"][index].reshape(-1)[lane]),
                    atomic=int(table["op"][index]) == MemoryOp.ATOMIC,
                )
            )
            if len(found) == limit:
                break
    return found
