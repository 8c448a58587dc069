"""What happened at the device, on analysis ports: accesses, messages, accesses of the device to host memory.

`PinMonitor` sees it on the pins, whichever transport drives them; it sleeps until a `valid` rises. A transport without
pins gives what it did to `BarMonitor.observe`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge
from pyuvm import uvm_analysis_port, uvm_monitor

from golden_model.device.host_memory import HostAccess
from golden_model.device.msix import MsixMessage
from golden_model.device.sequences.actions import Action, ReadRegister, ReadVram, WriteRegister, WriteVram
from golden_model.device.sequences.coverage import DeviceState
from hw.tb.agents.bar.axi_port import BAR4_SELECT
from hw.tb.agents.bar.host_port import runs
from hw.tb.agents.bar.pins import probe

_BLOCK = 64
_INCR = 1


@dataclass(frozen=True, slots=True)
class BarAccess:
    """One access that has been answered.

    Attributes:
        action: what it was; a burst of BAR2 is one action from its first enabled byte to its last.
        value: what a read returned.
        state: of the device when it took the access.
        cycle: device cycle of the answer.
    """

    action: Action
    value: int | bytes | None
    state: DeviceState
    cycle: int


class BarMonitor(uvm_monitor):
    """Analysis ports `accesses` (BarAccess), `messages` (MsixMessage), `host` (HostAccess)."""

    accesses: Any
    messages: Any
    host: Any

    def build_phase(self) -> None:
        self.accesses = uvm_analysis_port("accesses", self)
        self.messages = uvm_analysis_port("messages", self)
        self.host = uvm_analysis_port("host", self)
        self.counts = {"accesses": 0, "messages": 0, "host": 0}

    def observe(self, what: BarAccess | MsixMessage | HostAccess) -> None:
        """Publish on the port that it belongs to."""
        match what:
            case BarAccess():
                name = "accesses"
            case MsixMessage():
                name = "messages"
            case HostAccess():
                name = "host"
        self.counts[name] += 1
        getattr(self, name).write(what)


class PinMonitor:
    """Watches the ports of `dut` and hands what it sees to `observe`."""

    def __init__(self, dut: Any, observe: Callable[[BarAccess | MsixMessage | HostAccess], None]) -> None:
        self._dut, self._observe = dut, observe

    def start(self) -> None:
        """Begin to watch; the clock must run or start later."""
        for task in (
            self._ctl_reads(),
            self._ctl_writes(),
            self._vram_reads(),
            self._vram_writes(),
            self._host_reads(),
            self._host_writes(),
            self._messages(),
        ):
            cocotb.start_soon(task)

    async def _next(self, channel: str, *fields: str) -> list[int]:
        """Fields of the next transfer of a channel, sampled at the edge at which it happens."""
        dut = self._dut
        valid, ready = getattr(dut, f"{channel}valid"), getattr(dut, f"{channel}ready")
        while True:
            if valid.value != 1:
                await RisingEdge(valid)
            await RisingEdge(dut.clk)
            if valid.value == 1 and ready.value == 1:
                return [int(getattr(dut, f"{channel}{field}").value) for field in fields]

    def _report(self, action: Action, value: int | bytes | None, state: DeviceState) -> None:
        self._observe(BarAccess(action, value, state, int(self._dut.probe_cycles.value)))

    async def _ctl_reads(self) -> None:
        while True:
            address, log2 = await self._next("s_ctl_ar", "addr", "size")
            state = probe(self._dut)
            (word,) = await self._next("s_ctl_r", "data")
            bar, offset, size = _bar(address), address % BAR4_SELECT, 1 << log2
            value = word >> 8 * (offset % 4) & (1 << 8 * size) - 1
            self._report(ReadRegister(bar, offset, size), value, state)

    async def _ctl_writes(self) -> None:
        dut = self._dut
        while True:
            (address,) = await self._next("s_ctl_aw", "addr")
            assert dut.s_ctl_wvalid.value == 1 and dut.s_ctl_wready.value == 1, "address and data are taken together"
            value, strobe = int(dut.s_ctl_wdata.value), int(dut.s_ctl_wstrb.value)
            state = probe(dut)
            await self._next("s_ctl_b")
            self._report(WriteRegister(_bar(address), address % BAR4_SELECT, value, strobe), None, state)

    async def _vram_reads(self) -> None:
        while True:
            address, length, log2, burst = await self._next("s_vram_ar", "addr", "len", "size", "burst")
            assert burst == _INCR, "the agent drives INCR bursts only"
            state = probe(self._dut)
            data = bytearray()
            for beat in range(length + 1):
                (word,) = await self._next("s_vram_r", "data")
                at = address if beat == 0 else (address >> log2 << log2) + (beat << log2)
                stop = (at >> log2 << log2) + (1 << log2)
                data += word.to_bytes(_BLOCK, "little")[at % _BLOCK :][: stop - at]
            self._report(ReadVram(address, len(data)), bytes(data), state)

    async def _vram_writes(self) -> None:
        while True:
            address, length, log2, burst = await self._next("s_vram_aw", "addr", "len", "size", "burst")
            assert burst == _INCR, "the agent drives INCR bursts only"
            state = probe(self._dut)
            first, data = -1, bytearray()
            for beat in range(length + 1):
                word, strobe = await self._next("s_vram_w", "data", "strb")
                block = ((address >> log2) + beat << log2) // _BLOCK * _BLOCK
                for start, size in runs(strobe):
                    first = block + start if first < 0 else first
                    data += bytes(block + start - first - len(data))  # what is between was not enabled
                    data += word.to_bytes(_BLOCK, "little")[start : start + size]
            await self._next("s_vram_b")
            if first >= 0:
                self._report(WriteVram(first, bytes(data)), None, state)

    async def _host_reads(self) -> None:
        while True:
            (address,) = await self._next("m_host_ar", "addr")
            word, response = await self._next("m_host_r", "data", "resp")
            first = address % _BLOCK
            data = b"" if response else word.to_bytes(_BLOCK, "little")[first:]
            self._observe(HostAccess(False, address, _BLOCK - first, data, bool(response)))

    async def _host_writes(self) -> None:
        while True:
            (address,) = await self._next("m_host_aw", "addr")
            word, strobe = await self._next("m_host_w", "data", "strb")
            (response,) = await self._next("m_host_b", "resp")
            for first, size in runs(strobe):
                data = word.to_bytes(_BLOCK, "little")[first : first + size]
                at = address // _BLOCK * _BLOCK + first
                self._observe(HostAccess(True, at, size, b"" if response else data, bool(response)))

    async def _messages(self) -> None:
        while True:
            vector, address, data = await self._next("msix_", "vector", "addr", "data")
            self._observe(MsixMessage(vector, address, data))


def _bar(address: int) -> int:
    return 4 if address & BAR4_SELECT else 0
