"""What only packets can show: enumeration, configuration space, completions of requests that nobody answers to."""

from __future__ import annotations

from typing import Any

import cocotb
from cocotbext.pcie.core.tlp import CplStatus, Tlp, TlpType
from cocotbext.pcie.core.utils import PcieId

from golden_model.device.sequences import layout
from hw.tb.agents.bar.packets import PacketTransport
from hw.tb.agents.bar.sequences.base import OpenDevice
from hw.tb.agents.bar.sequences.transfer import Dma
from hw.tb.bar_alone.environment import BarBench
from tests.cosim.bar_agent.bodies import run_body

MSIX_CAPABILITY, MEMORY_SPACE, BUS_MASTER = 0x11, 1 << 1, 1 << 2
COMMAND = 0x04


def transport_of(bench: BarBench) -> PacketTransport:
    assert isinstance(bench.transport, PacketTransport)
    return bench.transport


@cocotb.test()
async def function_and_bars(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        await bench.run(OpenDevice(bench.agent))
        device = transport_of(bench).device
        assert await device.config_read_dword(0) == 0x1337_1234
        # Sizes by the page; BAR2 takes two registers, so BAR3 is its upper half.
        assert [device.bar_size[bar] for bar in (0, 2, 4)] == [1 << 20, 64 << 20, 64 << 10]
        raw = [await device.config_read_dword(0x10 + 4 * bar) for bar in range(6)]
        assert [value & 0xF for value in (raw[0], raw[2], raw[4])] == [0, 0xC, 0], "memory; BAR2 64 bits, prefetchable"
        addresses = [raw[0] & ~0xF, raw[2] & ~0xF | raw[3] << 32, raw[4] & ~0xF]
        assert addresses == [device.bar_addr[bar] for bar in (0, 2, 4)]
        assert all(at and at % size == 0 for at, size in zip(addresses, (1 << 20, 64 << 20, 64 << 10), strict=True))
        assert addresses[1] >> 32, "BAR2 lies above 4 GiB, so its packets carry 64-bit addresses"
        offset = next(where for kind, where in device.capabilities if kind == MSIX_CAPABILITY)
        control, table, pending = [await device.config_read_dword(offset + 4 * word) for word in range(3)]
        assert (control >> 16 & 0x7FF, table, pending) == (15, 0xFE000, 0xFF000), "16 vectors, both in BAR0"
        assert control >> 31 == 1

    await run_body(dut, body)


@cocotb.test()
async def unsupported_requests(dut: Any) -> None:
    """A read that no BAR answers to, or while memory space is off, completes with Unsupported Request."""

    async def body(bench: BarBench) -> None:
        transport = transport_of(bench)
        do = OpenDevice(bench.agent)
        await bench.run(do)
        base, size = transport.device.bar_addr[4], transport.device.bar_size[4]
        assert await status_of_read(transport, base) is CplStatus.SC
        assert await status_of_read(transport, base + size) is CplStatus.UR
        command = await transport.device.config_read_word(COMMAND)
        await transport.device.config_write_word(COMMAND, command & ~MEMORY_SPACE)
        assert await status_of_read(transport, base) is CplStatus.UR
        await transport.device.config_write_word(COMMAND, command)
        await do.expect("DEV_ID", 0x4750_5055, "memory space is on again")

    await run_body(dut, body)


async def status_of_read(transport: PacketTransport, address: int) -> CplStatus:
    """Status of the completion of one word, sent straight down to the endpoint's port."""
    request = Tlp()
    request.fmt_type = TlpType.MEM_READ
    request.requester_id = PcieId(0, 0, 0)
    request.set_addr_be(address, 4)
    (completion,) = await transport.root.perform_nonposted_operation(request, 20_000)
    return CplStatus(completion.status)


@cocotb.test()
async def reads_in_several_completions(dut: Any) -> None:
    """A long read comes back in pieces of at most the payload size, each ending at a multiple of 64 bytes."""

    async def body(bench: BarBench) -> None:
        transport = transport_of(bench)
        do = OpenDevice(bench.agent)
        await bench.run(do)
        for at in (layout.SCRATCH.start + 3, layout.SCRATCH.start + 45):
            data = bench.rng.randbytes(500)
            await do.vram_write(at, data)
            request = Tlp()
            request.fmt_type = TlpType.MEM_READ_64
            request.requester_id = PcieId(0, 0, 0)
            request.set_addr_be(transport.device.bar_addr[2] + at, len(data))
            completions = await transport.root.perform_nonposted_operation(request, 200_000)
            assert len(completions) > 3
            pieces = [bytes(one.get_data()) for one in completions]
            assert b"".join(pieces)[at % 4 :][: len(data)] == data
            assert sum(map(len, pieces)) == (at % 4 + len(data) + 3) // 4 * 4
            assert max(map(len, pieces)) <= 128 << transport.endpoint.pcie_cap.max_payload_size
            left = [one.byte_count for one in completions]
            assert left[0] == len(data) and all((at + len(data) - rest) % 64 == 0 for rest in left[1:])

    await run_body(dut, body)


@cocotb.test()
async def no_bus_mastering_no_host_memory(dut: Any) -> None:
    """While bus mastering is off the device's accesses to host memory are bus errors, and no message leaves."""

    async def body(bench: BarBench) -> None:
        transport = transport_of(bench)
        do = OpenDevice(bench.agent)
        await bench.run(do)
        command = await transport.device.config_read_word(COMMAND)
        await transport.device.config_write_word(COMMAND, command & ~BUS_MASTER)
        dma = Dma(bench.agent, layout.HOST.start, layout.SCRATCH.start, 8, to_host=False)
        await bench.run(dma)
        assert dma.status == 4
        await do.expect_messages([], "the function may not write upstream")
        await transport.device.config_write_word(COMMAND, command)
        await do.write("ERROR_STATUS", 8)
        await bench.run(dma)
        assert dma.status == 2

    await run_body(dut, body)
