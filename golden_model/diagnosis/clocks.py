"""Happens-before between warps: vector clocks, one row per hardware warp (docs/diagnosis.md, "The model of order").

A *run* is one warp of one block, from its start to its end. Runs of one hardware warp follow each other on the same
row, but the later one knows of the earlier only what it has acquired: blocks are concurrent, wherever they run.
"""

from __future__ import annotations

import bisect
from collections.abc import Hashable
from typing import NamedTuple


class Mark(NamedTuple):
    """One access in the shadow: who, when, where in the code."""

    context: int  # hardware warp, counted over all cores
    clock: int
    pc: int
    lane: int
    atomic: bool  # an atomic, or a store right behind a fence


class Clocks:
    """Rows, and what barriers and synchronisation variables hold."""

    def __init__(self, contexts: int) -> None:
        self.contexts = contexts
        self.launch()

    def launch(self) -> None:
        """Everything before is ordered before everything after."""
        count = self.contexts
        self.clock = [0] * count  # of each row's owner
        self.first = [1] * count  # clock at which the present run began
        self.row = [[0] * count for _ in range(count)]
        self.fenced = [[0] * count for _ in range(count)]  # the row at the last fence: what a later flag store releases
        self.starts: list[list[int]] = [[] for _ in range(count)]  # clock and block of every run, for reports
        self.blocks: list[list[int]] = [[] for _ in range(count)]
        self._arrived: dict[Hashable, list[int]] = {}
        self._done: dict[Hashable, list[int]] = {}
        self._waiting: dict[Hashable, set[int]] = {}
        self._variables: dict[Hashable, list[int]] = {}

    def start(self, context: int, block: int) -> None:
        """A warp of block number `block` starts; it knows nothing but what was before the launch."""
        self.clock[context] += 1
        self.first[context] = self.clock[context]
        self.row[context] = [0] * self.contexts
        self.fenced[context] = [0] * self.contexts
        self.starts[context].append(self.clock[context])
        self.blocks[context].append(block)

    def ordered(self, mark: Mark, context: int) -> bool:
        """Whether `mark` happened before the present of `context`."""
        if mark.context == context and mark.clock >= self.first[context]:
            return True
        return mark.clock <= self.row[context][mark.context]

    def block_of(self, context: int, clock: int) -> int:
        """Number of the block that a row belonged to at that clock."""
        return self.blocks[context][bisect.bisect_right(self.starts[context], clock) - 1]

    # ------------------------------------------------------------------ barriers

    def arrive(self, context: int, key: Hashable, waits: bool) -> None:
        """Release into the barrier; a warp that waits acquires when the phase ends."""
        _join(self._arrived.setdefault(key, [0] * self.contexts), self._exported(context))
        self.clock[context] += 1
        if waits:
            self.wait(context, key)

    def wait(self, context: int, key: Hashable) -> None:
        """The warp is suspended until the phase ends."""
        self._waiting.setdefault(key, set()).add(context)

    def flip(self, key: Hashable) -> None:
        """The phase ends: all waiters acquire what arrived."""
        self._done[key] = self._arrived.pop(key, [0] * self.contexts)
        for context in sorted(self._waiting.pop(key, ())):
            self.acquire(context, self._done[key])

    def passed(self, context: int, key: Hashable) -> None:
        """A WAIT for a phase that is over."""
        if key in self._done:
            self.acquire(context, self._done[key])

    # ------------------------------------------------------------------ fences, atomics, flags

    def fence(self, context: int) -> None:
        """What was done before may be released by the next store."""
        self.fenced[context] = self._exported(context)
        self.clock[context] += 1

    def atomic(self, context: int, key: Hashable) -> None:
        """A read-modify-write acquires and releases: it is strongly ordered where all of them meet (§2.14)."""
        variable = self._variables.setdefault(key, [0] * self.contexts)
        self.acquire(context, variable)
        _join(variable, self._exported(context))

    def advance(self, context: int) -> None:
        """Later accesses are not part of what was released."""
        self.clock[context] += 1

    def publish(self, context: int, key: Hashable) -> None:
        """A store behind a fence releases what the fence ordered, and itself."""
        released = self._variables[key] = list(self.fenced[context])
        released[context] = self.clock[context]

    def observe(self, context: int, key: Hashable) -> None:
        """A fence behind a load acquires what the stored flag released."""
        if key in self._variables:
            self.acquire(context, self._variables[key])

    def spawn(self, parent: int, child: int) -> None:
        """WSPAWN: the child knows what its parent knew."""
        self.acquire(child, self._exported(parent))
        self.clock[parent] += 1

    def acquire(self, context: int, known: list[int]) -> None:
        row = self.row[context]
        for other, clock in enumerate(known):
            if clock > row[other] and (other != context or clock < self.first[context]):
                row[other] = clock

    def _exported(self, context: int) -> list[int]:
        known = list(self.row[context])
        known[context] = self.clock[context]
        return known


def _join(into: list[int], other: list[int]) -> None:
    for index, clock in enumerate(other):
        if clock > into[index]:
            into[index] = clock
