"""The readable tier's memory checks: races, bounds, stack pointers. One dictionary entry per byte that was touched.

golden_model/fast/diagnosis.c does the same on words; both must find the same (tests/unit/test_golden_diag_tiers.py).
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from golden_model.diagnosis.clocks import Clocks, Mark
from golden_model.diagnosis.found import Access, Found, FoundLog, Kind

STACK_POINTER = 2


class Region(NamedTuple):
    """Half-open range of addresses."""

    start: int
    end: int

    def holds(self, addr: int, size: int) -> bool:
        return self.start <= addr and addr + size <= self.end


@dataclass(frozen=True)
class Setting:
    """What a shadow is asked to check, and where things lie."""

    races: bool
    bounds: bool
    stack: bool
    strict_lanes: bool  # lanes that store the same value to one place are a race too
    contexts: int
    warps: int  # of a core
    local: Region  # local memory of each core
    stacks: Region  # of all harts
    io: Region


@dataclass
class Memory:
    """What one warp instruction did to memory, lane by lane; several accesses of one lane follow each other."""

    access: Access
    size: int
    base: int  # number of the integer register that the address came from
    lanes: list[int]
    addresses: list[int]
    data: list[int] = field(default_factory=list)  # of stores
    silent: int = 0  # of stores in start-up code: those (bit = position in the lists) that changed nothing


class Shadow(Protocol):
    """What both tiers offer."""

    def launch(self, regions: Sequence[Region] | None) -> None:
        """A launch begins: nothing before it is a race. `regions`: what may be accessed; None = not checked."""

    def watch(self, rows: list[tuple[int, int, int]]) -> None:
        """Ranges of code and where the PC of a store into them goes, for stores that Python does not see."""

    def start(self, context: int, block: int, rank: int, local: Region, first_use: bool) -> None:
        """Warp `rank` of block number `block` starts; `local` is the block's local memory."""

    def starting(self, context: int) -> bool:
        """Whether the warp is in its start-up code."""
        ...

    def entered(self, context: int) -> None:
        """The start-up code is over: the warp calls its kernel."""

    def knows_hart(self, context: int) -> None:
        """The warp has asked for its hart: memory may be meant for that, from block to block."""

    def private(self, region: Region) -> None:
        """Where the thread-local memory of all harts lies."""

    def instruction(self, context: int, pc: int, memory: Memory) -> None:
        """A load, store or atomic was executed."""

    def fence(self, context: int) -> None: ...
    def arrive(self, context: int, key: int, waits: bool) -> None: ...
    def wait(self, context: int, key: int) -> None: ...
    def flip(self, key: int) -> None: ...
    def passed(self, context: int, key: int) -> None: ...
    def spawn(self, parent: int, child: int) -> None: ...
    def stack_set(self, context: int, lanes: int, pc: int) -> None: ...
    def end(self, context: int) -> None: ...
    def drain(self) -> list[Found]: ...
    def repeated(self) -> list[tuple[Found, int]]: ...


@dataclass(slots=True)
class Cell:
    """Last write of a byte, and the reads since that no later read comes after."""

    write: Mark | None = None
    write_access: Access = Access.STORE
    reads: list[Mark] = field(default_factory=list)


@dataclass(slots=True)
class _Pending:
    """A plain load of what an atomic or a flag store wrote: fine if a fence follows."""

    found: Found
    variable: Hashable


