"""CTA dispatch in one core: slots, LMEM placement, warp expansion, first use and rewind (docs/reference §5.3 to §5.7).

Which warp takes the next rank is hardware's choice; everything else here is a rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from config import HardwareConfig
from golden_model.cta import CtaAccept, CtaDescriptor, Dim3, WarpStart
from golden_model.errors import DispatchError
from golden_model.threads import lane_indices, next_base


@dataclass(slots=True)
class ResidentCta:
    """A CTA that holds a slot."""

    cta: CtaDescriptor
    slot: int
    lmem_addr: int
    num_warps: int
    live: int  # warps that have not ended yet, started or not
    started: int = 0  # ranks started so far
    next_base: Dim3 = (0, 0, 0)  # thread index of lane 0 of the next rank


class WarpAssignment(NamedTuple):
    """What one warp needs to know of its CTA."""

    resident: ResidentCta
    rank: int
    tmask: int
    cta_mask: int  # lanes that are threads of the block; equals tmask at the start
    thread_idx: list[Dim3]  # per lane


class CtaDispatcher:
    """Slots and the CTA whose warps are being started."""

    def __init__(self, core_id: int, config: HardwareConfig) -> None:
        self._core_id = core_id
        self._config = config
        self.slots: list[ResidentCta | None] = [None] * config.num_warps
        self.pending: ResidentCta | None = None  # accepted, not all warps started
        self.initialised = 0  # warps that ran the prologue in this launch
        self.tail = 0

    def launch(self) -> None:
        """A new launch: every warp begins with the prologue again, slots are handed out from 0."""
        self.initialised = 0
        self.tail = 0

    # ------------------------------------------------------------------ slots

    def usable_slots(self, lmem_stride: int) -> int:
        slots = self._config.num_warps
        return slots if lmem_stride == 0 else max(1, min(slots, self._config.lmem_size // lmem_stride))

    def slot_for(self, cta: CtaDescriptor) -> tuple[int, int]:
        """(slot that the rules give to this CTA, how many slots from there on must be free)."""
        usable = self.usable_slots(cta.lmem_stride)
        base = 0 if self.tail >= usable else self.tail
        needed = 1
        if cta.first_of_cluster:
            needed = min(max(cta.cluster_size, 1), usable)
            if base + needed > usable:
                base = 0
        return base, needed

    def can_accept(self, cta: CtaDescriptor) -> bool:
        base, needed = self.slot_for(cta)
        return self.pending is None and all(slot is None for slot in self.slots[base : base + needed])

    def accept(self, cta: CtaDescriptor) -> CtaAccept:
        """Give the CTA its slot. Raises DispatchError if it has to wait."""
        base, needed = self.slot_for(cta)
        if self.pending is not None:
            raise DispatchError(
                f"core {self._core_id} cannot take CTA {cta.block_idx}: warps of CTA {self.pending.cta.block_idx} are "
                "still to be started"
            )
        taken = [slot for slot in range(base, base + needed) if self.slots[slot] is not None]
        if taken:
            raise DispatchError(f"core {self._core_id} cannot take CTA {cta.block_idx}: slot {taken[0]} is not free")
        num_warps = -(-cta.block_size // self._config.num_threads)
        lmem_addr = self._config.lmem_base + base * cta.lmem_stride
        resident = ResidentCta(cta, base, lmem_addr, num_warps, live=num_warps)
        self.slots[base] = self.pending = resident
        self.tail = 0 if base + 1 >= self.usable_slots(cta.lmem_stride) else base + 1
        return CtaAccept(self._core_id, base, lmem_addr, num_warps, cta)

    # ------------------------------------------------------------------ warps

    def assign(self) -> WarpAssignment:
        """The next rank of the accepted CTA. Raises DispatchError if no warp is to be started."""
        resident = self.pending
        if resident is None:
            raise DispatchError(f"core {self._core_id} has no CTA whose warps are to be started")
        lanes, rank, cta = self._config.num_threads, resident.started, resident.cta
        threads = min(lanes, cta.block_size - rank * lanes)
        mask = (1 << threads) - 1
        indices = lane_indices(resident.next_base, cta.block_dim, lanes)
        resident.next_base = next_base(resident.next_base, cta.block_dim, cta.warp_step)
        resident.started += 1
        if resident.started == resident.num_warps:
            self.pending = None
        return WarpAssignment(resident, rank, mask, mask, indices)

    def start_message(self, assignment: WarpAssignment, wid: int, pc_after_end: int, rewind: int) -> WarpStart:
        """Where warp `wid` starts: the prologue on its first use in a launch, else the dispatch window."""
        resident = assignment.resident
        first_use = not self.initialised >> wid & 1
        self.initialised |= 1 << wid
        address_mask = (1 << self._config.xlen) - 1
        cta = resident.cta
        pc = cta.pc if first_use else (pc_after_end - rewind) & address_mask
        return WarpStart(
            self._core_id, wid, resident.slot, assignment.rank, pc, assignment.tmask, cta.param, resident.lmem_addr,
            cta.block_idx, resident.num_warps, first_use,
        )  # fmt: skip

    def warp_ended(self, resident: ResidentCta) -> int | None:
        """One warp of the CTA ended; returns the slot if it was the last one."""
        resident.live -= 1
        if resident.live:
            return None
        self.slots[resident.slot] = None
        return resident.slot
