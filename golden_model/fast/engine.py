"""The C state of one machine and its agreement with the Python objects.

While `run` is in C the registers, masks and barriers of the C side are the truth; the Python side gets them back for a
warp whenever the readable tier executes an instruction of it, and for all at the end of a run. Bytes of memory and
their shadows are the same memory on both sides.
"""

from __future__ import annotations

import ctypes
import mmap
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from golden_model.diagnosis.diagnosis import STALE_REGISTERS, Diagnosis
from golden_model.diagnosis.events import ENTERS_KERNEL, diagnosis_flags
from golden_model.diagnosis.livelock import State, state_of
from golden_model.fast.build import NoFastTier, library
from golden_model.fast.dispatching import Dispatching
from golden_model.fast.layout import MAX_BUFFERS, PAGE_OPS, STORED_CSRS
from golden_model.fast.shadow import NativeShadow
from golden_model.ipdom import IpdomEntry
from golden_model.isa.decode import Decoded
from golden_model.isa.instruction import Unit
from golden_model.memory import PAGE_BITS, Memory

if TYPE_CHECKING:
    from golden_model.core import Core
    from golden_model.csr import Read
    from golden_model.cta import Dim3
    from golden_model.machine import Machine
    from golden_model.memory import Page
    from golden_model.step import Step
    from golden_model.warp import Warp

_MSCRATCH = STORED_CSRS.index(0x340)
_AHEAD = 64  # instructions decoded at a time


