"""Register operations as items of the agent."""

from __future__ import annotations

from pyuvm import uvm_reg_adapter, uvm_sequence_item
from pyuvm._reg.uvm_reg_item import uvm_reg_bus_op
from pyuvm._reg.uvm_reg_model import uvm_access_e, uvm_status_e

from hw.tb.agents.bar.items import RegisterReadItem, RegisterWriteItem


class BarAdapter(uvm_reg_adapter):
    """Whole words of BAR0; anything else is an item of its own, past the register model."""

    def reg2bus(self, rw: uvm_reg_bus_op) -> uvm_sequence_item:
        if rw.kind == uvm_access_e.UVM_READ:
            return RegisterReadItem(int(rw.addr))
        return RegisterWriteItem(int(rw.addr), int(rw.data))

    def bus2reg(self, bus_item: uvm_sequence_item, rw: uvm_reg_bus_op) -> None:
        if isinstance(bus_item, RegisterReadItem):
            rw.data = bus_item.value
        rw.status = uvm_status_e.UVM_NOT_OK if bus_item.error else uvm_status_e.UVM_IS_OK
