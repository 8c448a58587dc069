"""The PCIe function in front of the device's ports: packets in, bus accesses out, and the reverse.

```
 packets ─▶ requests (queue, in order) ─▶ AxiPort ─▶ s_ctl, s_vram      configuration space ─▶ msix_enable, mask
 packets ◀─ completions ◀─────────────────┘
 packets ◀─ memory reads and writes ◀─ HostPort ◀─ m_host, msix
```
Requests are served behind a queue because completions of the device's own reads arrive on the same link: a RESET that
waits for them must not stand in their way.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cocotb
from cocotb.queue import Queue
from cocotbext.pcie.core import Endpoint
from cocotbext.pcie.core.caps import MsixCapability
from cocotbext.pcie.core.tlp import Tlp, TlpType

from golden_model.device.config import BAR0_SIZE, BAR2_SIZE, BAR4_SIZE, DEVICE_ID, VENDOR_ID
from golden_model.device.host_memory import HostBusError
from golden_model.device.registers import MSIX_PBA, MSIX_TABLE, MSIX_VECTORS
from hw.tb.agents.bar.axi_port import AxiPort

_CLASS_CODE = 0x12_0000  # processing accelerator
_BOUNDARY = 64  # completions end at multiples of it, but for the last
_READS = (TlpType.MEM_READ, TlpType.MEM_READ_64)
_WRITES = (TlpType.MEM_WRITE, TlpType.MEM_WRITE_64)


class _MsixCapability(MsixCapability):
    """Tells the device what configuration writes change."""

    def __init__(self, changed: Callable[[bool, bool], None]) -> None:
        super().__init__()
        self._changed = changed
        self.msix_table_size = MSIX_VECTORS - 1
        self.msix_table_offset, self.msix_pba_offset = MSIX_TABLE, MSIX_PBA

    async def _write_register(self, reg: int, data: int, mask: int) -> None:
        await super()._write_register(reg, data, mask)
        self._changed(self.msix_enable, self.msix_function_mask)


class VortexEndpoint(Endpoint):
    """Function 1234:1337 with three memory BARs: BAR0 and BAR4 of 32 bits, BAR2 prefetchable and of 64 bits.

    It is also the side that the device's host master talks to: `host_read`, `host_write`, `message`.
    """

    def __init__(self, axi: AxiPort, function_changed: Callable[[bool, bool], None]) -> None:
        super().__init__()
        self.vendor_id, self.device_id = VENDOR_ID, DEVICE_ID
        self.subsystem_vendor_id, self.subsystem_id = VENDOR_ID, DEVICE_ID
        self.class_code = _CLASS_CODE
        self.configure_bar(0, BAR0_SIZE)
        self.configure_bar(2, BAR2_SIZE, ext=True, prefetch=True)
        self.configure_bar(4, BAR4_SIZE)
        self.msix_cap = _MsixCapability(function_changed)
        self.register_capability(self.msix_cap)
        self._axi = axi
        self._requests: Queue[Any] = Queue()
        self.unsupported = 0  # requests that no BAR answers to
        self.failure: Exception | None = None
        for kind in (*_READS, *_WRITES):
            self.register_rx_tlp_handler(kind, self._queue)
        cocotb.start_soon(self._serve())

    # ------------------------------------------------------------------ requests of the host

    async def _queue(self, tlp: Any) -> None:
        self._requests.put_nowait(tlp)

    async def _serve(self) -> None:
        while True:
            tlp = await self._requests.get()
            where = self.match_bar(tlp.address) if self.memory_space_enable else None
            try:
                if where is None:
                    self.unsupported += 1
                    if tlp.fmt_type in _READS:
                        await self.send(Tlp.create_ur_completion_for_tlp(tlp, self.pcie_id))
                elif tlp.fmt_type in _READS:
                    await self._complete(tlp, await self._read(tlp, *where))
                else:
                    await self._write(tlp, *where)
            except Exception as error:  # the host must see it, not this task alone
                self.failure = error
                if tlp.fmt_type in _READS:
                    await self.send(Tlp.create_ca_completion_for_tlp(tlp, self.pcie_id))

    async def _read(self, tlp: Any, bar: int, offset: int) -> bytes:
        """The bytes from the first that is asked for to the last."""
        first, count = tlp.get_first_be_offset(), tlp.get_be_byte_count()
        if tlp.first_be == 0:
            return bytes(count)  # a read of nothing only waits for what is before it
        if bar == 2:
            return await self._axi.vram_read(offset + first, count)
        if tlp.length != 1:
            return bytes(count)  # longer than a word: reads 0
        if tlp.first_be == 0xF:
            return (await self._axi.ctl_read(bar, offset, 4)).to_bytes(4, "little")
        size = 2 if tlp.first_be in (0x3, 0xC) else 1
        word = await self._axi.ctl_read(bar, offset + first, size)
        return word.to_bytes(4, "little")[first : first + count]

    async def _write(self, tlp: Any, bar: int, offset: int) -> None:
        data = bytes(tlp.get_data())
        enables = tlp.first_be
        if tlp.length > 1:
            enables |= ((1 << 4 * (tlp.length - 2)) - 1) << 4 | tlp.last_be << 4 * (tlp.length - 1)
        if not enables:
            return
        if bar == 2:
            first, stop = (enables & -enables).bit_length() - 1, enables.bit_length()
            await self._axi.vram_write(offset + first, data[first:stop], enables >> first)
        elif tlp.length == 1:  # longer than a word: ignored
            await self._axi.ctl_write(bar, offset, int.from_bytes(data, "little"), enables)

    async def _complete(self, tlp: Any, data: bytes) -> None:
        """Completions with `data`, none larger than the payload that is allowed."""
        at = tlp.address + tlp.get_first_be_offset()
        end = at + len(data)
        most = 128 << self.pcie_cap.max_payload_size
        while at < end:
            stop = end if end - (at & ~3) <= most else (at + most) // _BOUNDARY * _BOUNDARY
            part = data[at - end :][: stop - at]
            completion = Tlp.create_completion_data_for_tlp(tlp, self.pcie_id)
            completion.byte_count = end - at
            completion.lower_address = at & 0x7F
            completion.set_data((bytes(at % 4) + part).ljust(-(-(at % 4 + len(part)) // 4) * 4, b"\0"))
            await self.send(completion)
            at = stop

    # ------------------------------------------------------------------ requests of the device

    async def host_read(self, addr: int, size: int) -> bytes:
        if not self.bus_master_enable:
            raise HostBusError("the function may not master the bus")
        try:
            return bytes(await self.mem_read(addr, size))
        except AssertionError:
            raise
        except Exception as error:  # cocotbext-pcie has no type of its own for an unsuccessful completion
            raise HostBusError(str(error)) from None

    async def host_write(self, addr: int, data: bytes) -> None:
        """Posted: whether it arrives, nobody tells."""
        if not self.bus_master_enable:
            raise HostBusError("the function may not master the bus")
        await self.mem_write(addr, data)

    async def message(self, address: int, data: int) -> None:
        if self.bus_master_enable:
            await self.mem_write(address, data.to_bytes(4, "little"))
