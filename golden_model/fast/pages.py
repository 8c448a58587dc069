"""Memory as C sees it: bytes and shadow bytes of each page, which are Python's, and the instructions decoded there."""

from __future__ import annotations

import ctypes
import mmap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from golden_model.diagnosis.diagnosis import Diagnosis
from golden_model.diagnosis.events import ENTERS_KERNEL, diagnosis_flags
from golden_model.fast.build import NoFastTier
from golden_model.fast.generate import Tables
from golden_model.fast.layout import MAX_SEGMENTS, PAGE_OPS
from golden_model.isa.decode import Decoded
from golden_model.isa.instruction import Unit
from golden_model.memory import PAGE_BITS, Memory

if TYPE_CHECKING:
    from golden_model.core import Core
    from golden_model.machine import Machine
    from golden_model.memory import Page

_AHEAD = 64  # instructions decoded at a time


class Pages:
    """The page tables of one machine. Memory that lies in another one in parts is known to traced engines only."""

    def __init__(self, machine: Machine, tables: Tables, functions: Any, m: Any, diagnosis: Diagnosis | None) -> None:
        self._machine, self._tables, self._m, self._diagnosis = machine, tables, m, diagnosis
        self._traced = tables.layout.traced
        self._functions = functions
        self._row_index = {id(row): i for i, row in enumerate(tables.rows)}
        self._csr_index = {csr.number: i for i, csr in enumerate(tables.csrs, 1)}
        self._maps: list[mmap.mmap] = []
        self._alive: list[object] = []
        self._ops: dict[int, Any] = {}  # page number -> array of Op
        self._pages = self._table(machine.memory.size)  # by address of the cores
        m.pages = ctypes.addressof(self._pages)
        if (parts := machine.memory.parts) is None:
            self._own = self._other = self._pages
            _share(machine.memory, self._add_page)
        elif not self._traced:
            raise NoFastTier("this machine's memory is a view of another one, which the fast tier does not know")
        else:
            self._own, self._other = self._table(parts.own.size), self._table(parts.other.size)
            m.own_pages, m.other_pages = ctypes.addressof(self._own), ctypes.addressof(self._other)
            _share(parts.own, self._add_own)
            _share(parts.other, self._add_other)
        machine.code.on_forget = self.forget

    def _table(self, size: int) -> Any:
        """Anonymous memory, of which only the pages that are used exist."""
        page, count = self._tables.layout.page.python, size >> PAGE_BITS
        self._maps.append(mmap.mmap(-1, count * ctypes.sizeof(page)))
        return (page * count).from_buffer(self._maps[-1])

    def enter(self) -> None:
        """A run begins: where memory lies, and which pages are code. Raises NoFastTier if C cannot have it so."""
        parts, m = self._machine.memory.parts, self._m
        if parts is None:
            self._note_code()
            return
        if parts.obstacle:
            raise NoFastTier(parts.obstacle)
        if len(parts.segments) > MAX_SEGMENTS:
            raise NoFastTier(f"memory lies in {len(parts.segments)} pieces, the fast tier keeps {MAX_SEGMENTS}")
        for number in parts.own.existing():
            self._pages[number].data = self._pages[number].shadow = 0
        m.num_segments = len(parts.segments)
        for place, segment in zip(m.segments, parts.segments, strict=False):
            place.start, place.end, place.offset = segment.start, segment.end, segment.offset
        for number in parts.own.existing():
            self._show_own(number)
        self._note_code()

    # ------------------------------------------------------------------ pages

    def add_local(self, core: Core, shared: Any) -> None:
        """Local memory of a core."""
        first, alive = self._machine.config.lmem_base >> PAGE_BITS, self._alive

        def add(number: int, page: Page) -> None:
            if first <= number < first + len(shared.lmem):
                _point(shared.lmem[number - first], page, alive)

        _share(core.lmem, add)

    def _add_page(self, number: int, page: Page) -> None:
        _point(self._pages[number], page, self._alive)

    def _add_other(self, number: int, page: Page) -> None:
        _point(self._other[number], page, self._alive)

    def _add_own(self, number: int, page: Page) -> None:
        _point(self._own[number], page, self._alive)
        self._show_own(number)

    def _show_own(self, number: int) -> None:
        """The cores' page is this one, unless other memory has a part of it: C looks for each access then."""
        first, end, m = number << PAGE_BITS, number + 1 << PAGE_BITS, self._m
        if all(place.end <= first or end <= place.start for place in m.segments[: m.num_segments]):
            self._pages[number].data, self._pages[number].shadow = self._own[number].data, self._own[number].shadow

    def provide(self, core: Core, address: int) -> bool:
        """Make the page at an address; False if there is one."""
        memory = core.memory_at(address)
        if address >= memory.size or memory.has_page(address):
            return False
        memory.prepare(address)
        return True

    # ------------------------------------------------------------------ code

    def _note_code(self) -> None:
        memory = self._machine.memory
        parts = memory.parts
        for owner, table in (
            ((memory, self._pages),) if parts is None else ((parts.own, self._own), (parts.other, self._other))
        ):
            for number, page in owner.existing().items():
                table[number].is_code = page.is_code
                if table is self._own:
                    self._pages[number].is_code = page.is_code

    def forget(self) -> None:
        """Code changed: nothing decoded is valid."""
        for number in self._ops:
            self._pages[number].ops = 0
        self._ops.clear()
        self._m.approved_call = self._m.window = 0
        self._note_code()

    def knows(self, pc: int) -> bool:
        """Whether C has the instruction at `pc`."""
        ops = self._ops.get(pc >> PAGE_BITS)
        return ops is not None and bool(ops[pc >> 2 & PAGE_OPS - 1].fn)

    def fetched(self, pc: int) -> None:
        """Python has fetched the instruction at `pc`: stores to its page concern code, if C has code there."""
        if pc >> PAGE_BITS in self._ops:
            self._note_code()

    def decode(self, pc: int) -> bool:
        """Make the instructions from `pc` on known to C; False if there is none that it may execute."""
        if pc == 0 or pc & 3 or pc + 4 > self._machine.memory.size:
            return False
        code, done = self._machine.code, False
        for address in range(pc, min(pc + 4 * _AHEAD, self._machine.memory.size - 3), 4):
            op = None
            if address in code.images:
                op = code.by_pc.get(address) or code.fetch(address)[1]
            if op is None or (self._diagnosis is not None and self._diagnosis.stored_by(address)):
                break
            self._install(address, op)
            done = True
        if done:
            self._note_code()
        return done

    def _install(self, pc: int, op: Decoded) -> None:
        number = pc >> PAGE_BITS
        if number not in self._ops:
            self._ops[number] = (self._tables.layout.op.python * PAGE_OPS)()
            self._pages[number].ops = ctypes.addressof(self._ops[number])
        entry = self._ops[number][pc >> 2 & PAGE_OPS - 1]
        entry.imm, entry.rd, entry.rs1, entry.rs2, entry.rs3 = op.imm, op.rd, op.rs1, op.rs2, op.rs3
        entry.csr, entry.rm = op.csr, op.rm
        entry.window_call = pc in self._machine.code.dispatch_calls
        if op.instruction.unit is Unit.CSR:
            index = entry.csr_index = self._csr_index.get(op.csr, 0)
            if index:
                csr = self._tables.csrs[index - 1]
                entry.csr_kind = csr.changes
                entry.csr_flags = (csr.write is not None) | csr.ignores_writes << 1 | csr.choice << 2
        if self._traced:
            entry.word, entry.unit = op.word, op.instruction.unit is Unit.SIMT
        if self._diagnosis is not None:
            entry.diag = diagnosis_flags(op) | ENTERS_KERNEL * entry.window_call
        entry.fn = self._functions[self._row_index[id(op.instruction)]]


def _share(memory: Memory, add: Callable[[int, Page], None]) -> None:
    """Tell of every page that exists, and of each that will be made."""
    for number, page in memory.existing().items():
        add(number, page)
    memory.on_page = add


def _point(shared: Any, page: Page, alive: list[object]) -> None:
    shared.data, shared.shadow = _address(page.data, alive), _address(page.shadow, alive)


def _address(data: bytearray | memoryview, alive: list[object]) -> int:
    pinned = ctypes.c_char.from_buffer(data)
    alive.append(pinned)
    return ctypes.addressof(pinned)
