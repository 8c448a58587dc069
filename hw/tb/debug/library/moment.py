"""The state of the processor at one cycle, put together from what was recorded before it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from golden_model.records.layout import BarrierOp, IpdomOp, Kind, MemoryOp, MemorySpace
from hw.tb.debug.library import words
from hw.tb.debug.library.commit import Commit
from hw.tb.debug.library.instructions import Epochs
from hw.tb.debug.library.residents import Residents, WarpLife
from hw.tb.debug.recording import Recording

_CHUNK = 1 << 16
Lanes = list[int | None]


@dataclass
class WarpMoment:
    """One active warp.

    Attributes:
        registers: by name, a value a lane; None where the recording has no write since the reset.
        ipdom: entries from the bottom: (mask, pc) of the side that comes next, as recorded at the push or flip.
        last: the instruction that committed last.
        barrier: id word of the barrier at which it is held, None if at none.
    """

    life: WarpLife
    registers: dict[str, Lanes] = field(default_factory=dict)
    ipdom: list[tuple[int, int]] = field(default_factory=list)
    last: Commit | None = None
    barrier: int | None = None

    def __str__(self) -> str:
        lines = [str(self.life)]
        if self.last is not None:
            lines.append(f"  last commit  {self.last}")
        if self.barrier is not None:
            lines.append(f"  held at barrier {self.barrier:#x}")
        if self.ipdom:
            lines.append("  ipdom        " + ", ".join(f"mask {mask:b} pc {pc:#x}" for mask, pc in self.ipdom))
        for name, values in self.registers.items():
            shown = " ".join("        ?" if value is None else f"{value:9x}" for value in values)
            lines.append(f"  {name:5s}{shown}")
        return "\n".join(lines)


@dataclass
class Moment:
    """All active warps after everything that was recorded up to and including `cycle`; local memory by core."""

    cycle: int
    warps: list[WarpMoment]
    lmem: dict[int, dict[int, int]]  # core -> byte address -> value, where a store was recorded

    def warp(self, core: int, warp: int) -> WarpMoment:
        """Raises KeyError if that warp is not active."""
        for found in self.warps:
            if (found.life.core, found.life.warp) == (core, warp):
                return found
        active = ", ".join(f"core {item.life.core} warp {item.life.warp}" for item in self.warps) or "none"
        raise KeyError(f"core {core} warp {warp} is not active in cycle {self.cycle}; active: {active}")

    def __repr__(self) -> str:
        return "\n".join([f"cycle {self.cycle:,}", *(str(warp) for warp in self.warps)])


def moment(recording: Recording, epochs: Epochs, residents: Residents, cycle: int) -> Moment:
    """State at the end of a cycle (`last` is left out; the run fills it in)."""
    alive = [
        WarpMoment(life) for life in residents.warps if life.begin <= cycle and (life.end is None or life.end > cycle)
    ]
    run = recording[Kind.RUN]
    rows = run.window(0, cycle)
    start = epochs.start(int(run["seq"][rows][-1]) + 1) if rows.stop else 0
    epoch = {item.life.stream >> 20 for item in alive}
    if epoch:  # a warp that a reset ended has no end of its own
        alive = [item for item in alive if item.life.stream >> 20 == max(epoch)]
    _registers(recording, epochs, alive, cycle, start)
    for item in alive:
        item.ipdom = _ipdom(recording, item, cycle, start)
        item.barrier = _barrier(recording, item, cycle, start)
    return Moment(cycle, alive, _lmem(recording, cycle, start))


def _registers(recording: Recording, epochs: Epochs, alive: list[WarpMoment], cycle: int, start: int) -> None:
    """Backwards over the commits until every register of every lane was seen or the reset is reached."""
    lanes = recording.lanes
    value = np.zeros((len(alive), 64, lanes), np.uint64)
    known = np.zeros((len(alive), 64, lanes), np.bool_)
    table = recording[Kind.COMMIT]
    streams = np.array([item.life.stream for item in alive], np.uint64)
    order = np.argsort(streams)
    end = table.window(0, cycle).stop
    begin = int(table["seq"][:end].searchsorted(start, "left"))
    while end > begin and len(alive) and not known[:, 1:].all():
        rows = slice(max(begin, end - _CHUNK), end)
        end = rows.start
        stream = epochs.streams(recording, Kind.COMMIT, rows)
        at = np.searchsorted(streams[order], stream)
        at[at == len(streams)] = 0
        index = order[at]
        register = words.destinations(table["rd"][rows], table["rd_file"][rows])
        writes = (streams[index] == stream) & (register >= 0)
        chosen = np.flatnonzero(writes)
        if not len(chosen):
            continue
        wmask = table["wmask"][rows].astype(np.uint64)[chosen]
        data = table["data"][rows].reshape(len(stream), lanes)[chosen]
        for lane in range(lanes):
            on = wmask >> np.uint64(lane) & np.uint64(1) != 0
            place = (index[chosen][on], register[chosen][on])
            newest = np.full((len(alive), 64), -1)
            newest[place] = np.arange(len(chosen))[on]  # of equal places the last one stays
            fresh = (newest >= 0) & ~known[:, :, lane]
            value[:, :, lane][fresh] = data[newest[fresh], lane]
            known[:, :, lane] |= fresh
    for number, item in enumerate(alive):
        for register_number in range(1, 64):
            if known[number, register_number].any():
                item.registers[words.register_name(register_number)] = [
                    int(value[number, register_number, lane]) if known[number, register_number, lane] else None
                    for lane in range(lanes)
                ]


def _rows_of(recording: Recording, kind: Kind, item: WarpMoment, cycle: int, start: int) -> list[int]:
    """Rows of one warp's life up to a cycle."""
    table = recording[kind]
    rows = table.window(item.life.begin, cycle)
    core, warp = table["core"][rows], table["warp"][rows]
    chosen = (core == item.life.core) & (warp == item.life.warp) & (table["seq"][rows] >= start)
    return [rows.start + int(at) for at in np.flatnonzero(chosen)]


