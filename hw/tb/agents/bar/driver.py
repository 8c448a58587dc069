"""Turns BAR items into accesses of whichever transport the agent was given."""

from __future__ import annotations

from pyuvm import uvm_driver

from hw.tb.agents.bar.items import (
    AnyItem,
    AwaitInterruptItem,
    FunctionItem,
    RegisterReadItem,
    RegisterWriteItem,
    RunItem,
    VramReadItem,
    VramWriteItem,
)
from hw.tb.agents.bar.transport import Transport, TransportError


class BarDriver(uvm_driver):
    """One item at a time. `transport` is set by the agent."""

    transport: Transport

    async def run_phase(self) -> None:
        while True:
            item = await self.seq_item_port.get_next_item()
            try:
                await self._drive(item)
            except TransportError as error:
                item.error = str(error)
            self.seq_item_port.item_done()

    async def _drive(self, item: AnyItem) -> None:
        transport = self.transport
        match item:
            case RegisterReadItem():
                item.value = await transport.register_read(item.bar, item.offset, item.size)
            case RegisterWriteItem():
                await transport.register_write(item.bar, item.offset, item.value, item.strobe)
            case VramReadItem():
                item.data = await transport.vram_read(item.offset, item.size)
            case VramWriteItem():
                await transport.vram_write(item.offset, item.data)
            case FunctionItem():
                await transport.set_function(item.enabled, item.masked)
            case AwaitInterruptItem():
                item.message = await transport.message(item.cycles)
            case RunItem():
                await transport.run(item.cycles)
