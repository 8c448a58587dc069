"""The barrier unit of one core (docs/reference/vortex.md §2.7): local ones, and the core's side of those across cores.

Storage has one entry per CTA slot and barrier number, with a phase bit of its own; it is cleared by reset only, so the
phase carries over from one CTA and launch to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from config import HardwareConfig
from golden_model.records.layout import BarrierOp
from golden_model.step import BarrierEvent

GLOBAL_BIT = 1 << 31


@dataclass(slots=True)
class BarrierEntry:
    """State of one barrier."""

    count: int = 0  # arrivals in this phase
    waiters: int = 0  # mask of suspended warps
    phase: int = 0
    participants: int = 0  # as stated by the first arrival of this phase
    events: int = 0  # transactions that are still to come
    arrived: int = 0  # barriers across cores: mask of warps that arrived without waiting

    def fields(self) -> tuple[int, ...]:
        """All of the state, in the order of the declaration."""
        return self.count, self.waiters, self.phase, self.participants, self.events, self.arrived

    def restore(self, fields: Sequence[int]) -> None:
        """Take over what `fields` gave."""
        self.count, self.waiters, self.phase, self.participants, self.events, self.arrived = fields


class BarrierUnit:
    """All barriers of one core."""

    def __init__(self, config: HardwareConfig) -> None:
        self._slot_mask = config.num_warps - 1
        self._number_bits = config.num_barriers.bit_length() - 1
        self._number_mask = config.num_barriers - 1
        self.entries = [BarrierEntry() for _ in range(config.num_warps * config.num_barriers)]

    def index(self, identifier: int) -> int:
        """Position in `entries` of what an id word names."""
        return (identifier & self._slot_mask) << self._number_bits | identifier >> 8 & self._number_mask

    def entry(self, identifier: int) -> BarrierEntry:
        """The entry that an id word names: {CTA slot, barrier number}; out-of-range fields wrap."""
        slot, number = identifier & self._slot_mask, identifier >> 8 & self._number_mask
        return self.entries[slot << self._number_bits | number]

    def sync(self, wid: int, identifier: int, count: int) -> BarrierEvent:
        """Warp `wid` arrives and waits for `count` arrivals in all; the last arrival releases everybody."""
        entry = self.entry(identifier)
        phase = entry.phase
        entry.waiters |= 1 << wid
        released = self.arrival(entry, count)
        return BarrierEvent(BarrierOp.SYNC, identifier, count, phase, released)

    def arrive(self, identifier: int, count: int) -> BarrierEvent:
        """An arrival that does not wait; the last one releases the waiters."""
        entry = self.entry(identifier)
        phase = entry.phase
        return BarrierEvent(BarrierOp.ARRIVE, identifier, count, phase, self.arrival(entry, count))

    def wait(self, wid: int, identifier: int, token: int) -> BarrierEvent:
        """Warp `wid` waits for the end of the phase whose bit is bit 0 of the token; it goes on if that is over."""
        entry = self.entry(identifier)
        released = 1 << wid
        if token & 1 == entry.phase:
            released = 0
            entry.waiters |= 1 << wid
        return BarrierEvent(BarrierOp.WAIT, identifier, token, entry.phase, released)

    def expect(self, identifier: int, transactions: int) -> BarrierEvent:
        """Announce transactions: the phase does not end before `complete` was called as often."""
        entry = self.entry(identifier)
        entry.events = (entry.events + transactions) & 0x7FFF_FFFF
        return BarrierEvent(BarrierOp.EXPECT_TX, identifier, transactions, entry.phase, 0)

    def complete(self, identifier: int) -> int:
        """One announced transaction is done; returns the warps that this lets go."""
        entry = self.entry(identifier)
        entry.events = (entry.events - 1) & 0x7FFF_FFFF
        return self.flip(entry) if entry.events == 0 and entry.count == 0 else 0

    def arrival(self, entry: BarrierEntry, count: int) -> int:
        """One more arrival of `count`; returns the warps that it lets go."""
        if entry.count == 0:
            entry.participants = count
        if entry.count != count - 1:
            entry.count = (entry.count + 1) & 0xFFFF_FFFF
            return 0
        entry.count = 0
        if entry.events:
            return 0
        return self.flip(entry)

    def flip(self, entry: BarrierEntry) -> int:
        """The phase is over; returns the waiters, who are none any longer."""
        released = entry.waiters
        entry.waiters = 0
        entry.phase = entry.phase ^ 1
        return released

    def waiting_for(self, wid: int) -> str:
        """What a suspended warp waits for, in words."""
        for index, entry in enumerate(self.entries):
            if entry.waiters >> wid & 1:
                slot, number = index >> self._number_bits, index & self._number_mask
                return (
                    f"barrier {number} of CTA slot {slot} (phase {entry.phase}, {entry.count} of "
                    f"{entry.participants} warps arrived)"
                )
        return "nothing known"