def _ipdom(recording: Recording, item: WarpMoment, cycle: int, start: int) -> list[tuple[int, int]]:
    table = recording[Kind.IPDOM]
    stack: list[tuple[int, int]] = []
    for row in _rows_of(recording, Kind.IPDOM, item, cycle, start):
        entry = (int(table["mask"][row]), int(table["pc"][row]))
        op = int(table["op"][row])
        if op == IpdomOp.PUSH:
            stack.append(entry)
        elif op == IpdomOp.FLIP and stack:
            stack[-1] = entry
        elif op == IpdomOp.POP and stack:
            stack.pop()
    return stack


def _barrier(recording: Recording, item: WarpMoment, cycle: int, start: int) -> int | None:
    table = recording[Kind.BARRIER]
    mine = _rows_of(recording, Kind.BARRIER, item, cycle, start)
    if not mine or int(table["op"][mine[-1]]) not in (BarrierOp.SYNC, BarrierOp.WAIT):
        return None
    rows = slice(mine[-1], table.window(0, cycle).stop)
    bit = np.uint64(1 << item.life.warp)
    freed = (table["core"][rows] == item.life.core) & (table["released"][rows] & bit != 0)
    commits = recording[Kind.COMMIT]
    after = commits.window(int(table["cycle"][mine[-1]]), cycle)
    later = (commits["core"][after] == item.life.core) & (commits["warp"][after] == item.life.warp)
    later &= commits["uid"][after] > int(table["uid"][mine[-1]])
    return None if freed.any() or later.any() else int(table["id"][mine[-1]])


def _lmem(recording: Recording, cycle: int, start: int) -> dict[int, dict[int, int]]:
    table = recording[Kind.MEMORY]
    rows = table.window(0, cycle)
    stores = (table["space"][rows] == MemorySpace.LMEM) & (table["op"][rows] == MemoryOp.STORE)
    stores &= table["seq"][rows] >= start
    out: dict[int, dict[int, int]] = {}
    lanes = range(recording.lanes)
    for row in np.flatnonzero(stores).tolist():
        memory = out.setdefault(int(table["core"][row]), {})
        mask, size = int(table["mask"][row]), int(table["size"][row])
        addr, data = table["addr"][row].reshape(-1), table["data"][row].reshape(-1)
        for lane in lanes:
            if mask >> lane & 1:
                for byte in range(size):
                    memory[int(addr[lane]) + byte] = int(data[lane]) >> 8 * byte & 0xFF
    return out
