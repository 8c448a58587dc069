"""Keeps the mirror true from what the monitor saw, and checks every read against it.

What an access does is in the table: stored bits, refusals (by the state in which the device took the access), RESET.
Registers that the device changes by itself are volatile: a read of them is taken over, and only checked for bits that
can never be 1; what other writes do to them is checked by `sequences/effects.py`.
"""

from __future__ import annotations

from pyuvm import uvm_component, uvm_subscriber
from pyuvm._reg.uvm_reg_model import uvm_predict_e

from golden_model.device.registers import Access, Effect, Guard, Register
from golden_model.device.sequences.actions import ReadRegister, WriteRegister
from golden_model.device.sequences.coverage import DeviceState
from hw.tb.agents.bar.monitor import BarAccess
from hw.tb.agents.bar.registers.model import BarRegister, BarRegisterBlock

_RESET = 2
_WHOLE = 0xF


class BarPredictor(uvm_subscriber):
    """Subscriber of `BarMonitor.accesses`.

    Attributes:
        mismatches: one sentence for every read that contradicts the mirror; a test asserts that it is empty.
        checked: reads that were compared.
    """

    registers: BarRegisterBlock

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.mismatches: list[str] = []
        self.checked = 0

    def write(self, access: BarAccess) -> None:
        match access.action:
            case ReadRegister(bar, offset, size):
                assert isinstance(access.value, int)
                self._read(access, self._find(bar, offset), bar, offset, size, access.value)
            case WriteRegister(bar, offset, value, strobe):
                register = self._find(bar, offset)
                if register is not None and strobe == _WHOLE:
                    self._write(register, value, access.state)

    def _find(self, bar: int, offset: int) -> BarRegister | None:
        return self.registers.by_offset.get(offset) if bar == 0 else None

    def _read(
        self, access: BarAccess, register: BarRegister | None, bar: int, offset: int, size: int, value: int
    ) -> None:
        self.checked += 1
        name = f"BAR{bar} {offset:#x}" if register is None else register.row.name
        if register is None or size != 4:
            if value:
                self._differs(access, f"{name} reads {value:#x} in an access of {size} bytes, must be 0")
        elif register.row.volatile:
            if value & ~register.row.readable:
                self._differs(access, f"{name} reads {value:#x}, bits outside {register.row.readable:#x} must be 0")
            register.predict(value, kind=uvm_predict_e.UVM_PREDICT_READ)
        elif value != register.expected:
            self._differs(access, f"{name} reads {value:#x}, the mirror has {register.expected:#x}")

    def _differs(self, access: BarAccess, text: str) -> None:
        self.mismatches.append(f"cycle {access.cycle}, {access.state.state.value}: {text}")

    def _write(self, register: BarRegister, value: int, state: DeviceState) -> None:
        row = register.row
        if row.access is Access.RO or refused(row, state):
            return
        if row.effect is Effect.CONTROL and value & _RESET:
            self.registers.power_on()
            return
        register.predict(value, kind=uvm_predict_e.UVM_PREDICT_WRITE)


def refused(row: Register, state: DeviceState) -> bool:
    """Whether the device refuses a write to `row` in this state."""
    return (row.guard is Guard.LAUNCH and state.busy) or (row.guard is Guard.DMA and state.dma_busy)
