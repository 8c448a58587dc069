"""Room in VRAM's staging region (docs/reference/pcie_bar.md, "BAR2 layout in Vortex mode")."""

from __future__ import annotations

import bisect

from golden_model.device import TABLE_BASE
from sw.runtime.errors import OutOfDeviceMemoryError

STAGING_BASE = 0x0200_0000
ALIGNMENT = 64


class Staging:
    """First fit between the start of the region and the image table, or VRAM's end if that comes first.

    With `skew`, ranges begin that many bytes behind a multiple of 64: legal, and hard on a remapper.
    """

    def __init__(self, vram_size: int, skew: int = 0) -> None:
        self._end = min(TABLE_BASE, vram_size)
        self._skew = skew % ALIGNMENT
        self._taken: list[tuple[int, int]] = []  # start, end; sorted

    def alloc(self, size: int) -> int:
        """Offset of `size` free bytes. Raises OutOfDeviceMemoryError."""
        start = STAGING_BASE + self._skew
        for taken, end in self._taken:
            if start + size <= taken:
                break
            start = -(-(end - self._skew) // ALIGNMENT) * ALIGNMENT + self._skew
        if start + size > self._end:
            raise OutOfDeviceMemoryError(f"no {size} bytes are left in the staging region of VRAM")
        bisect.insort(self._taken, (start, start + size))
        return start

    def free(self, start: int) -> None:
        """Give a range back by its offset."""
        self._taken = [taken for taken in self._taken if taken[0] != start]
