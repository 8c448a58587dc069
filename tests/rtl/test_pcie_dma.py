"""vx_dma_engine against the golden DmaTransfer: both directions, any alignment, checks, bus errors, abort."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from golden_model.device.dma import DmaTransfer
from golden_model.device.host_memory import ADDRESS_SPACE, SparseHostMemory
from golden_model.memory import Memory
from tests.rtl import runner
from tests.rtl.bench import Struct, start_clock_and_reset
from tests.rtl.pcie_clients import Client

VRAM_SIZE = 0x4000
HOST = 0x7_1234_0000
DMA_REGS = Struct((("source", 64), ("target", 64), ("size", 32), ("wants_irq", 1), ("to_host", 1)))
TRANSFERS = 250


@cocotb.test()
async def random_transfers(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    assert len(dut.regs) == DMA_REGS.width
    for name in ("soft_reset", "abort", "start", "host_rsp", "vram_rsp", "host_err", "vram_err", "regs"):
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    golden_vram = Memory(VRAM_SIZE)
    golden_host = SparseHostMemory()
    golden_host.failing.add(HOST + 0x1000, 0x1000)
    vram_bytes: dict[int, int] = {}
    host_bytes: dict[int, int] = {}
    host = Client(dut, "host", False, rng, host_bytes, fails=lambda addr: HOST + 0x1000 <= addr < HOST + 0x2000)
    vram = Client(dut, "vram", True, rng, vram_bytes)
    for addr in range(0x1000):
        value = rng.getrandbits(8)
        vram_bytes[addr] = host_bytes[HOST + addr] = value
        golden_vram.write(addr, bytes((value,)))
        golden_host.write(HOST + addr, bytes((value,)))
    ends = {"done": 0, "error": 0, "abort": 0}
    for number in range(TRANSFERS):
        size = rng.choice((0, 1, 2, 3, 63, 64, 65, rng.randint(1, 400)))
        host_addr = rng.choice((HOST + rng.randrange(0xE00), HOST + 0x1000 - rng.randint(1, 200), ADDRESS_SPACE - size))
        vram_addr = rng.choice((rng.randrange(0xE00), VRAM_SIZE - size, VRAM_SIZE - size + 1, 1 << 63))
        if rng.random() < 0.05:
            host_addr = ADDRESS_SPACE - size + 1
        host_addr %= ADDRESS_SPACE
        to_host, interrupt = rng.random() < 0.5, rng.random() < 0.5
        transfer = DmaTransfer(
            golden_vram, golden_host.read, golden_host.write, host_addr, vram_addr, size, to_host, interrupt, 64
        )
        bad = transfer.check() is not None
        aborts = rng.random() < 0.15
        source, target = (vram_addr, host_addr) if to_host else (host_addr, vram_addr)
        dut.regs.value = DMA_REGS.pack(
            {"source": source, "target": target, "size": size, "wants_irq": interrupt, "to_host": to_host}
        )
        dut.start.value = 1
        pieces = 0
        events = {"done": 0, "error": 0, "end": 0}
        abort_at = rng.randrange(60) if aborts else -1
        for cycle in range(4000):
            await FallingEdge(dut.clk)
            if cycle == abort_at:
                dut.abort.value = 1
            host.drive("host_rsp", "host_rsp_data", "host_err")
            vram.drive("vram_rsp", "vram_rsp_data", "vram_err")
            await RisingEdge(dut.clk)
            pieces += int(dut.event_piece.value)
            for name in events:
                events[name] += int(getattr(dut, f"event_{name}").value)
            await FallingEdge(dut.clk)
            dut.start.value = dut.host_rsp.value = dut.vram_rsp.value = 0
            if cycle == 0:
                assert bool(dut.busy.value) == (not bad and abort_at != 0)
            if dut.idle.value and cycle >= abort_at:
                break
        else:
            raise AssertionError(f"transfer {number} never ends")
        if not bad:
            transfer.advance(pieces if aborts else None)
        where = f"transfer {number}: {transfer.host_addr:#x} {vram_addr:#x} {size} {to_host}"
        failed = bad or transfer.problem is not None
        if not (aborts and not transfer.finished):
            assert events["error"] == failed or aborts, where
        if not aborts:
            assert events["done"] == (not failed and interrupt), where
            assert int(dut.status.value) == (4 if failed else 2), where
            assert bad or events["end"] == 1, where
            ends["error" if failed else "done"] += 1
        else:
            ends["abort"] += 1
            dut.abort.value = 0
            dut.soft_reset.value = 1
            await RisingEdge(dut.clk)
            await FallingEdge(dut.clk)
            dut.soft_reset.value = 0
            assert int(dut.status.value) == 0
        for addr, value in vram_bytes.items():
            assert golden_vram.read(addr, 1)[0] == value, f"{where}: VRAM {addr:#x}"
        for addr, value in host_bytes.items():
            if not HOST + 0x1000 <= addr < HOST + 0x2000:
                assert golden_host.read(addr, 1)[0] == value, f"{where}: host {addr:#x}"
    assert min(ends.values()) > 15, ends


def test_dma() -> None:
    runner.run(runner.Block("vx_dma_engine", parameters={"VRAM_SIZE": VRAM_SIZE}), __name__)
