"""State of every barrier, from the BARRIER records."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from config import HardwareConfig
from golden_model.barrier import GLOBAL_BIT
from golden_model.records.layout import BarrierOp, Kind
from golden_model.records.ring import Records

WarpId = tuple[int, int]  # core, warp


@dataclass
class Barrier:
    """One barrier; `core` and `slot` are None for one across cores. Cycles are those of the arrivals."""

    core: int | None
    slot: int | None
    number: int
    participants: int = 0
    phase: int = 0
    arrivals: int = 0  # of this phase
    arrived: dict[WarpId, int] = field(default_factory=dict)
    waiting: dict[WarpId, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        if self.core is None:
            return f"barrier {self.number} across cores"
        return f"barrier {self.number} of core {self.core} slot {self.slot}"

    @property
    def full(self) -> bool:
        """Everybody has arrived, so the waiters must go on."""
        return self.core is not None and 0 < self.participants <= self.arrivals


def barriers(batch: Mapping[Kind, Records], config: HardwareConfig) -> list[Barrier]:
    """All barriers that were used, with who waits at the end of the records.

    `released` of a record is what the design let go; arrivals are counted here, so a barrier that is complete and
    let nobody go is seen.
    """
    found: dict[tuple[int | None, int | None, int], Barrier] = {}
    records = batch.get(Kind.BARRIER)
    names = ("core", "warp", "cycle", "id", "count", "op", "phase", "released")
    for core, warp, cycle, word, count, op, phase, released in zip(
        *((records[name].tolist() if records is not None else []) for name in names), strict=True
    ):
        number = word >> 8 & config.num_barriers - 1
        across = bool(word & GLOBAL_BIT)
        key = (None, None, number) if across else (core, word & config.num_warps - 1, number)
        barrier = found.setdefault(key, Barrier(*key))
        if phase != barrier.phase:
            barrier.arrivals, barrier.phase = 0, phase
            barrier.arrived.clear()
        if op in (BarrierOp.SYNC, BarrierOp.ARRIVE):
            barrier.participants = count if barrier.arrivals == 0 else barrier.participants
            barrier.arrivals += 1
            barrier.arrived[core, warp] = cycle
        if op in (BarrierOp.SYNC, BarrierOp.WAIT):
            barrier.waiting[core, warp] = cycle
        if released:
            if op in (BarrierOp.SYNC, BarrierOp.ARRIVE):
                barrier.arrivals = 0
                barrier.arrived.clear()
            gone = [who for who in barrier.waiting if (across or who[0] == core) and released >> who[1] & 1]
            for who in gone:
                del barrier.waiting[who]
    return list(found.values())
