"""Transport (ii): the same device behind cocotbext-pcie's root complex; every access is a transaction-layer packet."""

from __future__ import annotations

import logging
from random import Random
from typing import Any

from cocotb.triggers import ClockCycles, SimTimeoutError, with_timeout
from cocotbext.axi import Region
from cocotbext.pcie.core import Device, RootComplex
from cocotbext.pcie.core.caps import PciCapId
from cocotbext.pcie.core.tlp import Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId

from golden_model.device import SparseHostMemory
from golden_model.device.config import DEVICE_ID, VENDOR_ID
from golden_model.device.sequences.coverage import DeviceState
from hw.tb.agents.bar.axi_port import ANSWER_CYCLES, PERIOD_NS, AxiPort
from hw.tb.agents.bar.endpoint import VortexEndpoint
from hw.tb.agents.bar.host_port import HostPort
from hw.tb.agents.bar.inbox import Inbox
from hw.tb.agents.bar.pins import power_on, probe, set_function_pins
from hw.tb.agents.bar.transport import MESSAGE_ADDRESS, MESSAGE_WINDOW, Message, TransportError

_LOW_MEMORY = range(0x8000_0000)
_HIGH_MEMORY = range(1 << 32, 1 << 63)


class PacketTransport:
    """Root complex, link, endpoint, and behind it the device's pins.

    Attributes:
        device: the function as enumeration found it (cocotbext-pcie's PciDevice); `bar_addr`, `bar_size`.
        endpoint: the function itself.
    """

    name = "packets"
    write_errors_return = False

    def __init__(self, dut: Any, rng: Random | None = None, host: SparseHostMemory | None = None) -> None:
        self._dut, self._rng = dut, rng
        self.host = host or SparseHostMemory()
        self._inbox = Inbox()

    async def start(self) -> None:
        """Power-on reset, enumeration, BARs assigned, memory space and bus mastering enabled, MSI-X enabled."""
        logging.getLogger("cocotb.pcie").setLevel(logging.ERROR)
        dut = self._dut
        await power_on(dut)
        self.endpoint = VortexEndpoint(AxiPort(dut, self._rng), lambda on, mask: set_function_pins(dut, on, mask))
        self._port = HostPort(dut, self.endpoint, self._rng)
        self.root = RootComplex()
        self._map_host_memory()
        self.root.make_port().connect(Device(self.endpoint))
        await self._bounded(self.root.enumerate(), "enumeration")
        self.device = self._find()
        await self.device.enable_device()
        await self.device.set_master()
        await self.set_function(enabled=True, masked=False)

    def _map_host_memory(self) -> None:
        space = self.root.mem_address_space
        # The root complex has a pool of its own below 2 GiB, and gives all of [3 GiB, 4 GiB) to its bridges; ours are
        # the memory of the test and, at the end of the bridges' part, messages.
        low = self.root.mem_base
        space.regions = [entry for entry in space.regions if entry[0] not in (_LOW_MEMORY.start, low)]
        space.register_region(self.root.mem_region, low, MESSAGE_ADDRESS - low, offset=None)
        space.register_region(_MessageRegion(self._inbox), MESSAGE_ADDRESS, MESSAGE_WINDOW)
        for part in (_LOW_MEMORY, _HIGH_MEMORY):
            space.register_region(_HostRegion(self.host), part.start, len(part), offset=None)

    def _find(self) -> Any:
        found = self.root.find_device(self.endpoint.pcie_id)
        if found is None or (found.vendor_id, found.device_id) != (VENDOR_ID, DEVICE_ID):
            raise TransportError(f"enumeration found no function {VENDOR_ID:04x}:{DEVICE_ID:04x}")
        return found

    async def register_read(self, bar: int, offset: int, size: int) -> int:
        data = await self._bounded(self.device.bar_window[bar].read(offset, size), f"read of BAR{bar} {offset:#x}")
        return int.from_bytes(data, "little")

    async def register_write(self, bar: int, offset: int, value: int, strobe: int) -> None:
        request = Tlp()
        request.fmt_type = TlpType.MEM_WRITE
        request.requester_id = PcieId(0, 0, 0)
        request.set_addr_be_data(self.device.bar_addr[bar] + offset, value.to_bytes(4, "little"))
        request.first_be = strobe
        await self.root.perform_posted_operation(request)
        self._check()

    async def vram_read(self, offset: int, size: int) -> bytes:
        return bytes(await self._bounded(self.device.bar_window[2].read(offset, size), f"read of BAR2 {offset:#x}"))

    async def vram_write(self, offset: int, data: bytes) -> None:
        await self.device.bar_window[2].write(offset, data)
        self._check()

    async def set_function(self, enabled: bool, masked: bool) -> None:
        await self.device.capability_write_dword(PciCapId.MSIX, 0, int(masked) << 30 | int(enabled) << 31)

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

    async def _bounded(self, operation: Any, what: str) -> Any:
        try:
            result = await with_timeout(operation, 2 * ANSWER_CYCLES * PERIOD_NS, "ns")
        except SimTimeoutError:
            raise TransportError(f"the {what} got no completion within {2 * ANSWER_CYCLES} cycles") from None
        self._check()
        return result

    def _check(self) -> None:
        failure, self.endpoint.failure = self.endpoint.failure, None
        if failure is not None:
            raise failure if isinstance(failure, TransportError) else TransportError(f"the endpoint failed: {failure}")


class _HostRegion(Region):
    """The host's memory in the root complex's address space; addresses are absolute."""

    def __init__(self, host: SparseHostMemory) -> None:
        super().__init__(size=1 << 64)
        self._host = host

    async def _read(self, address: int, length: int, **_: Any) -> bytes:
        return self._host.read(address, length)

    async def _write(self, address: int, data: bytes, **_: Any) -> None:
        self._host.write(address, bytes(data))


class _MessageRegion(Region):
    """Writes to it are interrupts."""

    def __init__(self, inbox: Inbox) -> None:
        super().__init__(size=MESSAGE_WINDOW)
        self._inbox = inbox

    async def _write(self, address: int, data: bytes, **_: Any) -> None:
        self._inbox.put(Message(MESSAGE_ADDRESS + address, int.from_bytes(data, "little")))
