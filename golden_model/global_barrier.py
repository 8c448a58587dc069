"""Barriers across cores (docs/reference/vortex.md §2.7), collected over the whole processor.

A core has arrived when every active warp of it has; when as many cores have arrived as the operand says, all of them go
on. The phase bit is that of the core's own entry. A single core needs no other: its warps synchronise among each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.barrier import BarrierEntry
from golden_model.records.layout import BarrierOp
from golden_model.step import BarrierEvent, Step

if TYPE_CHECKING:
    from golden_model.core import Core
    from golden_model.warp import Warp


class GlobalBarriers:
    """The unit that all cores answer to."""

    def __init__(self, cores: list[Core]) -> None:
        self._cores = cores
        self._open: dict[int, int] = {}  # id -> number of cores that take part, while a phase is under way

    @property
    def busy(self) -> bool:
        """Whether a phase is under way anywhere."""
        return bool(self._open)

    def arrive(self, core: Core, warp: Warp, step: Step, identifier: int, cores: int, op: BarrierOp) -> int:
        """One warp arrives, and waits if it is BAR; returns the phase before."""
        entry = core.barriers.entry(identifier)
        phase = entry.phase
        entry.arrived |= 1 << warp.wid
        entry.participants = cores
        if op is BarrierOp.SYNC:
            entry.waiters |= 1 << warp.wid
            warp.blocked = True
        self._open[identifier] = cores
        released = self._settle(identifier, core)
        step.barrier = BarrierEvent(op, identifier, cores, phase, released)
        return phase

    def warp_ended(self, core: Core) -> None:
        """Fewer warps of a core have to arrive."""
        for identifier in list(self._open):
            self._settle(identifier, core)

    def _settle(self, identifier: int, core: Core) -> int:
        """End the phase if enough cores have arrived; returns the warps of `core` that this lets go."""
        arrived = [other for other in self._cores if _has_arrived(other, other.barriers.entry(identifier))]
        if len(arrived) < min(self._open[identifier], len(self._cores)):
            return 0
        del self._open[identifier]
        released = 0
        for other in arrived:
            entry = other.barriers.entry(identifier)
            entry.arrived = 0
            mine = other.barriers.flip(entry)
            other.release(mine)
            if other is core:
                released = mine
        return released


def _has_arrived(core: Core, entry: BarrierEntry) -> bool:
    active = core.active_warps
    return entry.events == 0 and entry.arrived != 0 and active & ~entry.arrived == 0