class ReadableShadow:
    """See `Shadow`."""

    PENDING = 64  # loads that may wait for their fence; more are reported

    def __init__(self, setting: Setting) -> None:
        self.setting = setting
        self.clocks = Clocks(setting.contexts)
        self.launch(None)

    def launch(self, regions: Sequence[Region] | None) -> None:
        count = self.setting.contexts
        self.clocks.launch()
        self.log = FoundLog()
        self._cells: dict[tuple[int, int], Cell] = {}
        self._regions = regions
        self._local = [Region(0, 0)] * count
        self._stack_lanes = [0] * count
        self._stack_pc = [0] * count
        self._startup = [False] * count
        self._by_hart = [False] * count
        self._private = Region(0, 0)
        self._flag_next = [False] * count  # a fence was the last thing before a store
        self._pending: list[list[_Pending]] = [[] for _ in range(count)]
        self._stamp = 0

    def watch(self, rows: list[tuple[int, int, int]]) -> None:
        pass  # Python sees every store

    def start(self, context: int, block: int, rank: int, local: Region, first_use: bool) -> None:
        self.clocks.start(context, block)
        self._local[context] = local
        self._flag_next[context] = False
        self._pending[context].clear()
        core = context // self.setting.warps
        if rank == 0:
            for addr in range(local.start, local.end):
                self._cells.pop((core, addr), None)  # the block before has retired
        self._startup[context] = first_use
        self._by_hart[context] = False
        if first_use:
            self._stack_lanes[context] = 0

    def starting(self, context: int) -> bool:
        return self._startup[context]

    def entered(self, context: int) -> None:
        self._startup[context] = False

    def knows_hart(self, context: int) -> None:
        self._by_hart[context] |= not self._startup[context]

    def private(self, region: Region) -> None:
        self._private = region

    def instruction(self, context: int, pc: int, memory: Memory) -> None:
        self._stamp += 1
        setting = self.setting
        if self._startup[context]:
            if setting.races and memory.access is Access.STORE:
                self._check_startup(context, pc, memory)
            return
        if setting.bounds:
            self._check_bounds(context, pc, memory)
        if setting.stack and memory.base == STACK_POINTER:
            self._check_stack(context, pc, memory)
        if setting.races:
            self._check_races(context, pc, memory)

    # ------------------------------------------------------------------ bounds and stack

    def _check_bounds(self, context: int, pc: int, memory: Memory) -> None:
        setting = self.setting
        for lane, addr in zip(memory.lanes, memory.addresses, strict=True):
            if setting.local.holds(addr, 1):
                fine = self._local[context].holds(addr, memory.size)
            elif self._regions is None:
                fine = True
            else:
                fine = any(region.holds(addr, memory.size) for region in (self._private, *self._regions))
            if not fine:
                self.log.add(self._found(Kind.BOUNDS, context, pc, lane, addr, memory), self._stamp)

    def _check_stack(self, context: int, pc: int, memory: Memory) -> None:
        for lane, addr in zip(memory.lanes, memory.addresses, strict=True):
            if not self._stack_lanes[context] >> lane & 1:
                found = self._found(Kind.STACK, context, pc, lane, addr, memory)
                found.other_pc = self._stack_pc[context]
                found.other_lanes = self._stack_lanes[context]
                self.log.add(found, self._stamp)

    def stack_set(self, context: int, lanes: int, pc: int) -> None:
        self._stack_lanes[context] |= lanes
        self._stack_pc[context] = pc

    # ------------------------------------------------------------------ races

    def _check_races(self, context: int, pc: int, memory: Memory) -> None:
        setting, clocks, access = self.setting, self.clocks, memory.access
        if access is Access.STORE:
            self._check_lanes(context, pc, memory)
        if access is not Access.LOAD:
            self._flush(context)
        flag = access is Access.STORE and self._flag_next[context]
        if access in (Access.STORE, Access.ATOMIC):
            self._flag_next[context] = False
        released = False
        for lane, addr in zip(memory.lanes, memory.addresses, strict=True):
            if setting.io.holds(addr, 1):
                continue
            core = context // setting.warps if setting.local.holds(addr, 1) else -1
            variable = (core, addr & ~3)
            if access in (Access.ATOMIC, Access.RESERVED_LOAD):
                clocks.atomic(context, variable)
                released = True
            elif flag:
                clocks.publish(context, variable)
                released = True
            atomic = flag or access in (Access.ATOMIC, Access.RESERVED_LOAD)
            mark = Mark(context, clocks.clock[context], pc, lane, atomic)
            if access in (Access.LOAD, Access.RESERVED_LOAD):
                self._read(mark, core, addr, memory, variable)
            else:
                self._write(mark, core, addr, memory)
        if released:
            clocks.advance(context)

    def _check_startup(self, context: int, pc: int, memory: Memory) -> None:
        """Start-up code gives every warp the same initial values: it counts as done before the launch.

        Only where it changes what a warp that is further has used already, it races.
        """
        for at, (lane, addr) in enumerate(zip(memory.lanes, memory.addresses, strict=True)):
            if memory.silent >> at & 1 or self.setting.io.holds(addr, 1):
                continue
            core = context // self.setting.warps if self.setting.local.holds(addr, 1) else -1
            self._write(Mark(context, self.clocks.clock[context], pc, lane, False), core, addr, memory)
            for place in range(addr, addr + memory.size):
                self._cells[core, place].write = None

    def _check_lanes(self, context: int, pc: int, memory: Memory) -> None:
        """Lanes of one store that disagree about a byte."""
        size = memory.size
        for at, addr in enumerate(memory.addresses):
            for before in range(at):
                other = memory.addresses[before]
                low, high = max(addr, other), min(addr, other) + size
                if low >= high:
                    continue
                width = (1 << 8 * (high - low)) - 1
                mine = memory.data[at] >> 8 * (low - addr) & width
                theirs = memory.data[before] >> 8 * (low - other) & width
                if mine != theirs or self.setting.strict_lanes:
                    found = self._found(Kind.RACE_LANE, context, pc, memory.lanes[at], addr, memory)
                    found.other_pc, found.other_lanes = pc, 1 << memory.lanes[before]
                    found.other_context, found.other_access = context, memory.access
                    found.other_block = found.block
                    self.log.add(found, self._stamp)
                    break

    def _read(self, mark: Mark, core: int, addr: int, memory: Memory, variable: Hashable) -> None:
        clocks, reported = self.clocks, False
        for place in range(addr, addr + memory.size):
            cell = self._cells.setdefault((core, place), Cell())
            write = cell.write
            if write is not None and not reported and self._collides(write, mark, place):
                reported = True
                found = self._race(mark, write, cell.write_access, addr, memory)
                if write.atomic:
                    self._postpone(mark.context, found, variable)
                else:
                    self.log.add(found, self._stamp)
            reads = cell.reads
            known = next((i for i, read in enumerate(reads) if read.context == mark.context), None)
            if known is not None:
                reads[known] = mark
            else:
                cell.reads = [read for read in reads if not clocks.ordered(read, mark.context)]
                cell.reads.append(mark)

    def _write(self, mark: Mark, core: int, addr: int, memory: Memory) -> None:
        reported = False
        for place in range(addr, addr + memory.size):
            cell = self._cells.setdefault((core, place), Cell())
            write = cell.write
            if write is not None and not reported and self._collides(write, mark, place):
                reported = True
                self.log.add(self._race(mark, write, cell.write_access, addr, memory), self._stamp)
            if not reported and not mark.atomic:
                for read in cell.reads:
                    if self._collides(read, mark, place):
                        reported = True
                        self.log.add(self._race(mark, read, Access.LOAD, addr, memory), self._stamp)
                        break
            cell.write, cell.write_access, cell.reads = mark, memory.access, []

    def _collides(self, mark: Mark, now: Mark, addr: int) -> bool:
        """Not ordered, not both atomic; and not by an earlier block on the same hart, or in memory of the hart."""
        if self.clocks.ordered(mark, now.context) or (mark.atomic and now.atomic):
            return False
        own = self._private.holds(addr, 1) or self.setting.stacks.holds(addr, 1)
        own = own or (self._by_hart[now.context] and mark.lane == now.lane)
        return mark.context != now.context or not own

    def _race(self, mark: Mark, other: Mark, other_access: Access, addr: int, memory: Memory) -> Found:
        clocks, warps = self.clocks, self.setting.warps
        found = self._found(Kind.RACE_CTA, mark.context, mark.pc, mark.lane, addr, memory)
        found.other_block = clocks.block_of(other.context, other.clock)
        if other.context // warps != mark.context // warps:
            found.kind = Kind.RACE_CORE
        elif found.other_block == found.block:
            found.kind = Kind.RACE_WARP
        found.other_access, found.other_context, found.other_pc = other_access, other.context, other.pc
        found.other_lanes = 1 << other.lane
        return found

    def _found(self, kind: Kind, context: int, pc: int, lane: int, addr: int, memory: Memory) -> Found:
        block = self.clocks.blocks[context][-1] if self.clocks.blocks[context] else 0
        return Found(kind, context, block, pc, 1 << lane, addr, memory.size, memory.access)

    # ------------------------------------------------------------------ loads that wait for a fence

    def _postpone(self, context: int, found: Found, variable: Hashable) -> None:
        waiting = self._pending[context]
        waiting[:] = [each for each in waiting if (each.found.pc, each.found.lanes) != (found.pc, found.lanes)]
        if len(waiting) == self.PENDING:
            self._flush(context)
        waiting.append(_Pending(found, variable))

    def _flush(self, context: int) -> None:
        for pending in self._pending[context]:
            self.log.add(pending.found, self._stamp)
        self._pending[context].clear()

    # ------------------------------------------------------------------ order

    def fence(self, context: int) -> None:
        self._stamp += 1
        for pending in self._pending[context]:
            self.clocks.observe(context, pending.variable)
        self._pending[context].clear()
        self.clocks.fence(context)
        self._flag_next[context] = True

    def arrive(self, context: int, key: int, waits: bool) -> None:
        self._stamp += 1
        self._flush(context)
        self.clocks.arrive(context, key, waits)

    def wait(self, context: int, key: int) -> None:
        self._stamp += 1
        self._flush(context)
        self.clocks.wait(context, key)

    def flip(self, key: int) -> None:
        self.clocks.flip(key)

    def passed(self, context: int, key: int) -> None:
        self._stamp += 1
        self._flush(context)
        self.clocks.passed(context, key)

    def spawn(self, parent: int, child: int) -> None:
        self.clocks.spawn(parent, child)

    def end(self, context: int) -> None:
        self._stamp += 1
        self._flush(context)

    def drain(self) -> list[Found]:
        return self.log.drain()

    def repeated(self) -> list[tuple[Found, int]]:
        return self.log.repeated()
