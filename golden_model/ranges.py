"""A set of address ranges, for questions like "is this address in a buffer of the host?"."""

from __future__ import annotations

import bisect
from collections.abc import Iterator


class AddressRanges:
    """Disjoint half-open ranges. Adding one that overlaps another replaces the overlapped ones."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._ends: list[int] = []

    def add(self, start: int, size: int) -> None:
        """Add [start, start + size). An empty range is ignored."""
        if size <= 0:
            return
        for known_start, known_end in list(self):
            if known_start < start + size and start < known_end:
                self.remove(known_start)
        at = bisect.bisect_left(self._starts, start)
        self._starts.insert(at, start)
        self._ends.insert(at, start + size)

    def remove(self, start: int) -> None:
        """Remove the range that begins at `start`, if there is one."""
        at = bisect.bisect_left(self._starts, start)
        if at < len(self._starts) and self._starts[at] == start:
            del self._starts[at]
            del self._ends[at]

    def clear(self) -> None:
        self._starts.clear()
        self._ends.clear()

    def overlaps(self, start: int, size: int) -> bool:
        """Whether a byte of [start, start + size) is in a range."""
        at = bisect.bisect_right(self._ends, start)
        return size > 0 and at < len(self._starts) and self._starts[at] < start + size

    def __contains__(self, addr: int) -> bool:
        at = bisect.bisect_right(self._starts, addr) - 1
        return at >= 0 and addr < self._ends[at]

    def __iter__(self) -> Iterator[tuple[int, int]]:
        return iter(zip(self._starts, self._ends, strict=True))

    def __len__(self) -> int:
        return len(self._starts)
