"""The ring file that carries records from the simulator to Python (docs/architecture.md, section "Records").

`RingReader` maps the file and hands out structured arrays, one per record kind; with `recover=True` it reads what a
dead simulator left behind, without changing the file. `RingWriter` is the same writer in Python, for tests and for
record streams that no simulator made.
"""

from __future__ import annotations

import mmap
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np
import numpy.typing as npt

from golden_model.records.layout import VERSION, Kind, dtype

Records = npt.NDArray[np.void]
Batch = dict[Kind, Records]

MAGIC = b"VXRECORD"
HEADER_SIZE = 4096
TABLE_OFFSET = 64
MAX_LANES = 64

_HEAD = np.dtype([("magic", "S8"), ("version", "<u4"), ("lanes", "<u4"), ("kinds", "<u4"), ("header", "<u4")])
_ENTRY = np.dtype(
    {
        "names": ["size", "capacity", "offset", "head", "tail", "lost"],
        "formats": ["<u4", "<u4", "<u8", "<u8", "<u8", "<u8"],
        "offsets": [0, 4, 8, 16, 24, 32],
        "itemsize": 64,
    }
)


class RecordError(ValueError):
    """A ring file that cannot be read, or records that are missing; the message says what and where."""


class RingReader:
    """Reader of one ring file.

    Args:
        path: the ring file.
        recover: read a file whose writer is gone. All records that are still in the rings are delivered, whether
            they had been read before or not, and the file is not changed.

    Raises:
        RecordError: the file is missing, is not a ring file, or was written with another layout.
    """

    def __init__(self, path: Path, *, recover: bool = False) -> None:
        self.path = path
        self.recover = recover
        try:
            with path.open("rb" if recover else "r+b") as file:
                access = mmap.ACCESS_READ if recover else mmap.ACCESS_WRITE
                self._map = mmap.mmap(file.fileno(), 0, access=access)
        except OSError as error:
            raise RecordError(f"{path}: the record file cannot be opened: {error.strerror}") from error
        except ValueError as error:  # mmap refuses an empty file
            raise RecordError(f"{path}: the record file is empty; its writer never started") from error
        self.lanes = _check_head(path, self._map)
        self._table: Records = np.frombuffer(self._map, _ENTRY, len(Kind), TABLE_OFFSET)
        self._dtypes = {kind: dtype(kind, self.lanes) for kind in Kind}
        self._rings = {kind: self._ring(kind) for kind in Kind}
        self._heads, self._lost = self._table["head"], self._table["lost"]
        self._nothing = {kind: np.zeros(0, self._dtypes[kind]) for kind in Kind}
        self._next_seq: int | None = None
        # Where reading goes on; in recovery mode the file's own tail stays as it was.
        self._tails = {kind: self._first(kind) for kind in Kind}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drop the mapping; batches that were handed out stay valid (they are copies)."""
        del self._table, self._heads, self._lost
        del self._rings
        self._map.close()

    def pending(self, kind: Kind) -> int:
        """Records of one kind that are written and not yet read."""
        return int(self._table["head"][kind]) - self._tails[kind]

    def lost(self) -> dict[Kind, int]:
        """Records per kind that were overwritten before they were read; empty if none."""
        return {kind: int(self._table["lost"][kind]) for kind in Kind if self._table["lost"][kind]}

    def read(self, *, copy: bool = True) -> Batch:
        """Take everything that is pending: a structured array per kind, in the order of writing.

        Args:
            copy: False gives views of the ring where possible, which the writer overwrites as soon as it runs again.

        Raises:
            RecordError: records were overwritten before they were read, or `seq` has a gap. A comparison must not
                go on after that. In recovery mode neither is an error, because the oldest records are gone anyway.
        """
        # Most kinds have nothing new at most drains, and this runs between two stretches of simulation with cold
        # caches: the table is looked at once, as plain integers.
        batch = dict(self._nothing)
        tails = self._tails
        for kind, head in zip(Kind, self._heads.tolist(), strict=True):
            if head != tails[kind]:
                batch[kind] = self._take(kind, head, copy)
        if not self.recover:
            self._check_complete(batch)
        return batch

    # ------------------------------------------------------------------ inside

    def _ring(self, kind: Kind) -> Records:
        entry = self._table[kind]
        wanted = self._dtypes[kind].itemsize
        size, capacity, offset = int(entry["size"]), int(entry["capacity"]), int(entry["offset"])
        name = f"{self.path}: ring of {kind.name} records"
        if size != wanted:
            raise RecordError(f"{name} has records of {size} bytes, this version's layout has {wanted}")
        if capacity == 0:
            raise RecordError(f"{name} has room for no record (capacity 0)")
        if offset < HEADER_SIZE or offset + size * capacity > len(self._map):
            raise RecordError(
                f"{name} lies at bytes {offset} to {offset + size * capacity}, "
                f"outside the file of {len(self._map)} bytes"
            )
        head, tail = int(entry["head"]), int(entry["tail"])
        if tail > head:
            raise RecordError(f"{name} has been read further ({tail} records) than it was written ({head} records)")
        return np.frombuffer(self._map, self._dtypes[kind], capacity, offset)

    def _first(self, kind: Kind) -> int:
        head, tail = int(self._table["head"][kind]), int(self._table["tail"][kind])
        if not self.recover:
            return tail
        capacity = len(self._rings[kind])
        # The oldest record of a full ring shares its place with the one that was being written at the end.
        return head - capacity + 1 if head >= capacity else 0

    def _take(self, kind: Kind, head: int, copy: bool) -> Records:
        ring = self._rings[kind]
        tail, capacity = self._tails[kind], len(ring)
        if head - tail > capacity:
            raise RecordError(
                f"{self.path}: {head - tail - capacity} {kind.name} records were overwritten before they were read "
                f"(ring of {capacity}); drain the rings more often or make them larger"
            )
        first, end = tail % capacity, tail % capacity + (head - tail)
        if end <= capacity and not copy:
            records = ring[first:end]
        else:
            # As rows of bytes: numpy copies structured elements field by field, 17 times slower.
            rows = ring.view(np.uint8).reshape(capacity, -1)
            taken = (
                rows[first:end].copy() if end <= capacity else np.concatenate((rows[first:], rows[: end - capacity]))
            )
            records = taken.reshape(-1).view(ring.dtype)
        self._tails[kind] = head
        if not self.recover:
            self._table["tail"][kind] = head
        return records

    def _check_complete(self, batch: Mapping[Kind, Records]) -> None:
        if self._lost.any():
            lost = self.lost()
            what = ", ".join(f"{number} {kind.name}" for kind, number in lost.items())
            raise RecordError(f"{self.path}: records were overwritten before they were read: {what}")
        seqs = [records["seq"] for records in batch.values() if len(records)]
        if not seqs:
            return
        first = min(int(seq[0]) for seq in seqs)
        last = max(int(seq[-1]) for seq in seqs)
        number = sum(len(seq) for seq in seqs)
        expected = first if self._next_seq is None else self._next_seq
        if first != expected or last - first + 1 != number:
            raise RecordError(
                f"{self.path}: sequence numbers {first} to {last} do not count up without a gap from {expected} "
                f"({number} records read); the record stream is damaged"
            )
        self._next_seq = last + 1


class RingWriter:
    """Writer of a ring file, with the rules of the C++ writer; `seq` is filled in here."""

    def __init__(self, path: Path, lanes: int, capacity: int | Mapping[Kind, int] = 4096) -> None:
        self.path = path
        self.lanes = lanes
        capacities = {kind: capacity if isinstance(capacity, int) else capacity[kind] for kind in Kind}
        offsets: dict[Kind, int] = {}
        end = HEADER_SIZE
        for kind in Kind:
            offsets[kind] = end
            end += -(-dtype(kind, lanes).itemsize * capacities[kind] // 64) * 64
        with path.open("w+b") as file:
            file.truncate(end)
            self._map = mmap.mmap(file.fileno(), end)
        head = np.frombuffer(self._map, _HEAD, 1)
        head[0] = (MAGIC, VERSION, lanes, len(Kind), HEADER_SIZE)
        self._table: Records = np.frombuffer(self._map, _ENTRY, len(Kind), TABLE_OFFSET)
        self._rings: dict[Kind, Records] = {}
        for kind in Kind:
            self._table[kind] = (dtype(kind, lanes).itemsize, capacities[kind], offsets[kind], 0, 0, 0)
            self._rings[kind] = np.frombuffer(self._map, dtype(kind, lanes), capacities[kind], offsets[kind])
        self._seq = 0

    def write(self, kind: Kind, **fields: object) -> None:
        """Append one record; fields that are not named are zero."""
        record = np.zeros(1, dtype(kind, self.lanes))
        for name, value in fields.items():
            record[name] = value
        self.append(kind, record)

    def append(self, kind: Kind, records: Records) -> None:
        """Append records of one kind; their `seq` is replaced by the running number."""
        ring = self._rings[kind]
        for record in records:
            head = int(self._table["head"][kind])
            if head - int(self._table["tail"][kind]) >= len(ring):
                self._table["tail"][kind] += 1
                self._table["lost"][kind] += 1
            ring[head % len(ring)] = record
            ring["seq"][head % len(ring)] = self._seq
            self._seq += 1
            self._table["head"][kind] = head + 1

    def close(self) -> None:
        del self._table
        del self._rings
        self._map.close()


def _check_head(path: Path, data: mmap.mmap) -> int:
    if len(data) < HEADER_SIZE:
        raise RecordError(f"{path}: {len(data)} bytes are too few for a record file (its header has {HEADER_SIZE})")
    magic, version, lanes, kinds, header = np.frombuffer(data, _HEAD, 1)[0].item()
    if magic != MAGIC:
        raise RecordError(f"{path}: not a record file: it starts with {data[:8]!r} instead of {MAGIC!r}")
    if version != VERSION:
        raise RecordError(f"{path}: written with record layout {version}, this version reads layout {VERSION}")
    if not 1 <= lanes <= MAX_LANES:
        raise RecordError(f"{path}: the header says {lanes} lanes; between 1 and {MAX_LANES} are possible")
    if kinds != len(Kind):
        raise RecordError(f"{path}: has {kinds} record kinds, this version's layout has {len(Kind)}")
    if header != HEADER_SIZE:
        raise RecordError(f"{path}: has a header of {header} bytes, this version's layout has {HEADER_SIZE}")
    return int(lanes)
