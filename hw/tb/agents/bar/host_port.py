"""The device's master ports as a host's side answers them: host memory (`m_host`) and MSI-X messages.

Both sleep until the device raises `valid`, so an idle device costs no Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, Protocol

import cocotb
from cocotb.triggers import ClockCycles, Event, RisingEdge

from golden_model.device import SparseHostMemory
from golden_model.device.host_memory import HostBusError

_BLOCK = 64
_OKAY, _SLVERR = 0, 2


class HostSide(Protocol):
    """Where accesses of the device's host master go."""

    async def host_read(self, addr: int, size: int) -> bytes:
        """Raises HostBusError."""
        ...

    async def host_write(self, addr: int, data: bytes) -> None:
        """Raises HostBusError if the side that asked can be told."""
        ...

    async def message(self, address: int, data: int) -> None:
        """One MSI-X message left the device."""
        ...


def runs(strobe: int) -> Iterator[tuple[int, int]]:
    """(first byte, bytes) of every run of set bits."""
    at = 0
    while strobe >> at:
        if strobe >> at & 1:
            stop = at
            while strobe >> stop & 1:
                stop += 1
            yield at, stop - at
            at = stop
        else:
            at += 1


class HostPort:
    """Serves `m_host` and `msix`. One transaction at a time, single beats, as the device promises.

    Args:
        rng: makes answers late by a few cycles; without it they come at once.
    """

    def __init__(self, dut: Any, side: HostSide, rng: Random | None = None) -> None:
        self._dut, self._side, self._rng = dut, side, rng
        self._open = Event()
        self._open.set()
        for name in ("m_host_awready", "m_host_wready", "m_host_bvalid", "m_host_arready", "m_host_rvalid"):
            getattr(dut, name).value = 0
        dut.m_host_rlast.value = 1
        dut.msix_ready.value = 1
        for task in (self._reads(), self._writes(), self._messages()):
            cocotb.start_soon(task)

    def hold(self, held: bool) -> None:
        """While held, the host takes no new access to its memory."""
        if held:
            self._open.clear()
        else:
            self._open.set()

    async def _taken(self, channel: str, *fields: str) -> list[int]:
        """Take one transfer of a channel when there is one; its fields."""
        dut = self._dut
        valid, ready = getattr(dut, f"{channel}valid"), getattr(dut, f"{channel}ready")
        if valid.value != 1:
            await RisingEdge(valid)
        await self._late()
        if not self._open.is_set():
            await self._open.wait()
            await RisingEdge(dut.clk)
        ready.value = 1
        await RisingEdge(dut.clk)
        ready.value = 0
        return [int(getattr(dut, f"{channel}{field}").value) for field in fields]

    async def _late(self) -> None:
        cycles = 0 if self._rng is None else self._rng.choice((0, 0, 1, 4))
        await ClockCycles(self._dut.clk, cycles) if cycles else await RisingEdge(self._dut.clk)

    async def _answer(self, channel: str) -> None:
        dut = self._dut
        valid, ready = getattr(dut, f"{channel}valid"), getattr(dut, f"{channel}ready")
        valid.value = 1
        while True:
            await RisingEdge(dut.clk)
            if ready.value == 1:
                break
        valid.value = 0

    async def _reads(self) -> None:
        dut = self._dut
        while True:
            addr, ident, length = await self._taken("m_host_ar", "addr", "id", "len")
            assert length == 0, "the host master promises single beats"
            first = addr % _BLOCK
            try:
                data = await self._side.host_read(addr, _BLOCK - first)
                response = _OKAY
            except HostBusError:
                data, response = b"", _SLVERR
            await self._late()
            dut.m_host_rdata.value = int.from_bytes(bytes(first) + data, "little")
            dut.m_host_rid.value, dut.m_host_rresp.value = ident, response
            await self._answer("m_host_r")

    async def _writes(self) -> None:
        dut = self._dut
        while True:
            addr, ident, length = await self._taken("m_host_aw", "addr", "id", "len")
            assert length == 0, "the host master promises single beats"
            word, strobe = await self._taken("m_host_w", "data", "strb")
            block, data = addr // _BLOCK * _BLOCK, word.to_bytes(_BLOCK, "little")
            response = _OKAY
            try:
                for first, size in runs(strobe):
                    await self._side.host_write(block + first, data[first : first + size])
            except HostBusError:
                response = _SLVERR
            await self._late()
            dut.m_host_bid.value, dut.m_host_bresp.value = ident, response
            await self._answer("m_host_b")

    async def _messages(self) -> None:
        dut = self._dut
        while True:
            if dut.msix_valid.value != 1:
                await RisingEdge(dut.msix_valid)
            await RisingEdge(dut.clk)
            if dut.msix_valid.value == 1:
                dut.msix_ready.value = 0
                await self._side.message(int(dut.msix_addr.value), int(dut.msix_data.value))
                dut.msix_ready.value = 1


class MemorySide:
    """Host memory reached directly."""

    def __init__(self, host: SparseHostMemory) -> None:
        self.host = host

    async def host_read(self, addr: int, size: int) -> bytes:
        return self.host.read(addr, size)

    async def host_write(self, addr: int, data: bytes) -> None:
        self.host.write(addr, data)
