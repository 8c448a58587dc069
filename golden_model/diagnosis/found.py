"""What the memory checks find, before it is put into words: the same on both tiers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Kind(IntEnum):
    """Numbers shared with golden_model/fast/diagnosis.c."""

    RACE_LANE = 0
    RACE_WARP = 1
    RACE_CTA = 2
    RACE_CORE = 3
    BOUNDS = 4
    STACK = 5


class Access(IntEnum):
    """Numbers shared with golden_model/fast/diagnosis.c."""

    LOAD = 0
    STORE = 1
    ATOMIC = 2
    RESERVED_LOAD = 3  # LR: atomic, but no store


@dataclass(slots=True)
class Found:
    """First occurrence of one defect, and how many instructions showed it."""

    kind: Kind
    context: int
    block: int
    pc: int
    lanes: int
    addr: int
    size: int
    access: Access
    other_access: Access = Access.LOAD
    other_context: int = 0
    other_block: int = 0
    other_pc: int = 0
    other_lanes: int = 0
    count: int = 1


class FoundLog:
    """One entry per kind and pair of PCs; lanes of one instruction are put together."""

    LIMIT = 2048  # entries; a kernel with more has other worries

    def __init__(self) -> None:
        self._entries: dict[tuple[int, int, int], Found] = {}
        self._stamps: dict[tuple[int, int, int], tuple[int, int]] = {}  # first and last instruction
        self._told: dict[tuple[int, int, int], int] = {}

    def add(self, found: Found, stamp: int) -> None:
        """Record what one lane of instruction number `stamp` showed."""
        key = (found.kind, found.pc, found.other_pc)
        known = self._entries.get(key)
        if known is None:
            if len(self._entries) < self.LIMIT:
                self._entries[key] = found
                self._stamps[key] = stamp, stamp
            return
        first, last = self._stamps[key]
        if stamp == first:
            known.lanes |= found.lanes
            known.other_lanes |= found.other_lanes
        if stamp != last:
            known.count += 1
            self._stamps[key] = first, stamp

    def drain(self) -> list[Found]:
        """Entries that are new since the last call; `count` of known ones goes on."""
        fresh = [found for key, found in self._entries.items() if key not in self._told]
        for key, found in self._entries.items():
            self._told.setdefault(key, found.count)
        return fresh

    def repeated(self) -> list[tuple[Found, int]]:
        """Known entries that occurred again since they were last told, and how often."""
        again = []
        for key, found in self._entries.items():
            if found.count > self._told.get(key, found.count):
                again.append((found, found.count - self._told[key]))
                self._told[key] = found.count
        return again
