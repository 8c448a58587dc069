"""The C state of one machine and its agreement with the Python objects.

While `run` is in C the registers, masks and barriers of the C side are the truth; the Python side gets them back for a
warp whenever the readable tier executes an instruction of it, and for all at the end of a run. Bytes of memory and
their shadows are the same memory on both sides.
"""

from __future__ import annotations

import ctypes
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from golden_model.diagnosis.diagnosis import STALE_REGISTERS, Diagnosis
from golden_model.diagnosis.livelock import State, state_of
from golden_model.fast.build import NoFastTier, library
from golden_model.fast.csr_values import CsrValues
from golden_model.fast.dispatching import Dispatching
from golden_model.fast.layout import MAX_BUFFERS, STORED_CSRS
from golden_model.fast.pages import Pages
from golden_model.fast.shadow import NativeShadow
from golden_model.ipdom import IpdomEntry
from golden_model.isa.instruction import Unit

if TYPE_CHECKING:
    from golden_model.core import Core
    from golden_model.machine import Machine
    from golden_model.step import Step
    from golden_model.warp import Warp

_MSCRATCH = STORED_CSRS.index(0x340)


class Engine:
    """Fast tier of one machine. Raises NoFastTier if there can be none."""

    def __init__(self, machine: Machine, traced: bool = False) -> None:
        self.machine = machine
        active = machine.diagnosis is not None and machine.diagnosis.active and not traced
        self._diagnosis = diagnosis = machine.diagnosis if active else None
        self.tables, self.library = library(machine.config, traced, diagnosis is not None)
        self.traced = traced
        self.diagnoses = diagnosis is not None
        self._run = self.library.run
        layout = self.tables.layout
        self.cores: Any = (layout.core.python * len(machine.cores))()
        self.m: Any = layout.machine.python()
        self.m.cores = ctypes.addressof(self.cores)
        self.m.num_cores = len(machine.cores)
        self.shadow: NativeShadow | None = None
        if diagnosis is not None:
            self.shadow = NativeShadow(self.library, diagnosis.setting, len(machine.cores[0].barriers.entries))
            self.m.diag = self.shadow.state
            self.m.stale = sum(1 << register for register in STALE_REGISTERS) if diagnosis.stale else 0
        self._warps = [list(core.warps) for core in self.cores]
        self.csrs = CsrValues(machine, self.tables, self.cores)
        self._x = [[_view(warp, "x") for warp in core.warps] for core in self.cores]
        self._f = [[_view(warp, "f") for warp in core.warps] for core in self.cores]
        self._entries = [_words(core, "barriers", layout.core.python) for core in self.cores]

        functions = (ctypes.c_uint64 * len(self.tables.rows)).in_dll(self.library, "exec_table")
        self.pages = Pages(machine, self.tables, functions, self.m, diagnosis)
        for core, shared in zip(machine.cores, self.cores, strict=True):
            self.pages.add_local(core, shared)
            for warp, mine in zip(core.warps, shared.warps, strict=True):
                mine.wid = warp.wid
        self.reg_mask = (1 << machine.config.xlen) - 1
        self.dispatching = Dispatching(self)

    # ------------------------------------------------------------------ a whole run

    def enter(self) -> None:
        """Python's state goes to C."""
        self.pages.enter()
        ranges = list(self.machine.host_buffers)
        if len(ranges) > MAX_BUFFERS:
            raise NoFastTier(f"the host has {len(ranges)} buffers, the fast tier keeps {MAX_BUFFERS}")
        for i, (start, end) in enumerate(ranges):
            self.m.buffer_lo[i], self.m.buffer_hi[i] = start, end
        self.m.buffers = len(ranges)
        self.m.reserved = self.machine.cores[0].reservations.any
        self.m.executed = self.m.threads = 0
        self.csrs.forget()
        self.m.ended = self.m.native = self.m.dispatching = self.m.ctas = self.m.starts = 0
        self.m.approved_call = 0
        self.m.core_at = self.m.num_cores  # at the end of a round
        for core, shared in zip(self.machine.cores, self.cores, strict=True):
            shared.ready = shared.ended = 0
            self._core_to_c(core)
            for warp in core.warps:
                self._warp_to_c(warp)
                self.csrs.refresh(warp)
        self.csrs.begin_run()

    def take_back(self) -> None:
        """Python's state goes to C, within a run; starts of warps are told by `started`."""
        self.csrs.forget()
        self.m.reserved = self.machine.cores[0].reservations.any
        for core in self.machine.cores:
            self._core_to_c(core)
            for warp in core.warps:
                self._warp_to_c(warp)

    def leave(self) -> None:
        """C's state goes to Python."""
        self._account()
        for core in self.machine.cores:
            self._core_to_python(core)
            for warp in core.warps:
                self._warp_to_python(warp)

    def run(self) -> int:
        """Step until Python has something to do; one of the reasons of golden_model/fast/loop.c."""
        return int(self._run(ctypes.byref(self.m)))

    def random_to_c(self, generator: random.Random) -> None:
        """C goes on drawing where Python stopped."""
        _, state, _ = generator.getstate()
        self.m.random[:] = state[:624]
        self.m.random_at = state[624]

    def random_to_python(self, generator: random.Random) -> None:
        """Python goes on drawing where C stopped."""
        version, _, gauss = generator.getstate()
        generator.setstate((version, (*self.m.random, self.m.random_at), gauss))

    def ended_warps(self) -> list[Warp]:
        """Warps that have ended in C since the last call; they are inactive on the Python side afterwards."""
        ended = []
        for core, shared in zip(self.machine.cores, self.cores, strict=True):
            for wid in range(len(core.warps)):
                if shared.ended >> wid & 1:
                    warp = core.warps[wid]
                    self._scalars_to_python(warp)
                    ended.append(warp)
        self._account()
        for shared in self.cores:
            shared.ended = 0
        self.m.ended = 0
        return ended

    def _account(self) -> None:
        """Let C give back the slots of warps that have ended, if it dispatches."""
        if self.m.native and self.m.ended:
            self.library.account(ctypes.byref(self.m))

    def end(self, warp: Warp) -> None:
        """Account for a warp that has ended in C, as `Warp._end` does."""
        unit = warp.core.global_barriers
        if unit.busy:
            for core in self.machine.cores:
                self._core_to_python(core)
                for other in core.warps:
                    self._scalars_to_python(other)
            unit.warp_ended(warp.core)
            for core in self.machine.cores:
                self._core_to_c(core)
                for other in core.warps:
                    self._scalars_to_c(other)
            self.m.foreign_end = unit.busy

    @property
    def changes(self) -> int:
        """Stores in C that have changed memory; counted with diagnosis only."""
        return int(self.m.changes)

    def place(self, warp: Warp) -> tuple[int, int]:
        """PC and thread mask of a warp while C runs."""
        shared = self._shared(warp)
        return int(shared.pc), int(shared.tmask)

    def state(self, warp: Warp) -> State:
        """All that decides what a warp does next, while C runs."""
        self._warp_to_python(warp)
        return state_of(warp)

    def started(self, warp: Warp) -> None:
        """Dispatch has started a warp on the Python side."""
        self._scalars_to_c(warp)
        self.csrs.refresh(warp)

    # ------------------------------------------------------------------ one instruction in the readable tier

    def next_pc(self, core: Core, warp: Warp) -> int:
        """Where the warp is."""
        return int(self._shared(warp).pc)

    def retry(self, core: Core, warp: Warp) -> None:
        """C is to try the warp's step again."""
        self.cores[core.core_id].ready |= 1 << warp.wid

    def step_readable(self, core: Core, warp: Warp, diagnosis: Diagnosis | None = None) -> Step:
        """Execute the warp's next instruction in Python, with everything that it may read or change."""
        if self.m.native:
            self.dispatching.sync_warps()
        self._warp_to_python(warp)
        pc = warp.pc
        op = self.machine.code.by_pc.get(pc)
        # Barriers and the end of a warp may concern other cores.
        cores = [core] if op is not None and op.instruction.unit is not Unit.SIMT else self.machine.cores
        others = [other for each in cores for other in each.warps if other is not warp]
        for each in cores:
            self._core_to_python(each)
        for other in others:
            self._scalars_to_python(other)
        if diagnosis is not None:
            diagnosis.before(warp)
        step = warp.step()
        for each in cores:
            self._core_to_c(each)
        self._warp_to_c(warp)
        for other in others:
            self._scalars_to_c(other)
        if step.warp_ended and self.m.native:
            self.dispatching.ended_in_python(warp)
        self.learn(pc, step)
        return step

    def learn(self, pc: int, step: Step) -> None:
        """Python has executed the instruction at `pc`: what C may do by itself from now on."""
        core = self.machine.cores[0]
        self.pages.fetched(pc)
        self.m.reserved = core.reservations.any
        self.m.foreign_end = core.global_barriers.busy
        op = self.machine.code.by_pc.get(pc)
        if op is not None and not step.findings:
            if pc in self.machine.code.dispatch_calls:
                self.m.approved_call = step.next_pc
            if (
                op.instruction.unit is Unit.CSR
                and op.csr in self.csrs.index
                and self.csrs.use(op.csr)
                and self.m.native
            ):
                self.dispatching.use_csr(op.csr)

    # ------------------------------------------------------------------ both directions

    def _shared(self, warp: Warp) -> Any:
        return self._warps[warp.core.core_id][warp.wid]

    def _core_to_c(self, core: Core) -> None:
        shared = self.cores[core.core_id]
        shared.mcycle, shared.minstret = core.mcycle, core.minstret
        self._entries[core.core_id][:] = [entry.fields() for entry in core.barriers.entries]

    def _core_to_python(self, core: Core) -> None:
        shared = self.cores[core.core_id]
        core.mcycle, core.minstret = shared.mcycle, shared.minstret
        for entry, row in zip(core.barriers.entries, self._entries[core.core_id].tolist(), strict=True):
            entry.restore(row)

    def _scalars_to_c(self, warp: Warp) -> None:
        shared = self._shared(warp)
        shared.pc, shared.uid, shared.tmask, shared.last = warp.pc, warp.uid, warp.tmask, warp.last
        shared.blocked, shared.fcsr, shared.has_cta = warp.blocked, warp.fcsr, warp.resident is not None
        shared.saved_mask, shared.spawned, shared.slot = warp.saved_mask, warp.spawned, warp.slot
        shared.csr[:] = [warp.csr_storage.get(number, 0) for number in STORED_CSRS]
        entries = warp.ipdom.entries
        shared.ipdom_len = len(entries)
        for i, entry in enumerate(entries):
            mine = shared.ipdom[i]
            mine.mask, mine.pc, mine.second, mine.first_join = entry.mask, entry.pc, entry.second, entry.first_join

    def _scalars_to_python(self, warp: Warp) -> None:
        shared = self._shared(warp)
        warp.pc, warp.uid, warp.blocked, warp.fcsr = shared.pc, shared.uid, bool(shared.blocked), shared.fcsr
        warp.saved_mask = shared.saved_mask
        if shared.tmask != warp.tmask:
            warp.set_mask(shared.tmask)
        for number, value in zip(STORED_CSRS, shared.csr, strict=True):
            if value or number in warp.csr_storage:
                warp.csr_storage[number] = value
        warp.ipdom.entries[:] = [
            IpdomEntry(entry.mask, entry.pc, bool(entry.second), entry.first_join)
            for entry in shared.ipdom[: shared.ipdom_len]
        ]

    def _warp_to_c(self, warp: Warp) -> None:
        shared, core = self._shared(warp), warp.core.core_id
        self._x[core][warp.wid][:] = warp.regs
        shared.undef[:] = warp.undef
        if self.machine.config.ext_f:
            self._f[core][warp.wid][:] = warp.fregs
            shared.fundef[:] = warp.fundef
        self._scalars_to_c(warp)

    def _warp_to_python(self, warp: Warp) -> None:
        shared, core = self._shared(warp), warp.core.core_id
        warp.regs[:] = self._x[core][warp.wid].tolist()
        warp.undef[:] = shared.undef
        if self.machine.config.ext_f:
            warp.fregs[:] = self._f[core][warp.wid].tolist()
            warp.fundef[:] = shared.fundef
        self._scalars_to_python(warp)


def _view(warp: Any, name: str) -> Any:
    """A numpy view of a register file of the C side, (32, lanes)."""
    return np.ctypeslib.as_array(getattr(warp, name))


def _words(core: Any, name: str, layout: Any) -> Any:
    """The barrier entries of a core as (entries, words)."""
    place = getattr(layout, name)
    count = place.size // 4
    words = (ctypes.c_uint32 * count).from_buffer(core, place.offset)
    return np.ctypeslib.as_array(words).reshape(-1, ctypes.sizeof(core.barriers[0]) // 4)