class Engine:
    """Fast tier of one machine. Raises NoFastTier if there can be none."""

    def __init__(self, machine: Machine, traced: bool = False) -> None:
        if type(machine.memory) is not Memory:
            raise NoFastTier("this machine's memory is a view of another one, which the fast tier does not know")
        self.machine = machine
        active = machine.diagnosis is not None and machine.diagnosis.active and not traced
        self._diagnosis = diagnosis = machine.diagnosis if active else None
        self.tables, self.library = library(machine.config, traced, diagnosis is not None)
        self.traced = traced
        self._run = self.library.run
        layout = self.tables.layout
        self._functions = (ctypes.c_uint64 * len(self.tables.rows)).in_dll(self.library, "exec_table")
        self._row_index = {id(row): i for i, row in enumerate(self.tables.rows)}
        self._csr_index = {csr.number: i for i, csr in enumerate(self.tables.csrs, 1)}
        self._used_csrs: set[int] = set()
        self._cta_csrs: list[int] = []  # those of them that each start of a warp may change, lane by lane
        self._simple_csrs: list[tuple[int, int, Read]] = []  # and those that are the same in every lane
        self._launch_csrs: list[int] = []  # those that only the first start in a launch may change
        self._launched: set[tuple[int, int]] = set()  # warps started in this run, (core, warp)

        self._page_size = ctypes.sizeof(layout.page.python)
        self._page_map = mmap.mmap(-1, (machine.memory.size >> PAGE_BITS) * self._page_size)
        self._pages: Any = (layout.page.python * (machine.memory.size >> PAGE_BITS)).from_buffer(self._page_map)
        self._ops: dict[int, Any] = {}  # page number -> array of Op
        self._alive: list[object] = []

        self.cores: Any = (layout.core.python * len(machine.cores))()
        self.m: Any = layout.machine.python()
        self.m.pages = ctypes.addressof(self._pages)
        self.m.cores = ctypes.addressof(self.cores)
        self.m.num_cores = len(machine.cores)
        self.shadow: NativeShadow | None = None
        if diagnosis is not None:
            self.shadow = NativeShadow(self.library, diagnosis.setting, len(machine.cores[0].barriers.entries))
            self.m.diag = self.shadow.state
        self._warps = [list(core.warps) for core in self.cores]
        self._csr_values = [[_view(warp, "csr_values") for warp in core] for core in self._warps]
        self._last_csr: dict[tuple[int, int, int], int] = {}  # values that C has, of registers with one for all lanes
        self._last_threads: dict[tuple[int, int, int], tuple[list[Dim3], int]] = {}
        self._x = [[_view(warp, "x") for warp in core.warps] for core in self.cores]
        self._f = [[_view(warp, "f") for warp in core.warps] for core in self.cores]
        self._entries = [_words(core, "barriers", layout.core.python) for core in self.cores]

        for number, page in machine.memory.existing().items():
            self._add_page(number, page)
        machine.memory.on_page = self._add_page
        for core, shared in zip(machine.cores, self.cores, strict=True):
            first = machine.config.lmem_base >> PAGE_BITS
            adder = _lmem_adder(shared, first, self._alive)
            for number, page in core.lmem.existing().items():
                adder(number, page)
            core.lmem.on_page = adder
            for warp, mine in zip(core.warps, shared.warps, strict=True):
                mine.wid = warp.wid
        machine.code.on_forget = self.forget
        self.reg_mask = (1 << machine.config.xlen) - 1
        self.dispatching = Dispatching(self)

    # ------------------------------------------------------------------ memory and code

    def _add_page(self, number: int, page: Page) -> None:
        shared = self._pages[number]
        shared.data, shared.shadow = _address(page.data, self._alive), _address(page.shadow, self._alive)

    def forget(self) -> None:
        """Code changed: nothing decoded is valid."""
        for number in self._ops:
            self._pages[number].ops = 0
        self._ops.clear()
        self.m.approved_call = self.m.window = 0
        for number, page in self.machine.memory.existing().items():
            self._pages[number].is_code = page.is_code

    def decode(self, pc: int) -> bool:
        """Make the instructions from `pc` on known to C; False if there is none that it may execute."""
        if pc == 0 or pc & 3 or pc + 4 > self.machine.memory.size:
            return False
        code = self.machine.code
        for address in range(pc, min(pc + 4 * _AHEAD, self.machine.memory.size - 3), 4):
            if address not in code.images:
                return address != pc
            op = code.by_pc.get(address) or code.fetch(address)[1]
            if op is None or (self._diagnosis is not None and self._diagnosis.stored_by(address)):
                return address != pc
            self._install(address, op)
        return True

    def _install(self, pc: int, op: Decoded) -> None:
        number = pc >> PAGE_BITS
        if number not in self._ops:
            self._ops[number] = (self.tables.layout.op.python * PAGE_OPS)()
            self._pages[number].ops = ctypes.addressof(self._ops[number])
        self._pages[number].is_code = 1
        entry = self._ops[number][pc >> 2 & PAGE_OPS - 1]
        entry.imm, entry.rd, entry.rs1, entry.rs2, entry.rs3 = op.imm, op.rd, op.rs1, op.rs2, op.rs3
        entry.csr, entry.rm = op.csr, op.rm
        entry.window_call = pc in self.machine.code.dispatch_calls
        if op.instruction.unit is Unit.CSR:
            index = entry.csr_index = self._csr_index.get(op.csr, 0)
            if index:
                csr = self.tables.csrs[index - 1]
                entry.csr_kind = csr.changes
                entry.csr_flags = (csr.write is not None) | csr.ignores_writes << 1 | csr.choice << 2
        if self.traced:
            entry.word, entry.unit = op.word, op.instruction.unit is Unit.SIMT
        if self._diagnosis is not None:
            entry.diag = diagnosis_flags(op) | ENTERS_KERNEL * entry.window_call
        entry.fn = self._functions[self._row_index[id(op.instruction)]]

    # ------------------------------------------------------------------ a whole run

    def enter(self) -> None:
        """Python's state goes to C."""
        ranges = list(self.machine.host_buffers)
        if len(ranges) > MAX_BUFFERS:
            raise NoFastTier(f"the host has {len(ranges)} buffers, the fast tier keeps {MAX_BUFFERS}")
        for i, (start, end) in enumerate(ranges):
            self.m.buffer_lo[i], self.m.buffer_hi[i] = start, end
        self.m.buffers = len(ranges)
        self.m.reserved = self.machine.cores[0].reservations.any
        self.m.executed = self.m.threads = 0
        self._launched.clear()
        self._last_csr.clear()
        self._last_threads.clear()
        self.m.ended = self.m.native = self.m.dispatching = self.m.ctas = self.m.starts = 0
        self.m.approved_call = 0
        self.m.core_at = self.m.num_cores  # at the end of a round
        for number, page in self.machine.memory.existing().items():
            self._pages[number].is_code = page.is_code
        for core, shared in zip(self.machine.cores, self.cores, strict=True):
            shared.ready = shared.ended = 0
            self._core_to_c(core)
            for warp in core.warps:
                self._warp_to_c(warp)
                self._refresh_csrs(warp)
        self._launched.clear()  # warps that have started already keep what they have; a start brings the rest

    def take_back(self) -> None:
        """Python's state goes to C, within a run; starts of warps are told by `started`."""
        self._launched.clear()  # C may have written other values of CSRs since
        self._last_csr.clear()
        self._last_threads.clear()
        self.m.reserved = self.machine.cores[0].reservations.any
        for core in self.machine.cores:
            self._core_to_c(core)
            for warp in core.warps:
                self._warp_to_c(warp)

    def provide(self, core: Core, address: int) -> bool:
        """Make the page at an address; False if there is one."""
        memory = core.memory_at(address)
        if address >= memory.size or address >> PAGE_BITS in memory.existing():
            return False
        memory.prepare(address)
        return True

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
        if not self.m.native and warp.resident is not None and not warp.spawned:
            warp.core.warp_ended(warp.resident)

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
        if self._diagnosis is not None and self._diagnosis.stale:
            shared = self._shared(warp)
            for register in STALE_REGISTERS:
                shared.undef[register] = warp.full_mask
            shared.fundef[:] = [warp.full_mask] * 32
        self._refresh_csrs(warp)

    # ------------------------------------------------------------------ one instruction in the readable tier

    def next_pc(self, core: Core, warp: Warp) -> int:
        """Where the warp is."""
        return int(self._shared(warp).pc)

    def knows(self, pc: int) -> bool:
        """Whether C has the instruction at `pc`."""
        ops = self._ops.get(pc >> PAGE_BITS)
        return ops is not None and bool(ops[pc >> 2 & PAGE_OPS - 1].fn)

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
        self._pages[pc >> PAGE_BITS].is_code |= pc >> PAGE_BITS in self._ops
        self.m.reserved = core.reservations.any
        self.m.foreign_end = core.global_barriers.busy
        op = self.machine.code.by_pc.get(pc)
        if op is not None and not step.findings:
            if pc in self.machine.code.dispatch_calls:
                self.m.approved_call = step.next_pc
            if op.instruction.unit is Unit.CSR and op.csr in self._csr_index:
                self._use_csr(op.csr)

    # ------------------------------------------------------------------ both directions

    def _refresh_csrs(self, warp: Warp) -> None:
        """Values of the registers that a start of the warp sets, as far as any warp has read them."""
        if warp.resident is None:
            return
        place = (warp.core.core_id, warp.wid)
        values = self._csr_values[warp.core.core_id][warp.wid]
        mask = warp.xlen.mask
        for number, index, read in self._simple_csrs:  # the same in every lane
            value = read(warp, 0) & mask
            if self._last_csr.get((*place, number)) != value:
                self._last_csr[*place, number] = value
                values[index] = value
        for number in self._cta_csrs:
            self._refresh_csr(warp, number)
        if (warp.core.core_id, warp.wid) not in self._launched:
            self._launched.add((warp.core.core_id, warp.wid))
            for number in self._launch_csrs:
                self._refresh_csr(warp, number)

    def _refresh_csr(self, warp: Warp, number: int) -> None:
        """Value per lane, active or not, and where it has none."""
        index = self._csr_index[number]
        csr, shared, mask = self.tables.csrs[index - 1], self._shared(warp), warp.xlen.mask
        values = self._csr_values[warp.core.core_id][warp.wid]
        if csr.of_cta and csr.undefined is None:  # the same in every lane
            value = csr.read(warp, 0) & mask
            place = (warp.core.core_id, warp.wid, number)
            if self._last_csr.get(place) == value:
                return
            self._last_csr[place] = value
            values[index] = value
        else:
            if csr.of_cta:  # of the thread indices
                threads = self._last_threads.get(shared_place := (warp.core.core_id, warp.wid, number))
                if threads == (warp.thread_idx, warp.cta_mask):
                    return
                self._last_threads[shared_place] = (warp.thread_idx, warp.cta_mask)
            values[index] = [csr.read(warp, i) & mask for i in range(warp.num_lanes)]
            shared.csr_undefined[index] = 0 if csr.undefined is None else csr.undefined(warp)
        shared.csr_valid[index] = 1

    def _use_csr(self, number: int) -> None:
        """A warp has read the register: from now on C knows its value in every warp that has one."""
        csr = self.tables.csrs[self._csr_index[number] - 1]
        if csr.changes or number in self._used_csrs:
            return
        self._used_csrs.add(number)
        self._last_csr.clear()  # C may have written other values since
        self._last_threads.clear()
        if csr.of_cta:
            if self.m.native:
                self.dispatching.use_csr(number)
            if csr.of_launch:
                self._launch_csrs.append(number)
            elif csr.undefined is None:
                self._simple_csrs.append((number, self._csr_index[number], csr.read))
            else:
                self._cta_csrs.append(number)
        for core in self.machine.cores:
            for warp in core.warps:
                if warp.resident is not None or not csr.of_cta:
                    self._refresh_csr(warp, number)

    @property
    def used_cta_csrs(self) -> list[int]:
        """Registers that a start of a warp sets and that any warp has read."""
        return [*(number for number, _, _ in self._simple_csrs), *self._cta_csrs, *self._launch_csrs]

    def csr_index(self, number: int) -> int:
        """Index of a register in the tables of C."""
        return self._csr_index[number]

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


def _address(data: bytearray | memoryview, alive: list[object]) -> int:
    pinned = ctypes.c_char.from_buffer(data)
    alive.append(pinned)
    return ctypes.addressof(pinned)


def _lmem_adder(core: Any, first: int, alive: list[object]) -> Any:
    def add(number: int, page: Page) -> None:
        if first <= number < first + len(core.lmem):
            shared = core.lmem[number - first]
            shared.data, shared.shadow = _address(page.data, alive), _address(page.shadow, alive)

    return add
