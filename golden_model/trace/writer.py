"""Writing a trace while the machine runs.

The file is a zip of numpy arrays, which `numpy.load` reads: `meta.json`, and for chunk k (from 000000) the members
`kkkkkk/<column>.npy`. Every chunk is complete on disk before the next begins, so a run that is stopped, even by a
signal that cannot be caught, leaves what was written until then.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from golden_model.step import BarrierEvent, IpdomEvent, MemoryAccess, Step
from golden_model.trace.columns import COLUMNS, NONE, VERSION, row_dtype
from golden_model.warp import Warp

CHUNK = 1 << 15  # rows


class TraceWriter:
    """Collects steps; use as a context manager, give `step` to `Watch`. Raises OSError if the file cannot be written.

    `about` goes into `meta.json` as it is. `rows` counts what was traced.
    """

    def __init__(self, path: Path, lanes: int, about: Mapping[str, object] | None = None, chunk: int = CHUNK) -> None:
        self.rows = 0
        self._path = path
        self._lanes = lanes
        self._buffer = np.zeros(chunk, row_dtype(lanes))
        self._used = 0
        self._chunks = 0
        self._none = [0] * lanes
        meta = {
            "format": "golden_model trace", "version": VERSION, "lanes": lanes, **(about or {}),
            "columns": {c.name: c.meaning for c in COLUMNS},
        }  # fmt: skip
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("meta.json", json.dumps(meta, indent=1))

    def __enter__(self) -> TraceWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.flush()

    def step(self, warp: Warp, step: Step) -> None:
        """Add one instruction."""
        resident = warp.resident
        block = resident.cta.block_idx if resident is not None else (0, 0, 0)
        memory, fault = step.memory, step.fault
        self._buffer[self._used] = (
            step.launch, step.core, step.warp, step.uid, step.slot, *block, warp.rank,
            step.pc, step.instr, step.tmask, step.next_pc, step.next_mask,
            step.rd_file, step.rd, step.wmask, step.undefined, self._lane_list(step.result, step.wmask),
            *self._memory(memory), *_barrier(step.barrier), *_ipdom(step.ipdom),
            *((NONE, 0) if fault is None else (fault.kind, fault.addr)),
        )  # fmt: skip
        self.rows += 1
        self._used += 1
        if self._used == len(self._buffer):
            self.flush()

    def flush(self) -> None:
        """Put what was collected into the file, as one chunk."""
        if not self._used:
            return
        with zipfile.ZipFile(self._path, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for column in COLUMNS:
                with archive.open(f"{self._chunks:06d}/{column.name}.npy", "w") as member:
                    rows = np.ascontiguousarray(self._buffer[column.name][: self._used])
                    np.lib.format.write_array(member, rows, allow_pickle=False)
        self._chunks += 1
        self._used = 0

    def _lane_list(self, values: list[int], mask: int) -> list[int]:
        """Values under the mask, 0 elsewhere."""
        if not mask or not values:
            return self._none
        return [value if mask >> lane & 1 else 0 for lane, value in enumerate(values)]

    def _memory(self, access: MemoryAccess | None) -> tuple[Any, ...]:
        if access is None:
            return (NONE, 0, 0, 0, 0, self._none, self._none)
        mask = access.mask
        return (
            access.op, access.space, access.size, mask, access.undefined & mask,
            self._lane_list(access.addr, mask), self._lane_list(access.data, mask),
        )  # fmt: skip


def _barrier(event: BarrierEvent | None) -> tuple[int, ...]:
    if event is None:
        return (NONE, 0, 0, 0, 0)
    return (event.op, event.id, event.count, event.phase, event.released)


def _ipdom(event: IpdomEvent | None) -> tuple[int, ...]:
    return (NONE, 0) if event is None else (event.op, event.sp)
