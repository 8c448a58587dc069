"""Placement of buffers in device memory (docs/reference/vortex.md §8.5)."""

from __future__ import annotations

import bisect
from dataclasses import dataclass

from config import HardwareConfig
from sw.runtime.errors import InvalidValueError, OutOfDeviceMemoryError

USER_BASE_ADDR = 0x0001_0000
BLOCK_ALIGN = 64
PAGE_SIZE = 4096


def round_up(value: int, unit: int) -> int:
    """Smallest multiple of `unit` that is not below `value`."""
    return (value + unit - 1) // unit * unit


@dataclass(frozen=True, order=True)
class Range:
    """Half-open byte range `[start, end)` and what occupies it."""

    start: int
    end: int
    name: str

    @property
    def size(self) -> int:
        return self.end - self.start


class Allocator:
    """First-fit allocator over the address space of one device.

    Buffers start at multiples of 64 bytes from 0x10000 upwards and end below the stacks of the configured harts.
    Reservations (images, fixed buffers) are rounded outwards to pages of 4096 bytes.
    """

    def __init__(self, hardware: HardwareConfig) -> None:
        self._memory_size = 1 << (32 if hardware.xlen == 32 else 33)
        self._ranges: list[Range] = []  # sorted, disjoint
        stacks = hardware.total_harts << hardware.stack_log2_size
        top = hardware.stack_base_addr + (1 << hardware.lmem_log_size)
        self._forbidden = Range(hardware.stack_base_addr - stacks, top, "the stacks and local memory of the harts")
        self._limit = self._forbidden.start

    @property
    def limit(self) -> int:
        """First address above everything that `alloc` may hand out."""
        return self._limit

    def alloc(self, size: int, name: str = "buffer") -> Range:
        """Place `size` bytes at the lowest free multiple of 64.

        Raises:
            InvalidValueError: size below 1.
            OutOfDeviceMemoryError: no gap is large enough.
        """
        if size < 1:
            raise InvalidValueError(f"cannot allocate {size} bytes for {name!r}: the size must be at least 1")
        start = USER_BASE_ADDR
        for taken in self._ranges:
            if taken.start >= start + size:
                break
            start = max(start, round_up(taken.end, BLOCK_ALIGN))
        if start + size > self._limit:
            raise OutOfDeviceMemoryError(
                f"cannot allocate {size} bytes for {name!r}: no free range of that size below {self._limit:#x}"
            )
        placed = Range(start, start + size, name)
        bisect.insort(self._ranges, placed)
        return placed

    def reserve(self, address: int, size: int, name: str = "reservation") -> Range:
        """Take a fixed range, rounded outwards to whole pages.

        Raises:
            InvalidValueError: size below 1, outside memory, or overlapping an allocation, the stacks or local memory.
        """
        if size < 1:
            raise InvalidValueError(f"cannot reserve {size} bytes for {name!r}: the size must be at least 1")
        if address < 0 or address + size > self._memory_size:
            raise InvalidValueError(
                f"cannot reserve [{address:#x}, {address + size:#x}) for {name!r}: "
                f"device memory ends at {self._memory_size:#x}"
            )
        wanted = Range(address // PAGE_SIZE * PAGE_SIZE, round_up(address + size, PAGE_SIZE), name)
        for taken in [*self._ranges, self._forbidden]:
            if wanted.start < taken.end and taken.start < wanted.end:
                raise InvalidValueError(
                    f"cannot reserve [{address:#x}, {address + size:#x}) for {name!r}: "
                    f"overlaps {taken.name} at [{taken.start:#x}, {taken.end:#x})"
                )
        bisect.insort(self._ranges, wanted)
        return wanted

    def free(self, start: int) -> None:
        """Give back the range that starts at `start`.

        Raises:
            InvalidValueError: nothing was allocated there (or it was freed before).
        """
        for index, taken in enumerate(self._ranges):
            if taken.start == start:
                del self._ranges[index]
                return
        raise InvalidValueError(f"cannot free {start:#x}: no allocation starts there")

    @property
    def used(self) -> int:
        """Bytes of all allocations and reservations."""
        return sum(taken.size for taken in self._ranges)

    @property
    def ranges(self) -> tuple[Range, ...]:
        return tuple(self._ranges)
