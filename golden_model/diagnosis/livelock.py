"""Spinning for ever, proven: every warp that can step is back in a state that it has been in, and in between no warp
has changed memory. Whatever the order of warps, nothing else can happen any more.

Looked at rarely: after 20,000 warp instructions, then after four times as many, and so on, for some thousand rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from golden_model.findings import Finding, FindingKind, Site
from golden_model.isa.instruction import Unit

if TYPE_CHECKING:
    from golden_model.machine import Machine
    from golden_model.warp import Warp

FIRST_LOOK = 20_000  # warp instructions
_ROUNDS = 2_000  # per warp: the longest loop that is recognised
Place = tuple[int, int]  # PC and thread mask
State = tuple[object, ...]


@dataclass(slots=True)
class _Spinner:
    """One warp during a look."""

    warp: Warp
    place: Place
    state: State
    visited: set[int] = field(default_factory=set)
    repeated: bool = False


def state_of(warp: Warp) -> State:
    """All that decides what a warp does next, memory apart."""
    registers = tuple(map(tuple, (*warp.regs, *warp.fregs)))
    entries = tuple((entry.mask, entry.pc, entry.second) for entry in warp.ipdom.entries)
    return (warp.pc, warp.tmask, registers, warp.fcsr, tuple(sorted(warp.csr_storage.items())), entries)


class LivelockWatch:
    """Told after each round. `place` and `state` of a warp may come from the compiled tier."""

    def __init__(
        self,
        machine: Machine,
        changes: Callable[[], int],
        place: Callable[[Warp], Place] = lambda warp: (warp.pc, warp.tmask),
        state: Callable[[Warp], State] = state_of,
    ) -> None:
        self._machine = machine
        self._changes, self._place, self._state = changes, place, state
        self.due = FIRST_LOOK
        self.looking = False
        self._spinners: list[_Spinner] = []
        self._before = self._rounds = 0

    def after_round(self, executed: int) -> bool:
        """Whether the machine spins for ever; the findings are made then."""
        if not self.looking:
            if executed >= self.due:
                self._begin()
                self.due = 4 * executed
            return False
        self._rounds -= 1
        if self._rounds == 0 or self._changes() != self._before:
            self.looking = False
            return False
        for spinner in self._spinners:
            place = self._place(spinner.warp)
            if not place[1]:
                self.looking = False  # a warp has ended
                return False
            if not spinner.repeated:
                spinner.visited.add(place[0])
                spinner.repeated = place == spinner.place and self._state(spinner.warp) == spinner.state
        if not self._spinners or not all(spinner.repeated for spinner in self._spinners):
            return False
        self._report()
        return True

    def _begin(self) -> None:
        self.looking = True
        self._before = self._changes()
        warps = [warp for core in self._machine.cores for warp in core.warps]
        self._rounds = _ROUNDS * len(warps)
        self._spinners = []
        for warp in warps:
            place, state = self._place(warp), self._state(warp)
            if place[1] and not warp.blocked:
                self._spinners.append(_Spinner(warp, place, state))

    def _report(self) -> None:
        parked = [spinner for spinner in self._spinners if _parked(spinner.warp)[0]]
        for spinner in parked or self._spinners[:1]:
            self._machine.findings.add(self._finding(spinner))

    def _finding(self, spinner: _Spinner) -> Finding:
        warp = spinner.warp
        polled = [pc for pc in sorted(spinner.visited) if self._unit(pc) in (Unit.LOAD, Unit.ATOMIC)]
        first, last = min(spinner.visited), max(spinner.visited)
        detail = f"goes round {first:#x} … {last:#x} for ever: the same state is back, and nobody changes memory"
        lanes, where = _parked(warp)
        site = None
        if lanes:
            detail += f"; lanes {lanes:#x} of the same warp wait until they have left the loop"
            block = warp.resident.cta.block_idx if warp.resident is not None else None
            site = Site("waiting lanes", where, warp.core.core_id, warp.wid, lanes, block)
        pc = polled[0] if polled else first
        return Finding(FindingKind.SPIN_LIVELOCK, warp.core.core_id, warp.wid, pc, warp.tmask, detail, other=site)

    def _unit(self, pc: int) -> Unit | None:
        op = self._machine.code.decoded(self._machine.memory.load(pc, 4)[0])
        return None if op is None else op.instruction.unit


def _parked(warp: Warp) -> tuple[int, int]:
    """Lanes that wait for the running ones at the innermost SPLIT with such, and where they go on."""
    for entry in reversed(warp.ipdom.entries):
        lanes = entry.mask & ~warp.tmask
        if lanes:
            return lanes, entry.first_join if entry.second else entry.pc
    return 0, 0
