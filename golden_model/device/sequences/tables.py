"""Image tables that break exactly one rule each."""

from __future__ import annotations

import struct
from collections.abc import Callable

from golden_model.device.config import TABLE_BASE
from golden_model.device.image_table import HEADER_SIZE, REGION_ENTRIES, TableEntry, TableProblem, encode_table

Entries = list[TableEntry]
_ABOVE = 0xA000_0000  # a vma above everything in a good table


def broken_table(
    problem: TableProblem, good: Entries, startup: int, vram_size: int, hardware_entries: int, xlen: int
) -> bytes:
    """A table like `good` (arguments in the first entry, code in the last) whose only problem is `problem`.

    `startup` lies in the last entry, before the kernel. Raises ValueError for a problem that no content of a table can
    have (`OUTSIDE_VRAM`).
    """
    if problem is TableProblem.STARTUP_NOT_COVERED:
        cut = startup + 4 - good[-1].vma
        rest = TableEntry(good[-1].vma + cut, good[-1].vram_offset + cut, good[-1].size - cut)
        return encode_table([*good[:-1], rest])
    if problem in _HEADERS:
        return _HEADERS[problem](encode_table(good), hardware_entries)
    change = _ENTRIES.get(problem)
    if change is None:
        raise ValueError(f"{problem.name} is not a property of what the table holds")
    return encode_table(change(list(good), vram_size, 1 << xlen))


def _patched(table: bytes, offset: int, value: int) -> bytes:
    return table[:offset] + struct.pack("<I", value) + table[offset + 4 :]


_HEADERS: dict[TableProblem, Callable[[bytes, int], bytes]] = {
    TableProblem.WRONG_MAGIC: lambda table, _: b"QXBW" + table[4:],
    TableProblem.WRONG_VERSION: lambda table, _: _patched(table, 4, 2),
    TableProblem.BEYOND_REGION: lambda table, _: _patched(table, 8, REGION_ENTRIES + 1),
    TableProblem.BEYOND_HARDWARE: lambda table, limit: _patched(table, 8, limit + 1),
}

_ENTRIES: dict[TableProblem, Callable[[Entries, int, int], Entries]] = {
    TableProblem.EMPTY_ENTRY: lambda good, vram, space: [*good, TableEntry(_ABOVE, 0x9000, 0)],
    TableProblem.LEAVES_VRAM: lambda good, vram, space: [*good, TableEntry(_ABOVE, vram - 0x10, 0x11)],
    TableProblem.WRAPS: lambda good, vram, space: [*good, TableEntry(space - 0x10, 0x9000, 0x11)],
    TableProblem.OVERLAPS_TABLE: lambda good, vram, space: [
        *good,
        TableEntry(_ABOVE, TABLE_BASE + HEADER_SIZE + 24 * (len(good) + 1) - 1, 1),
    ],
    TableProblem.OUT_OF_ORDER: lambda good, vram, space: good[::-1],
    TableProblem.OVERLAP_VMA: lambda good, vram, space: [*good, TableEntry(good[-1].vma_end - 1, 0x9000, 0x10)],
    TableProblem.OVERLAP_VRAM: lambda good, vram, space: [*good, TableEntry(_ABOVE, good[-1].vram_end - 1, 0x10)],
    TableProblem.KERNEL_NOT_COVERED: lambda good, vram, space: good[:-1],
    TableProblem.ARGS_NOT_COVERED: lambda good, vram, space: good[1:],
}
