"""Which lines a cache holds, by the rules: set-associative, first in first out, filled when a read's answer arrives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class _Set:
    held: list[int | None]
    next: int = 0  # the way that is filled next, whether another one is empty or not


class Contents:
    """Tags of a cache of `size` bytes with `ways` ways of 64-byte lines."""

    def __init__(self, size: int, ways: int) -> None:
        self.ways = ways
        self.sets = [_Set([None] * ways) for _ in range(size // 64 // ways)]
        self.evictions = 0

    def _set_of(self, line: int) -> _Set:
        return self.sets[(line ^ line // len(self.sets)) % len(self.sets)]

    def __contains__(self, line: int) -> bool:
        return line in self._set_of(line).held

    def fill(self, line: int) -> int | None:
        """Enter `line`; the line that loses its place, if one does."""
        ways = self._set_of(line)
        assert line not in ways.held, f"line {line:#x} is filled twice"
        lost, ways.held[ways.next] = ways.held[ways.next], line
        ways.next = (ways.next + 1) % self.ways
        self.evictions += lost is not None
        return lost

    def drop(self, line: int) -> None:
        """`line` is no longer held, if it was."""
        ways = self._set_of(line)
        ways.held = [None if held == line else held for held in ways.held]

    def clear(self) -> None:
        for ways in self.sets:
            ways.held, ways.next = [None] * self.ways, 0
