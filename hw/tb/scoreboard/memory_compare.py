"""Final memory: every byte that the golden model knows, against the bytes that the device holds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from golden_model.follow.difference import Category, Difference
from golden_model.memory import PAGE_SIZE, Memory

Bytes = npt.NDArray[np.uint8]
SHOWN_BYTES = 16


@dataclass
class MemoryComparison:
    """Result of one comparison."""

    compared: int = 0  # bytes
    differing: list[int] = field(default_factory=list)  # addresses, ascending
    pages: list[int] = field(default_factory=list)  # pages with a difference


def compare_memory(golden: Memory, device: Bytes) -> MemoryComparison:
    """Compare all pages that the golden model has used; bytes that it holds to be undefined are skipped.

    Args:
        golden: memory of the golden model.
        device: memory of the device, index = address.
    """
    return compare_ranges(golden, device, [(page, PAGE_SIZE) for page in golden.pages()])


def compare_ranges(golden: Memory, device: Bytes, ranges: Iterable[tuple[int, int]]) -> MemoryComparison:
    """Compare ranges of (address, size), page by page."""
    result = MemoryComparison()
    for first, size in ranges:
        for page in range(first // PAGE_SIZE * PAGE_SIZE, min(first + size, len(device)), PAGE_SIZE):
            start, end = max(first, page), min(first + size, page + PAGE_SIZE, len(device))
            defined = np.frombuffer(golden.undefined(start, end - start), np.uint8) == 0
            result.compared += int(np.count_nonzero(defined))
            wrong = defined & (np.frombuffer(golden.read(start, end - start), np.uint8) != device[start:end])
            if wrong.any():
                result.pages.append(page)
                result.differing += (start + np.flatnonzero(wrong)).tolist()
    return result


def memory_difference(
    golden: Memory, device: Bytes, found: MemoryComparison, regions: dict[str, tuple[int, int]], launch: int
) -> Difference:
    """Explain a comparison that failed.

    Args:
        regions: name -> (address, size) of what the host allocated or loaded, to name the place.
    """
    address = found.differing[0]
    start = address // SHOWN_BYTES * SHOWN_BYTES
    where = next(
        (
            f"{name} + {address - first:#x}"
            for name, (first, size) in regions.items()
            if first <= address < first + size
        ),
        "memory that the host did not allocate (stack or thread-local data)",
    )
    return Difference(
        check="final memory",
        category=Category.MEMORY,
        message=f"{len(found.differing)} bytes differ after the launch; the first at {address:#x}, in {where}",
        launch=launch,
        expected=f"{start:#x}: {golden.read(start, SHOWN_BYTES).hex(' ')}",
        actual=f"{start:#x}: {device[start : start + SHOWN_BYTES].tobytes().hex(' ')}",
    )
