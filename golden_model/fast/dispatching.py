"""CTA dispatch on the C side (dispatch.c): tables of a launch, the queue of CTAs, agreement with the Python objects.

While `run` is in C, slots, the queue and who works for which CTA are C's; a warp's Python object learns of a new start
when Python has to execute an instruction, the dispatchers at the end of the run.
"""

from __future__ import annotations

import ctypes
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from golden_model.cta import CtaDescriptor
from golden_model.dispatch import CtaDispatcher, ResidentCta, WarpAssignment
from golden_model.threads import next_base

if TYPE_CHECKING:
    from golden_model.core import Core
    from golden_model.fast.engine import Engine
    from golden_model.warp import Warp

NONE = 0xFFFF_FFFF
_FIRST, _LAST = 1, 2  # flags of a Cta
_LAUNCH, _SLOT, _RANK, _BLOCK = range(4)  # sources of a Fill; _BLOCK + axis
_QUEUE = 4096  # CTAs handed to C at a time
_CTA = np.dtype([("id", "<u8"), ("block", "<u4", (3,)), ("flags", "<u4")])
_MAX_RESIDENTS = 4096

# What decides the value of a CTA register; those that are not here are fixed for a launch.
_SOURCES = {
    0xCD0: _SLOT, 0xCD1: _RANK, 0xCD3: _RANK, 0xCD4: _RANK, 0xCD5: _RANK,
    0xCD6: _BLOCK, 0xCD7: _BLOCK + 1, 0xCD8: _BLOCK + 2, 0xCDF: _SLOT,
}  # fmt: skip


