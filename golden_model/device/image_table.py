"""The image table `QXBV`: reading it from VRAM and every way in which it can be bad (docs/reference/pcie_bar.md).

A header of four u32 (magic, version, num_entries, reserved), then entries of three u64 (vma, vram_offset, size).
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from golden_model.device.config import TABLE_BASE, TABLE_REGION, DeviceConfig
from golden_model.memory import Memory

MAGIC = b"QXBV"
VERSION = 1
HEADER_SIZE = 16
ENTRY_SIZE = 24
REGION_ENTRIES = (TABLE_REGION - HEADER_SIZE) // ENTRY_SIZE

_HEADER = struct.Struct("<4sIII")
_ENTRY = struct.Struct("<QQQ")


@dataclass(frozen=True, slots=True)
class TableEntry:
    """The cores' addresses [vma, vma + size) are VRAM [vram_offset, vram_offset + size)."""

    vma: int
    vram_offset: int
    size: int

    @property
    def vma_end(self) -> int:
        return self.vma + self.size

    @property
    def vram_end(self) -> int:
        return self.vram_offset + self.size

    def covers(self, addr: int) -> bool:
        return self.vma <= addr < self.vma_end


class TableProblem(Enum):
    """Why a table is bad; the value completes "the image table …"."""

    OUTSIDE_VRAM = "does not lie in VRAM as a whole"
    WRONG_MAGIC = "does not begin with QXBV"
    WRONG_VERSION = "has another version than 1"
    BEYOND_REGION = "has more entries than the table region holds"
    BEYOND_HARDWARE = "has more entries than the hardware holds"
    EMPTY_ENTRY = "has an entry of size 0"
    LEAVES_VRAM = "has an entry that leaves VRAM"
    WRAPS = "has an entry that wraps the address space of the cores"
    OVERLAPS_TABLE = "has an entry that overlaps the table itself"
    OUT_OF_ORDER = "has entries that are not in the order of their vma"
    OVERLAP_VMA = "has entries that overlap in vma"
    OVERLAP_VRAM = "has entries that overlap in VRAM"
    KERNEL_NOT_COVERED = "has no entry that covers KERNEL_ADDR"
    STARTUP_NOT_COVERED = "has no entry that covers STARTUP_ADDR"
    ARGS_NOT_COVERED = "has no entry that covers KERNEL_ARGS"


class TableError(Exception):
    """A bad table; `problem` names the first rule broken, `entry` the entry at fault if there is one."""

    def __init__(self, problem: TableProblem, entry: int | None = None) -> None:
        super().__init__(f"the image table {problem.value}" + ("" if entry is None else f" (entry {entry})"))
        self.problem = problem
        self.entry = entry


def encode_table(entries: Sequence[TableEntry]) -> bytes:
    """The bytes that a host writes at 0x03FF_0000."""
    packed = b"".join(_ENTRY.pack(entry.vma, entry.vram_offset, entry.size) for entry in entries)
    return _HEADER.pack(MAGIC, VERSION, len(entries), 0) + packed


def read_table(vram: Memory, config: DeviceConfig) -> list[TableEntry]:
    """Read and check the table. Raises TableError with the first problem in reading order."""
    if vram.size < TABLE_BASE + HEADER_SIZE:
        raise TableError(TableProblem.OUTSIDE_VRAM)
    magic, version, count, _ = _HEADER.unpack(vram.read(TABLE_BASE, HEADER_SIZE))
    if magic != MAGIC:
        raise TableError(TableProblem.WRONG_MAGIC)
    if version != VERSION:
        raise TableError(TableProblem.WRONG_VERSION)
    if count > REGION_ENTRIES:
        raise TableError(TableProblem.BEYOND_REGION)
    if count > config.table_entries:
        raise TableError(TableProblem.BEYOND_HARDWARE)
    table_end = TABLE_BASE + HEADER_SIZE + count * ENTRY_SIZE
    if table_end > vram.size:
        raise TableError(TableProblem.OUTSIDE_VRAM)
    packed = vram.read(TABLE_BASE + HEADER_SIZE, count * ENTRY_SIZE)
    entries = [TableEntry(*fields) for fields in _ENTRY.iter_unpack(packed)]
    for index, entry in enumerate(entries):
        problem = _problem_of(entry, entries[:index], table_end, vram.size, 1 << config.hardware.xlen)
        if problem is not None:
            raise TableError(problem, index)
    return entries


def check_covered(entries: Sequence[TableEntry], kernel: int, startup: int, args: int) -> None:
    """The addresses of a launch must lie in entries; `args` 0 means no block. Raises TableError."""
    for problem, addr, needed in (
        (TableProblem.KERNEL_NOT_COVERED, kernel, True),
        (TableProblem.STARTUP_NOT_COVERED, startup, True),
        (TableProblem.ARGS_NOT_COVERED, args, args != 0),
    ):
        if needed and not any(entry.covers(addr) for entry in entries):
            raise TableError(problem)


def _problem_of(
    entry: TableEntry, before: Sequence[TableEntry], table_end: int, vram_size: int, address_space: int
) -> TableProblem | None:
    previous = before[-1] if before else None
    rules = (
        (TableProblem.EMPTY_ENTRY, entry.size == 0),
        (TableProblem.LEAVES_VRAM, entry.vram_end > vram_size),
        (TableProblem.WRAPS, entry.vma_end > address_space),
        (TableProblem.OVERLAPS_TABLE, entry.vram_offset < table_end and entry.vram_end > TABLE_BASE),
        (TableProblem.OUT_OF_ORDER, previous is not None and entry.vma < previous.vma),
        (TableProblem.OVERLAP_VMA, previous is not None and entry.vma < previous.vma_end),
        (
            TableProblem.OVERLAP_VRAM,
            any(entry.vram_offset < other.vram_end and other.vram_offset < entry.vram_end for other in before),
        ),
    )
    return next((problem for problem, broken in rules if broken), None)
