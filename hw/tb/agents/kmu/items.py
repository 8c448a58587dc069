"""Sequence items of the KMU agent: one item is one thing that a host does on the DCR bus or the start pin."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

from pyuvm import uvm_sequence_item

CACHE_FLUSH = 0x000
MPM_VALUE = 0x001


class CounterClass(IntEnum):
    """Classes of DCR 0x001 that the in-tree core has (docs/reference/vortex.md §3.5)."""

    BASE = 0
    ICACHE = 3
    DCACHE = 4


def mpm_tag(core: int, number: int, counter_class: int = CounterClass.BASE, *, high: bool = False) -> int:
    """Data field of a read of DCR 0x001 (docs/reference/vortex.md §4.2); `number` is the CSR's number - 0xB00."""
    return counter_class << 22 | (number + (32 if high else 0)) << 16 | core


class DcrWriteItem(uvm_sequence_item):
    """Writes of DCRs, one after the other."""

    def __init__(self, writes: Sequence[tuple[int, int]], name: str = "dcr_write") -> None:
        super().__init__(name)
        self.writes = tuple(writes)  # (address, value)


class DcrReadItem(uvm_sequence_item):
    """Reads of DCRs, one after the other; `values` has the responses afterwards."""

    def __init__(self, reads: Sequence[tuple[int, int]], name: str = "dcr_read") -> None:
        super().__init__(name)
        self.reads = tuple(reads)  # (address, tag)
        self.values: list[int] = []


class LaunchItem(uvm_sequence_item):
    """`start`, wait for busy to rise and fall, and for every write to be acknowledged.

    Attributes:
        rose: busy was seen; an empty grid may never raise it.
        cycles: from the cycle of `start` to the last cycle in which something moved.
    """

    def __init__(self, launch_id: int, max_cycles: int = 0, name: str = "launch") -> None:
        super().__init__(name)
        self.launch_id = launch_id
        self.max_cycles = max_cycles
        self.rose = False
        self.cycles = 0


class ResetItem(uvm_sequence_item):
    """Reset of the core and the memory responder; memory keeps its contents."""

    def __init__(self, name: str = "reset") -> None:
        super().__init__(name)


class RunItem(uvm_sequence_item):
    """Let the clock run for `cycles` cycles with no command."""

    def __init__(self, cycles: int, name: str = "run") -> None:
        super().__init__(name)
        self.cycles = cycles


KmuItem = DcrWriteItem | DcrReadItem | LaunchItem | ResetItem | RunItem