class Dispatching:
    """The C side's dispatch state of one machine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._machine = engine.machine
        self._config = engine.machine.config
        self._queue = np.zeros(_QUEUE, _CTA)
        self._taken: list[tuple[tuple[int, int, int], int]] = []  # what the queue holds
        self._first = 0  # how many CTAs of the launch came before those
        self._shape: CtaDescriptor | None = None
        self._assignments: list[WarpAssignment] = []  # one a rank
        self._tables: list[np.ndarray] = []
        self._filled: set[int] = set()  # CTA registers whose values a start sets in C
        self._residents: dict[int, ResidentCta] = {}  # by number of the CTA
        self._seen = [[0] * self._config.num_warps for _ in engine.machine.cores]

    # ------------------------------------------------------------------ a run

    def enter(self, seeded: bool, next_core: int) -> None:
        """Python's state goes to C, which is to dispatch first of all."""
        m, machine = self._engine.m, self._machine
        m.native = m.dispatching = 1
        m.next_core, m.locked = next_core, NONE if machine.locked_core is None else machine.locked_core
        m.ctas = m.starts = m.window = 0
        m.foreign_end = machine.cores[0].global_barriers.busy
        self._residents.clear()
        self._launch_tables()
        self._slots_to_c()
        self._fill_queue([])

    def resume(self) -> None:
        """As `enter`, after a `leave` within the same launch."""
        m, machine = self._engine.m, self._machine
        m.native = 1
        m.locked = NONE if machine.locked_core is None else machine.locked_core
        for number in self._engine.csrs.used_of_cta:
            if number not in self._filled:
                self._add_fill(number)
        self._slots_to_c()
        m.queue_at = machine.kmu.taken - self._first
        machine.kmu.take_blocks(len(self._taken) - m.queue_at)

    def _slots_to_c(self) -> None:
        machine = self._machine
        for core, shared in zip(machine.cores, self._engine.cores, strict=True):
            dispatcher = core.dispatcher
            shared.core_id, shared.tail, shared.initialised = core.core_id, dispatcher.tail, dispatcher.initialised
            shared.pending = NONE if dispatcher.pending is None else dispatcher.pending.slot
            for slot, resident in zip(shared.slots, dispatcher.slots, strict=True):
                slot.valid = resident is not None
                if resident is not None:
                    self._residents[resident.cta.cta_id] = resident
                    slot.live, slot.started = resident.live, resident.started
                    _describe(slot.cta, resident.cta)
            for warp, mine in zip(core.warps, shared.warps, strict=True):
                mine.spawned, mine.slot, mine.rank = warp.spawned, warp.slot, warp.rank
                self._seen[core.core_id][warp.wid] = mine.starts

    def leave(self) -> int:
        """C's state goes to Python; returns the core that is asked first for the next CTA."""
        m, machine = self._engine.m, self._machine
        if not m.native:
            return int(m.next_core)
        m.native = 0
        machine.kmu.give_back(self._taken[m.queue_at : m.queued])
        m.queue_at = m.queued
        machine.locked_core = None if m.locked == NONE else m.locked
        living: set[int] = set()
        for core, shared in zip(machine.cores, self._engine.cores, strict=True):
            self._warps_to_python(core)
            dispatcher = core.dispatcher
            dispatcher.tail, dispatcher.initialised = shared.tail, shared.initialised
            for number, slot in enumerate(shared.slots):
                dispatcher.slots[number] = self._resident(core, slot.cta, number) if slot.valid else None
            living |= {id(resident) for resident in dispatcher.slots}
            dispatcher.pending = None if shared.pending == NONE else dispatcher.slots[shared.pending]
        for known in self._residents.values():
            if id(known) not in living:
                _advance(known, 0, known.num_warps)
        return int(m.next_core)

    def more(self) -> None:
        """C needs more of the walk."""
        m = self._engine.m
        self._fill_queue(self._taken[m.queue_at : m.queued])

    def is_window(self) -> bool:
        """Whether there is a dispatch window where C does not know one; from now on it knows."""
        m = self._engine.m
        if not m.odd_pc or not self._machine.code.is_window(m.odd_pc):
            return False
        m.window = m.odd_pc
        return True

    def odd_start(self) -> None:
        """A warp was reused at an address that C does not know to be a dispatch window."""
        m = self._engine.m
        lanes = self._engine.cores[m.odd_core].warps[m.odd_warp].tmask
        if self._machine.cores[m.odd_core].check_window(m.odd_warp, m.odd_pc, lanes):
            m.window = m.odd_pc

    def ended_in_python(self, warp: Warp) -> None:
        """Python executed the last instruction of a warp."""
        shared = self._engine.cores[warp.core.core_id]
        mine = shared.warps[warp.wid]
        if mine.has_cta and not mine.spawned:
            slot = shared.slots[mine.slot]
            slot.live -= 1
            if not slot.live:
                slot.valid = 0
        self._engine.m.dispatching = 1

    def sync_warps(self) -> None:
        """Python's warps know their CTA."""
        for core in self._machine.cores:
            self._warps_to_python(core)

    def use_csr(self, number: int) -> None:
        """From now on a start sets the value of this CTA register."""
        self._add_fill(number)

    # ------------------------------------------------------------------ tables

    def _launch_tables(self) -> None:
        """Everything that is the same for all CTAs of the launch."""
        m, machine, config = self._engine.m, self._machine, self._config
        shape = self._shape = machine.kmu.shape
        self._tables.clear()
        self._filled.clear()
        m.fills = m.num_ranks = 0
        if shape is None or not shape.block_size:
            return
        scratch = CtaDispatcher(0, config)
        accepted = scratch.accept(shape)
        self._assignments = [scratch.assign() for _ in range(accepted.num_warps)]
        m.num_ranks = accepted.num_warps
        m.usable = scratch.usable_slots(shape.lmem_stride)
        m.needed, m.stride = min(max(shape.cluster_size, 1), m.usable), shape.lmem_stride
        if not self._engine.diagnoses:  # which wants to see the first call of a kernel
            m.approved_call = machine.code.rightful_call(shape.pc, shape.entry) or 0
        m.startup, m.param = shape.pc, shape.param & self._engine.reg_mask
        m.rewind = machine.cores[0].rewind
        m.rank_masks = self._keep(np.array([a.tmask for a in self._assignments], np.uint32))
        for number in self._engine.csrs.used_of_cta:
            self._add_fill(number)

    def _add_fill(self, number: int) -> None:
        m, engine, shape = self._engine.m, self._engine, self._shape
        self._filled.add(number)
        if shape is None or not m.num_ranks:
            return
        index, source = engine.csrs.index[number], _SOURCES.get(number, _LAUNCH)
        csr, mask = engine.tables.csrs[index - 1], engine.reg_mask
        fill = m.fill[m.fills]
        fill.index, fill.source = index, source
        values: list[Any] = []
        if source == _LAUNCH:
            values = [csr.read(self._stand_in(0, self._assignments[0]), 0) & mask]
        elif source == _SLOT:
            values = [
                csr.read(self._stand_in(s, self._assignments[0]), 0) & mask for s in range(self._config.num_warps)
            ]
        elif source == _RANK:
            warps = [self._stand_in(0, assignment) for assignment in self._assignments]
            values = [[csr.read(warp, lane) & mask for lane in range(self._config.num_threads)] for warp in warps]
            unknown = [0 if csr.undefined is None else csr.undefined(warp) for warp in warps]
            fill.undefined = self._keep(np.array(unknown, np.uint32))
        if source < _BLOCK:
            fill.table = self._keep(np.array(values, np.uint32 if self._config.xlen == 32 else np.uint64))
        m.fills += 1

    def _stand_in(self, slot: int, assignment: WarpAssignment) -> Any:
        """What a CTA register reads of a warp."""
        shape = assignment.resident.cta
        resident = replace(
            assignment.resident, slot=slot, lmem_addr=self._config.lmem_base + slot * shape.lmem_stride
        )  # fmt: skip
        return SimpleNamespace(
            current_cta=resident, slot=slot, rank=assignment.rank, thread_idx=assignment.thread_idx,
            cta_mask=assignment.cta_mask, full_mask=self._config.full_mask,
        )  # fmt: skip

    def _keep(self, table: np.ndarray) -> int:
        self._tables.append(table)
        return int(table.ctypes.data)

    def _fill_queue(self, rest: list[tuple[tuple[int, int, int], int]]) -> None:
        """`rest`: CTAs that are in the queue and stay in it."""
        m, kmu = self._engine.m, self._machine.kmu
        first = self._first = kmu.taken - len(rest)
        self._taken = [*rest, *kmu.take_blocks(_QUEUE - len(rest))]
        count = len(self._taken)
        if count:
            assert self._shape is not None
            rows = np.array([(*block, member) for block, member in self._taken], np.uint32)
            last = self._shape.cluster_size - 1
            self._queue["id"][:count] = np.arange(first, first + count)
            self._queue["block"][:count] = rows[:, :3]
            self._queue["flags"][:count] = (rows[:, 3] == 0) * _FIRST + (rows[:, 3] == last) * _LAST
        m.queue, m.queued, m.queue_at = self._queue.ctypes.data, count, 0
        m.queue_more = count == _QUEUE

    # ------------------------------------------------------------------ Python objects

    def _warps_to_python(self, core: Core) -> None:
        seen, shared = self._seen[core.core_id], self._engine.cores[core.core_id]
        for warp, mine in zip(core.warps, shared.warps, strict=True):
            if mine.starts == seen[warp.wid]:
                continue
            seen[warp.wid] = mine.starts
            assignment = self._assignments[mine.rank]
            warp.resident = self._resident(core, mine.cta, mine.slot)
            warp.slot, warp.rank, warp.spawned = mine.slot, mine.rank, bool(mine.spawned)
            warp.retrying = False
            warp.cta_mask, warp.thread_idx = assignment.cta_mask, assignment.thread_idx

    def _resident(self, core: Core, cta: Any, number: int) -> ResidentCta:
        """The CTA's Python object with C's counts; one that has retired has no live warp."""
        known = self._residents.get(cta.id)
        if known is None:
            if len(self._residents) > _MAX_RESIDENTS:
                used = {id(w.resident) for c in self._machine.cores for w in c.warps}
                self._residents = {n: r for n, r in self._residents.items() if id(r) in used}
            shape = self._shape
            assert shape is not None
            descriptor = replace(
                shape,
                block_idx=tuple(cta.block),
                first_of_cluster=bool(cta.flags & _FIRST),
                last_of_cluster=bool(cta.flags & _LAST),
                cta_id=cta.id,
            )
            place = self._config.lmem_base + number * shape.lmem_stride
            known = self._residents[cta.id] = ResidentCta(descriptor, number, place, len(self._assignments), 0)
        slot = self._engine.cores[core.core_id].slots[number]
        if slot.valid and slot.cta.id == cta.id:
            _advance(known, slot.live, slot.started)
        else:
            _advance(known, 0, known.num_warps)
        return known


def _advance(resident: ResidentCta, live: int, started: int) -> None:
    """Counts as C has them."""
    for _ in range(resident.started, started):
        resident.next_base = next_base(resident.next_base, resident.cta.block_dim, resident.cta.warp_step)
    resident.live, resident.started = live, started


def _describe(place: Any, cta: CtaDescriptor) -> None:
    place.id, place.flags = cta.cta_id, cta.first_of_cluster * _FIRST | cta.last_of_cluster * _LAST
    place.block[:] = cta.block_idx


def sizes_agree(layout: Any) -> bool:
    """Whether numpy's idea of a queue entry is C's."""
    return ctypes.sizeof(layout.cta.python) == _CTA.itemsize
