"""Spans that overlap, spread over as few rows as needed."""

from __future__ import annotations

import heapq
from collections.abc import Sequence


def spread(spans: Sequence[tuple[int, int]]) -> list[int]:
    """Row of each span [begin, end) so that no two of a row overlap; the lowest free row is taken."""
    rows = [0] * len(spans)
    free: list[int] = []
    busy: list[tuple[int, int]] = []  # end, row
    number = 0
    for index in sorted(range(len(spans)), key=lambda at: spans[at]):
        begin, end = spans[index]
        while busy and busy[0][0] <= begin:
            heapq.heappush(free, heapq.heappop(busy)[1])
        if free:
            row = heapq.heappop(free)
        else:
            row, number = number, number + 1
        rows[index] = row
        heapq.heappush(busy, (max(end, begin + 1), row))
    return rows
