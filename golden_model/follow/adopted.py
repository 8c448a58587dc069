"""Account of what a comparison covered and of the values that it took over from the design instead of comparing."""

from __future__ import annotations

import dataclasses
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum


class AdoptedKind(StrEnum):
    """Kinds of values that hardware may choose. A kind that grows from run to run is a hole in the comparison."""

    PLACEMENT = "placement"  # the core that took a CTA, the warp that a CTA's warp was started on
    BARRIER_ORDER = "barrier order"  # which warp arrived at a barrier first
    ACTIVE_WARPS = "active warps"  # CSR ACTIVE_WARPS
    COUNTER = "counter"  # CSRs MCYCLE and MINSTRET
    BUS_ERROR = "bus error"  # faults because memory answered with an error
    UNDEFINED_REGISTER = "undefined register"  # lanes of results that depend on a register that was never written
    UNDEFINED_MEMORY = "undefined memory"  # lanes that loaded memory holding an undefined value
    UNDEFINED_STORE = "undefined store"  # lanes that stored an undefined value (spills)
    UNDEFINED_FLAGS = "undefined flags"  # instructions whose floating-point flags depend on an undefined register
    LANE_ORDER = "lane order"  # atomics that served their lanes in another than the ascending order
    SC_FAILURE = "sc failure"  # lanes whose SC failed although their reservation held


@dataclass
class Coverage:
    """What one or several launches compared; lanes count result, address and store-data values alike."""

    instructions: int = 0
    lanes: int = 0
    memory_accesses: int = 0
    barriers: int = 0
    divergences: int = 0  # pushes, flips and pops of IPDOM stacks
    ctas: int = 0
    warps_started: int = 0
    faults: int = 0
    ignored_after_fault: int = 0
    adopted: Counter[AdoptedKind] = field(default_factory=Counter)

    def adopted_by_name(self) -> dict[str, int]:
        """Adopted values by kind, without the kinds that did not occur, in a fixed order."""
        return {str(kind): self.adopted[kind] for kind in AdoptedKind if self.adopted[kind]}

    def copy(self) -> Coverage:
        return dataclasses.replace(self, adopted=Counter(self.adopted))

    def since(self, before: Coverage) -> Coverage:
        """What was added after `before` was copied from this account."""
        now, then = dataclasses.asdict(self), dataclasses.asdict(before)
        adopted = Counter({kind: self.adopted[kind] - before.adopted[kind] for kind in AdoptedKind})
        numbers = {name: now[name] - then[name] for name in now if name != "adopted"}
        return Coverage(**numbers, adopted=adopted)

    def __iadd__(self, other: Coverage) -> Coverage:
        for name, value in dataclasses.asdict(other).items():
            if name != "adopted":
                setattr(self, name, getattr(self, name) + value)
        self.adopted.update(other.adopted)
        return self
