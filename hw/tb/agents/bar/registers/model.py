"""BAR0 as a pyuvm register block, made from the one table of registers."""

from __future__ import annotations

from pyuvm import uvm_reg, uvm_reg_block, uvm_reg_field, uvm_reg_map
from pyuvm._reg.uvm_reg_model import uvm_endianness_e

from golden_model.device import DeviceConfig
from golden_model.device.bar0 import constants
from golden_model.device.registers import REGISTERS, Access, Field, Register


class BarRegister(uvm_reg):
    """One register; `row` is its line of the table. Its fields cover what can be written or read."""

    def __init__(self, row: Register, reset: int) -> None:
        super().__init__(row.name, 32)
        self.row = row
        self._reset_value = reset

    def make_fields(self) -> None:
        """Fields of the table; where it names none, one for each run of bits that exist."""
        for field in self.row.fields or _runs(self.row.writable | self.row.readable):
            made = uvm_reg_field(field.name)
            access = access_of(self.row, field)
            reset = self._reset_value >> field.lsb & (1 << field.width) - 1
            made.configure(self, field.width, field.lsb, access, self.row.volatile, reset, True, False, False)

    @property
    def expected(self) -> int:
        """What a read gives if the mirror is true."""
        return int(self.get_mirrored_value()) & self.row.readable


class BarRegisterBlock(uvm_reg_block):
    """All registers of BAR0 in one map of 32-bit words.

    Attributes:
        map: needs `set_sequencer(sequencer, adapter)` before a register is read or written.
        by_name: registers by the names of the table.
    """

    def __init__(self, config: DeviceConfig, name: str = "bar0") -> None:
        super().__init__(name)
        self.map: uvm_reg_map = self.create_map("map", 0, 4, uvm_endianness_e.UVM_LITTLE_ENDIAN)
        fixed = constants(config.hardware, config.vram_size, config.table_entries)
        self.config = config
        self.by_name: dict[str, BarRegister] = {}
        for row in REGISTERS:
            reset = fixed.get(row.name, row.reset or 0)
            made = BarRegister(row, reset)
            made.configure(self)
            made.make_fields()
            self.map.add_reg(made, row.offset)  # read-only ones too: that a write is ignored is to be tried
            self.by_name[row.name] = made
        self.by_offset = {register.row.offset: register for register in self.by_name.values()}
        self.lock_model()
        self.power_on()

    def power_on(self) -> None:
        """Every mirror back to its reset value.

        Not `reset()`: that one releases the lock of a register whose write is just being seen.
        """
        for register in self.by_name.values():
            for field in register.get_fields():
                field.reset()


def access_of(row: Register, field: Field) -> str:
    """Access policy of UVM for one field."""
    if field.one_shot or row.access in (Access.WO, Access.W1C):
        return "WO"  # acts, stores nothing, reads 0
    if not field.mask & row.writable:
        return "RO"
    return "W1C" if row.access is Access.RW1C else "RW"


def _runs(mask: int) -> list[Field]:
    """Every run of set bits as a field."""
    fields = []
    at = 0
    while mask >> at:
        width = 0
        while mask >> at + width & 1:
            width += 1
        if width:
            fields.append(Field(f"BITS_{at}", at, width))
        at += width or 1
    return fields
