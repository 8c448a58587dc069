"""Transport (i): the ports of the device as the shell of a PCIe card presents them, driven through cocotb-bus."""

from __future__ import annotations

from random import Random
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

from golden_model.device import ErrorBit, SparseHostMemory
from golden_model.device.sequences.coverage import DeviceState
from hw.tb.agents.bar.axi_port import PERIOD_NS, AxiPort
from hw.tb.agents.bar.host_port import HostPort, MemorySide
from hw.tb.agents.bar.inbox import Inbox
from hw.tb.agents.bar.transport import Message

_RESET_CYCLES = 10


class PinTransport:
    """A host on the pins of `vx_bar_bench` (or any module with the same ports).

    Args:
        rng: shapes of bursts, gaps, late answers; without it everything is as quick as it can be.
    """

    name = "pins"
    write_errors_return = True

    def __init__(self, dut: Any, rng: Random | None = None, host: SparseHostMemory | None = None) -> None:
        self._dut, self._rng = dut, rng
        self.host = host or SparseHostMemory()
        self._inbox = Inbox()

    async def start(self) -> None:
        await power_on(self._dut)
        self._axi = AxiPort(self._dut, self._rng)
        self._port = HostPort(self._dut, _DirectSide(self.host, self._inbox), self._rng)
        await self.set_function(enabled=True, masked=False)

    async def register_read(self, bar: int, offset: int, size: int) -> int:
        if size == 8:
            return 0  # the shell answers what AXI4-Lite cannot express, see packets.py
        word = await self._axi.ctl_read(bar, offset, size)
        return word >> 8 * (offset % 4) & (1 << 8 * size) - 1

    async def register_write(self, bar: int, offset: int, value: int, strobe: int) -> None:
        await self._axi.ctl_write(bar, offset, value, strobe)

    async def vram_read(self, offset: int, size: int) -> bytes:
        return await self._axi.vram_read(offset, size)

    async def vram_write(self, offset: int, data: bytes) -> None:
        await self._axi.vram_write(offset, data)

    async def set_function(self, enabled: bool, masked: bool) -> None:
        set_function_pins(self._dut, enabled, masked)
        await ClockCycles(self._dut.clk, 2)

    def hold_host(self, held: bool) -> None:
        self._port.hold(held)

    async def message(self, cycles: int) -> Message | None:
        return await self._inbox.next(cycles)

    def take_messages(self) -> list[Message]:
        return self._inbox.take()

    async def run(self, cycles: int) -> None:
        await ClockCycles(self._dut.clk, cycles)

    def state(self) -> DeviceState:
        return probe(self._dut)


class _DirectSide(MemorySide):
    def __init__(self, host: SparseHostMemory, inbox: Inbox) -> None:
        super().__init__(host)
        self._inbox = inbox

    async def message(self, address: int, data: int) -> None:
        self._inbox.put(Message(address, data))


async def power_on(dut: Any) -> None:
    """Clock and reset; no master drives anything yet."""
    for name in ("s_ctl_awvalid", "s_ctl_wvalid", "s_ctl_arvalid", "s_vram_awvalid", "s_vram_wvalid", "s_vram_arvalid"):
        getattr(dut, name).value = 0
    set_function_pins(dut, enabled=False, masked=False)
    dut.reset.value = 1
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    await ClockCycles(dut.clk, _RESET_CYCLES)
    dut.reset.value = 0
    await ClockCycles(dut.clk, 2)


def set_function_pins(dut: Any, enabled: bool, masked: bool) -> None:
    """What configuration space tells the device."""
    dut.msix_enable.value = int(enabled)
    dut.msix_function_mask.value = int(masked)


def probe(dut: Any) -> DeviceState:
    """State of the device from the probe outputs."""
    return DeviceState(
        enabled=bool(dut.probe_enabled.value),
        busy=bool(dut.probe_busy.value),
        dma_busy=bool(dut.probe_dma_busy.value),
        errors=ErrorBit(int(dut.probe_errors.value)),
    )
