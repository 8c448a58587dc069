"""Which lines a cache holds, by the rules: set-associative, first in first out, filled when a read's answer arrives."""

from __future__ import annotations

from collections import deque


class Contents:
    """Tags of a cache of `size` bytes with `ways` ways of 64-byte lines."""

    def __init__(self, size: int, ways: int) -> None:
        self.ways = ways
        self.sets: list[deque[int]] = [deque() for _ in range(size // 64 // ways)]
        self.evictions = 0

    def _set_of(self, line: int) -> deque[int]:
        return self.sets[(line ^ line // len(self.sets)) % len(self.sets)]

    def __contains__(self, line: int) -> bool:
        return line in self._set_of(line)

    def fill(self, line: int) -> None:
        held = self._set_of(line)
        assert line not in held, f"line {line:#x} is filled twice"
        if len(held) == self.ways:
            held.popleft()
            self.evictions += 1
        held.append(line)

    def clear(self) -> None:
        for held in self.sets:
            held.clear()
