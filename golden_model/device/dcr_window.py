"""DCR accesses of the host through BAR0 (docs/reference/pcie_bar.md, 0x03A0)."""

from __future__ import annotations

from enum import Enum

from config import HardwareConfig
from golden_model import kmu
from golden_model.machine import CACHE_FLUSH, MPM_VALUE, Machine

_WRITE, _READ = 1, 2
_BUSY, _VALID = 1 << 8, 1 << 9


class DcrProblem(Enum):
    """Why a command in DCR_CTRL is refused; the value is the sentence."""

    PENDING = "the last DCR read has not been answered"
    BOTH = "WRITE and READ are both set"
    LAUNCH_RUNNING = "a register of the KMU is used by the running launch"
    NO_ANSWER = "nobody answers a read of that register or core"


def is_kmu_register(addr: int) -> bool:
    """Registers that belong to a launch: 0x010 to 0x023, and the dispatch window 0x030."""
    return kmu.STARTUP_ADDR <= addr < kmu.END or addr == kmu.REWIND


class DcrWindow:
    """One DCR access at a time. A write is done at once; a read is pending until `answer`."""

    def __init__(self, hardware: HardwareConfig) -> None:
        self._cores = hardware.total_cores
        self.reset()

    def reset(self) -> None:
        """A pending read is dropped."""
        self.pending: tuple[int, int] | None = None  # address and tag
        self.valid = False
        self.response = 0

    @property
    def ctrl(self) -> int:
        """DCR_CTRL as read."""
        return (_BUSY if self.pending else 0) | (_VALID if self.valid else 0)

    def problem(self, command: int, addr: int, data: int, busy: bool) -> DcrProblem | None:
        """Whether a command is refused; `busy` is that of GLOBAL_STATUS."""
        if not command:
            return None
        if self.pending is not None:
            return DcrProblem.PENDING
        if command == _WRITE | _READ:
            return DcrProblem.BOTH
        if busy and is_kmu_register(addr):
            return DcrProblem.LAUNCH_RUNNING
        if command == _READ and (addr not in (CACHE_FLUSH, MPM_VALUE) or data & 0xFFFF >= self._cores):
            return DcrProblem.NO_ANSWER
        return None

    def start(self, command: int, addr: int, data: int, machine: Machine) -> None:
        """Execute a command that `problem` allows."""
        if command == _WRITE:
            if addr != kmu.REWIND or data in kmu.REWINDS:  # hardware keeps the window size when given another value
                machine.dcr_write(addr, data)
        elif command == _READ:
            self.pending = addr, data
            self.valid = False

    def answer(self, machine: Machine, value: int | None = None) -> None:
        """The pending read's response arrives; `value` replaces the model's own, for counters of hardware."""
        if self.pending is None:
            return
        addr, tag = self.pending
        self.response = machine.dcr_read(addr, tag) if value is None else value
        self.pending = None
        self.valid = True
