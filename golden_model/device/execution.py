"""Running the cores of a launch bit by bit, up to its end or its first fault."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from golden_model.device.config import MEMORY_BLOCK
from golden_model.device.remap import RemappedMemory
from golden_model.isa.bits import lanes_of
from golden_model.machine import Machine
from golden_model.records.layout import FaultKind, MemoryOp, MemorySpace
from golden_model.scheduler import Scheduler
from golden_model.step import Step


@dataclass(frozen=True, slots=True)
class FaultRecord:
    """Contents of the FAULT_* registers."""

    kind: FaultKind = FaultKind.NONE
    addr: int = 0
    pc: int = 0
    core: int = 0
    warp: int = 0
    mask: int = 0

    @property
    def info(self) -> int:
        """FAULT_WARP."""
        return (self.mask & 0xFFFF) << 16 | (self.core & 0xFF) << 8 | self.warp & 0xFF


NO_FAULT = FaultRecord()


class CoresState(Enum):
    """What the cores are doing."""

    RUNNING = "running"
    ENDED = "ended"  # every CTA has retired
    FAULTED = "faulted"
    EXPIRED = "expired"  # more rounds than the watchdog allows
    HUNG = "hung"  # no warp can ever step again, and no watchdog is set


class Execution(Scheduler):
    """One started launch on the machine. A round, in which every warp that can steps once, counts as one cycle."""

    def __init__(
        self,
        machine: Machine,
        memory: RemappedMemory,
        max_cycles: int,
        seed: int | None = None,
        core_faults: bool = True,
    ) -> None:
        super().__init__(machine, seed)
        self._core_faults = core_faults
        self._memory = memory
        self._max_cycles = max_cycles
        self._dispatch_possible = True
        self.rounds = 0
        self.state = CoresState.RUNNING
        self.fault = NO_FAULT

    def advance(self, max_rounds: int) -> CoresState:
        """Execute up to `max_rounds` rounds."""
        while self.state is CoresState.RUNNING and max_rounds > 0:
            self.state = self._round()
            max_rounds -= 1
        return self.state

    def _round(self) -> CoresState:
        machine = self._machine
        if self._dispatch_possible:
            self._dispatch()
            self._dispatch_possible = False
        ready = [warp for core in machine.cores for warp in core.warps if warp.tmask and not warp.blocked]
        if not ready and not machine.busy:
            return CoresState.ENDED
        self.rounds += 1
        if self._max_cycles and self.rounds > self._max_cycles:
            return CoresState.EXPIRED
        if not ready:  # nothing can change any more: what is left is the watchdog
            return CoresState.EXPIRED if self._max_cycles else CoresState.HUNG
        for core in machine.cores:
            core.mcycle += 1
        if self._random is not None:
            ready = [self._random.choice(ready)]
        for warp in ready:
            step = warp.step()
            self.fault = self._fault_of(step)
            if self.fault is not NO_FAULT:
                return CoresState.FAULTED
            if step.warp_ended:
                self._dispatch_possible = True
        return CoresState.RUNNING

    # ------------------------------------------------------------------ faults

    def _fault_of(self, step: Step) -> FaultRecord:
        refuses = self._memory.refuses
        place = (step.pc, step.core, step.warp, step.tmask) if self._core_faults else ()
        if refuses and step.pc and not self._memory.answers(step.pc, 4, write=False):
            addr = step.pc if self._core_faults else step.pc // MEMORY_BLOCK * MEMORY_BLOCK
            return FaultRecord(FaultKind.BUS_READ, addr, *place)
        if step.fault is not None:
            return FaultRecord(step.fault.kind, step.fault.addr, *place) if self._core_faults else NO_FAULT
        if refuses:
            refused = self._refused(step)
            if refused is not None:
                kind, addr = refused
                if kind is FaultKind.BUS_READ and self._core_faults:
                    return FaultRecord(kind, addr, *place)
                # Nobody waits for a store: the error of its write tells the block, not the instruction.
                return FaultRecord(kind, addr // MEMORY_BLOCK * MEMORY_BLOCK)
        return NO_FAULT

    def _refused(self, step: Step) -> tuple[FaultKind, int] | None:
        """The first lane's access that memory answers with an error."""
        access = step.memory
        if access is None or access.op is MemoryOp.FENCE:
            return None
        write = access.op is not MemoryOp.LOAD
        core = self._machine.cores[step.core]
        for lane in lanes_of(access.mask):
            addr = access.addr[lane]
            if core.space_of(addr) is not MemorySpace.LMEM and not self._memory.answers(addr, access.size, write):
                return FaultKind.BUS_WRITE if write else FaultKind.BUS_READ, addr
        return None
