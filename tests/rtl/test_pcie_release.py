"""vx_release_writer against the golden Release: what is written where and in which order, what does not fit, errors."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from golden_model.device.release import Release
from tests.rtl import runner
from tests.rtl.bench import Struct, start_clock_and_reset
from tests.rtl.pcie_clients import Client

VRAM_SIZE = 0x4000
RELEASE = Struct((("addr", 64), ("payload", 64), ("host", 1), ("timestamp", 1), ("wide", 1), ("enable", 1)))


@cocotb.test()
async def random_releases(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    assert len(dut.request) == RELEASE.width
    for name in ("abort", "start", "host_rsp", "vram_rsp", "host_err", "vram_err"):
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    failing = False
    host = Client(dut, "host", False, rng, {}, fails=lambda addr: failing, strobe="strb", data="data", writes_only=True)
    vram = Client(dut, "vram", True, rng, {}, fails=lambda addr: failing, strobe="strb", data="data", writes_only=True)
    outcomes = {"written": 0, "unfit": 0, "error": 0, "split": 0}
    for number in range(400):
        on_host = rng.random() < 0.5
        limit = 1 << 64 if on_host else VRAM_SIZE
        addr = rng.choice(
            (rng.randrange(limit), limit - rng.randint(1, 20), 64 * rng.randrange(1, 200) - rng.randrange(16))
        )
        ctrl = 1 | rng.getrandbits(2) << 1 | on_host << 3
        release = Release.sample(addr, rng.getrandbits(64), ctrl)
        assert release is not None
        cycles = rng.choice((rng.getrandbits(20), rng.getrandbits(64)))
        failing = rng.random() < 0.1
        host.memory.clear()
        vram.memory.clear()
        del host.log[:], vram.log[:]
        dut.request.value = RELEASE.pack(
            {
                "addr": addr,
                "payload": release.payload,
                "host": on_host,
                "timestamp": release.timestamp,
                "wide": release.wide,
                "enable": 1,
            }
        )
        dut.cycles.value = cycles
        dut.start.value = 1
        for _ in range(200):
            await FallingEdge(dut.clk)
            host.drive("host_rsp", None, "host_err")
            vram.drive("vram_rsp", None, "vram_err")
            await RisingEdge(dut.clk)
            done, error = bool(dut.done.value), bool(dut.error.value)
            await FallingEdge(dut.clk)
            dut.start.value = dut.host_rsp.value = dut.vram_rsp.value = 0
            dut.cycles.value = rng.getrandbits(64)  # the time is that of the start
            if done:
                break
        else:
            raise AssertionError(f"release {number} never ends")
        assert dut.idle.value
        fits = addr + release.size <= limit
        used, other = (host, vram) if on_host else (vram, host)
        assert not other.log and error == (not fits or failing), release
        expected: dict[int, int] = {}
        if fits and not failing:
            for at, data in release.writes(cycles):
                expected |= {at + i: byte for i, byte in enumerate(data)}
            first = min(expected)
            assert len(used.log) >= 1 and (not release.timestamp or used.log[-1].addr <= first + 8)
            outcomes["split"] += len(used.log) > 1 + release.timestamp
        else:
            assert len(used.log) == (1 if fits else 0), "more was written after an error"
        assert used.memory == expected, release
        outcomes["unfit" if not fits else "error" if failing else "written"] += 1
    assert min(outcomes.values()) > 10, outcomes


def test_release() -> None:
    runner.run(runner.Block("vx_release_writer", parameters={"VRAM_SIZE": VRAM_SIZE}), __name__)
