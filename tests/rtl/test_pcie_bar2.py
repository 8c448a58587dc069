"""vx_bar2_slave: bursts of every kind, size and alignment against a byte array; the end of VRAM, one fault a burst."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.pcie_clients import Client

VRAM_SIZE = 0x2000
WINDOW = 1 << 26
FIXED, INCR, WRAP = range(3)


def addresses(start: int, beats: int, log2: int, kind: int) -> Iterator[int]:
    """First byte of each beat (AXI4, A3.4.1)."""
    size = 1 << log2
    aligned = start // size * size
    for beat in range(beats):
        if kind == FIXED or beat == 0:
            yield start
            continue
        at = aligned + beat * size
        if kind == WRAP:
            low = start // (size * beats) * (size * beats)
            at = low + (at - low) % (size * beats)
        yield at


class Bench:
    def __init__(self, dut: Any, rng: Random) -> None:
        self.dut, self.rng = dut, rng
        self.client = Client(dut, "cl", True, rng, {})
        self.faults = 0

    async def cycle(self, done: Callable[[], bool] = lambda: False) -> bool:
        """One clock cycle; whether `done` held just before its edge."""
        await FallingEdge(self.dut.clk)
        self.client.drive("rsp_valid", "rsp_data", "rsp_err")
        for name in ("bready", "rready"):
            getattr(self.dut, name).value = int(self.rng.random() < 0.7)
        await RisingEdge(self.dut.clk)
        self.faults += int(self.dut.fault.value)
        return done()

    async def until(self, valid: str, ready: str) -> None:
        for _ in range(2000):
            if await self.cycle(lambda: bool(getattr(self.dut, valid).value and getattr(self.dut, ready).value)):
                return
        raise AssertionError(f"{valid} and {ready} never meet")


@cocotb.test()
async def random_bursts(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    for name in ("awvalid", "wvalid", "arvalid", "rsp_valid", "rsp_err", "bready", "rready"):
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    bench = Bench(dut, rng)
    memory = bytearray(VRAM_SIZE)
    outside = {True: 0, False: 0}
    for number in range(250):
        log2, kind = rng.randrange(7), rng.choice((FIXED, INCR, INCR, INCR, WRAP))
        beats = rng.choice((2, 4, 8, 16)) if kind == WRAP else rng.choice((1, 1, 2, 3, rng.randint(1, 16)))
        start = rng.choice((rng.randrange(0x400), VRAM_SIZE - rng.randrange(200), WINDOW - (beats << log2)))
        if kind == WRAP:
            start = start >> log2 << log2
        ids = rng.getrandbits(8)
        write = rng.random() < 0.5
        prefix = "aw" if write else "ar"
        values = {"addr": start, "id": ids, "len": beats - 1, "size": log2, "burst": kind, "valid": 1}
        for name, value in values.items():
            getattr(dut, f"{prefix}{name}").value = value
        await bench.until(f"{prefix}valid", f"{prefix}ready")
        getattr(dut, f"{prefix}valid").value = 0
        passes_end = False
        for beat, at in enumerate(addresses(start, beats, log2, kind)):
            stop = (at >> log2 << log2) + (1 << log2)
            lanes = [one % 64 for one in range(at, stop)]
            base = at & ~63
            if write:
                data = rng.randbytes(64)
                enabled = [lane for lane in lanes if rng.random() < 0.8]
                dut.wdata.value = int.from_bytes(data, "little")
                dut.wstrb.value = sum(1 << lane for lane in enabled)
                dut.wlast.value = int(beat == beats - 1)
                dut.wvalid.value = 1
                await bench.until("wvalid", "wready")
                dut.wvalid.value = 0
                passes_end = passes_end or (base >= VRAM_SIZE and bool(enabled))
                for lane in enabled:
                    if base < VRAM_SIZE:
                        memory[base + lane] = data[lane]
            else:
                await bench.until("rvalid", "rready")
                assert int(dut.rid.value) == ids and bool(dut.rlast.value) == (beat == beats - 1)
                assert int(dut.rresp.value) == 0
                shown = int(dut.rdata.value).to_bytes(64, "little")
                inside = base < VRAM_SIZE
                passes_end = passes_end or not inside
                for lane in lanes:
                    assert shown[lane] == (memory[base + lane] if inside else 0), (number, beat, lane)
        if write:
            await bench.until("bvalid", "bready")
            assert int(dut.bid.value) == ids and int(dut.bresp.value) == 0
        await bench.cycle()
        assert bench.faults == passes_end, f"burst {number} at {start:#x}: {bench.faults} faults"
        outside[write] += passes_end
        bench.faults = 0
    assert all(bench.client.memory.get(addr, 0) == value for addr, value in enumerate(memory))
    assert min(outside.values()) > 15


def test_bar2() -> None:
    runner.run(runner.Block("vx_bar2_slave", parameters={"VRAM_SIZE": VRAM_SIZE}), __name__)
