"""The checks of one machine: told what happens, it adds findings to the machine's log."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from golden_model.barrier import GLOBAL_BIT
from golden_model.core import IO_BASE, IO_END
from golden_model.cta import Dim3, WarpStart
from golden_model.diagnosis.allow import Allowance, allows
from golden_model.diagnosis.checks import ALWAYS, Check
from golden_model.diagnosis.deadlock import deadlocks
from golden_model.diagnosis.events import memory_of, reads_hart, sets_stack_pointer, silent_stores
from golden_model.diagnosis.found import Access, Found
from golden_model.diagnosis.livelock import LivelockWatch
from golden_model.diagnosis.shadow import ReadableShadow, Region, Setting, Shadow
from golden_model.diagnosis.sources import SourceMap
from golden_model.diagnosis.words import finding
from golden_model.findings import Finding, FindingKind, Site
from golden_model.isa.instruction import Unit
from golden_model.records.layout import BarrierOp

if TYPE_CHECKING:
    from golden_model.fast.engine import Engine
    from golden_model.machine import Machine
    from golden_model.step import Step
    from golden_model.warp import Warp

_TP = 4
_KEPT = frozenset({0, 2, 3, 4, 27})  # zero, sp, gp, tp, s11: what the prologue leaves for every block
STALE_REGISTERS = tuple(register for register in range(32) if register not in _KEPT)


@dataclass(slots=True)
class CodeWatch:
    """Which words of an image a kernel has stored: PC of the store by word, 0 = none."""

    start: int
    end: int
    writer: npt.NDArray[np.uint64]


class Diagnosis:
    """Attach it before a launch: `machine.diagnosis = Diagnosis(machine, checks)`.

    `sources` serves the allowances; `strict_lanes` makes lanes that store the same value to one place a race, too.
    Buffers are those of `machine.host_buffers`; without any, only local memory is checked for bounds. Running alone
    only: a machine that follows a design has the findings that are always on.
    """

    def __init__(
        self,
        machine: Machine,
        checks: Iterable[Check] = ALWAYS,
        allowances: Iterable[Allowance] = (),
        sources: SourceMap | None = None,
        strict_lanes: bool = False,
    ) -> None:
        self.machine = machine
        self.checks = frozenset(checks)
        self.sources = sources or SourceMap()
        self.allowances = list(allowances)
        self._kinds = frozenset(kind for check in self.checks for kind in check.kinds)
        config = machine.config
        harts = config.total_harts << config.stack_log2_size
        self.setting = Setting(
            races=Check.RACES in self.checks,
            bounds=Check.BOUNDS in self.checks,
            stack=Check.STACK in self.checks,
            strict_lanes=strict_lanes,
            contexts=config.total_cores * config.num_warps,
            warps=config.num_warps,
            local=Region(config.lmem_base, config.lmem_base + config.lmem_size),
            stacks=Region(config.stack_base_addr - harts, config.stack_base_addr),
            io=Region(IO_BASE, IO_END),
        )
        self.watches_memory = self.setting.races or self.setting.bounds or self.setting.stack
        self.selfmod = Check.SELFMOD in self.checks
        self.stale = Check.STALE in self.checks
        self.hangs = Check.HANG in self.checks
        self.shadow: Shadow = ReadableShadow(self.setting)
        self.watched: list[CodeWatch] = []
        self.changes = 0  # stores that changed memory, as far as `hangs` wants to know
        self._values: dict[tuple[int, int, int], int] = {}
        self._open_global: set[int] = set()
        self._silent = 0
        self._knows_private = False
        machine.findings.wanted = self.wants

    @property
    def active(self) -> bool:
        """Whether a run has to tell what it does; otherwise there are only findings to be left out."""
        return self.watches_memory or self.selfmod or self.stale or self.hangs

    def runs_on(self, engine: Engine) -> bool:
        """Whether the launch began with the state of that compiled tier; if not, it has to be finished in Python."""
        return not self.active or self.shadow is engine.shadow

    def wants(self, found: Finding) -> bool:
        """Whether a finding is asked for and not allowed."""
        return found.kind in self._kinds and not allows(self.allowances, found, self.sources)

    # ------------------------------------------------------------------ launches, blocks, warps

    def launched(self) -> None:
        """A launch begins."""
        self._open_global.clear()
        self._values.clear()
        self._knows_private = False
        native = self.machine.native_shadow()
        self.shadow = ReadableShadow(self.setting) if native is None else native
        self.shadow.launch(self._regions())
        code = self.machine.code
        known = {(watch.start, watch.end): watch for watch in self.watched}
        self.watched = [
            known.get((start, end)) or CodeWatch(start, end, np.zeros((end - start >> 2) + 1, np.uint64))
            for start, end in (code.images if self.selfmod else ())
        ]
        self.shadow.watch([(watch.start, watch.end, watch.writer.ctypes.data) for watch in self.watched])

    def _regions(self) -> list[Region] | None:
        machine = self.machine
        if not len(machine.host_buffers):
            return None
        images = [Region(start, end) for start, end in machine.code.extents.items()]
        buffers = [Region(start, end) for start, end in machine.host_buffers]
        return sorted([*buffers, *images, self.setting.stacks, self.setting.io])

    def warp_started(self, warp: Warp, start: WarpStart) -> None:
        """Dispatch has started a warp in Python; golden_model/fast/dispatch.c does the same."""
        resident = warp.resident
        assert resident is not None
        cta = resident.cta
        if start.rank == 0 and self.stale and cta.lmem_stride:
            warp.core.lmem.define(start.lmem_addr, cta.lmem_stride, defined=False)
        if self.stale:
            for register in STALE_REGISTERS:
                warp.undef[register] = warp.full_mask
            warp.fundef[:] = [warp.full_mask] * 32
        if self.watches_memory:
            local = Region(start.lmem_addr, start.lmem_addr + cta.lmem_stride)
            self.shadow.start(self._context(warp), cta.cta_id, start.rank, local, start.first_use)

    def warp_ended(self, warp: Warp) -> None:
        """A warp has ended in Python."""
        if self.watches_memory:
            self.shadow.end(self._context(warp))
        self.settle_barriers()

    def finished(self) -> None:
        """The run is over, or has failed: counts of repetitions are brought up to date."""
        self.collect()
        for found, more in self.shadow.repeated():
            again = self._finding(found)
            again.count = more
            self.machine.findings.add(again)

    def host_wrote(self, addr: int, size: int) -> None:
        """Code that the host writes is no longer a kernel's."""
        for watch in self.watched:
            low, high = max(addr, watch.start), min(addr + size, watch.end)
            if low < high:
                watch.writer[low - watch.start >> 2 : (high - 1 - watch.start >> 2) + 1] = 0

    # ------------------------------------------------------------------ steps

    def before(self, warp: Warp) -> None:
        """Python is about to execute an instruction of the warp."""
        self._silent = 0
        if self.setting.races and self.shadow.starting(self._context(warp)):
            op = self.machine.code.by_pc.get(warp.pc)
            if op is not None and op.instruction.unit is Unit.STORE:
                self._silent = silent_stores(warp, op)

    def stepped(self, warp: Warp, step: Step) -> None:
        """Python has executed an instruction."""
        op = None if step.name == "fetch" else self.machine.code.decoded(step.instr)
        if op is None or step.retry:
            if step.warp_ended:
                self.warp_ended(warp)
            return
        if self.selfmod:
            self._check_code(warp, step)
        memory = memory_of(warp, op, step, self._silent)
        if memory is not None:
            if self.selfmod and memory.access in (Access.STORE, Access.ATOMIC):
                self._code_stored(step.pc, memory.addresses)
            if self.hangs and memory.access in (Access.STORE, Access.ATOMIC):
                self._count_changes(warp, step)
        if self.watches_memory:
            context = self._context(warp)
            if step.pc in self.machine.code.dispatch_calls:
                self._entered(warp, context)
            if memory is not None:
                self.shadow.instruction(context, step.pc, memory)
            elif op.instruction.unit is Unit.FENCE:
                self.shadow.fence(context)
            if reads_hart(op):
                self.shadow.knows_hart(context)
            if op.rd == 2 and sets_stack_pointer(op):
                self.shadow.stack_set(context, step.tmask, step.pc)
            if step.barrier is not None:
                self._barrier(warp, step)
            if op.name == "wspawn":
                self._spawned(warp)
            if step.warp_ended:
                self.warp_ended(warp)
            elif self._open_global:
                self.settle_barriers()
            self.collect()

    def collect(self) -> None:
        """New finds of the shadow become findings."""
        for found in self.shadow.drain():
            self.machine.findings.add(self._finding(found))

    def _finding(self, found: Found) -> Finding:
        setting = self.setting
        return finding(found, setting.warps, self._block, self.machine.host_buffers, setting.local)

    def _block(self, number: int) -> Dim3 | None:
        return None if self.machine.kmu.shape is None else self.machine.kmu.block_at(number)

    def _context(self, warp: Warp) -> int:
        return warp.core.core_id * self.setting.warps + warp.wid

    # ------------------------------------------------------------------ barriers

    def _barrier(self, warp: Warp, step: Step) -> None:
        event = step.barrier
        assert event is not None
        if event.op is BarrierOp.EXPECT_TX:
            return
        units = warp.core.barriers
        entry = units.entry(event.id)
        index = units.index(event.id)
        size = len(units.entries)
        is_global = bool(event.id & GLOBAL_BIT)
        cores = len(self.machine.cores)
        key = cores * size + index if is_global else warp.core.core_id * size + index
        context = self._context(warp)
        if event.op is BarrierOp.WAIT:
            if event.released:
                self.shadow.passed(context, key)
            else:
                self.shadow.wait(context, key)
            return
        self.shadow.arrive(context, key, event.op is BarrierOp.SYNC)
        if entry.phase != event.phase:
            self._open_global.discard(key)
            self.shadow.flip(key)
        elif is_global:
            self._open_global.add(key)

    def settle_barriers(self) -> None:
        """The end of a warp may have completed a barrier across cores."""
        if not self._open_global or self.machine.cores[0].global_barriers.busy:
            return
        for key in sorted(self._open_global):
            self.shadow.flip(key)
        self._open_global.clear()

    def _entered(self, warp: Warp, context: int) -> None:
        """The start-up code of a warp is over; the first time in a launch it tells where thread-local memory is."""
        self.shadow.entered(context)
        if self._knows_private or warp.undef[_TP] or warp.num_lanes == 1:
            return
        self._knows_private = True
        size = warp.regs[_TP][1] - warp.regs[_TP][0]
        first = warp.regs[_TP][0] - warp.first_hart * size
        if size > 0 and first >= 0:
            self.shadow.private(Region(first, first + size * self.machine.config.total_harts))

    def _spawned(self, warp: Warp) -> None:
        for other in warp.core.warps:
            if other is not warp and other.tmask:
                self.shadow.spawn(self._context(warp), self._context(other))

    # ------------------------------------------------------------------ code

    def stored_by(self, pc: int) -> int:
        """PC of the store that wrote the instruction at `pc` since the image was loaded; 0 = none."""
        for watch in self.watched:
            if watch.start <= pc < watch.end:
                return int(watch.writer[pc - watch.start >> 2])
        return 0

    def _code_stored(self, pc: int, addresses: list[int]) -> None:
        for watch in self.watched:
            for addr in addresses:
                if watch.start <= addr < watch.end:
                    watch.writer[addr - watch.start >> 2] = pc

    def _check_code(self, warp: Warp, step: Step) -> None:
        writer = self.stored_by(step.pc)
        if writer:
            detail = "executes an instruction that a kernel has stored; instruction caches are not refilled (§2.12)"
            warp.report(step, FindingKind.SELF_MODIFYING_CODE, step.tmask, detail, Site("store", writer))

    # ------------------------------------------------------------------ hangs

    def _count_changes(self, warp: Warp, step: Step) -> None:
        access = step.memory
        assert access is not None
        core = warp.core.core_id
        for lane in range(warp.num_lanes):
            if access.mask >> lane & 1 and access.data:
                addr = access.addr[lane]
                place = (core if self.setting.local.holds(addr, 1) else -1, addr, access.size)
                if self._values.get(place) != access.data[lane]:
                    self._values[place] = access.data[lane]
                    self.changes += 1

    def livelock_watch(self, engine: Engine | None = None) -> LivelockWatch | None:
        """Looks for spinning in this run, of the compiled tier if that is given; None if nobody asked for it."""
        if not self.hangs:
            return None
        if engine is None:
            return LivelockWatch(self.machine, lambda: self.changes)
        return LivelockWatch(self.machine, lambda: self.changes + engine.changes, engine.place, engine.state)

    def hung(self) -> None:
        """Nothing can step any more: say at which barriers, and who does not come."""
        if self.hangs:
            for each in deadlocks(self.machine):
                self.machine.findings.add(each)
