"""vx_icache: random fetches over a small cache, a memory that answers in any order, flushes and errors."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.cache_model import Contents
from tests.rtl.memory_side import MemorySide
from tests.rtl.structs import Layouts

CYCLES = 5000
SIZE, WAYS = 1024, 4


class Bench:
    """Plays the fetch unit; a tag may be sent again while its answer is outstanding and must not be lost."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.config = runner.hardware()
        self.layouts = Layouts(self.config)
        self.rng = Random(cocotb.RANDOM_SEED)
        self.contents = Contents(SIZE, WAYS)
        self.memory = MemorySide(dut, self.rng, self.config, self.on_request, self.on_response)
        self.sent_lines: list[int] = []  # misses whose memory read has not come out yet
        self.missing: set[int] = set()
        self.answers: dict[int, tuple[int, bool]] = {}  # tag -> address, must fail
        self.hit_tags: set[int] = set()  # answered from the cache: a failing read of the same line is not theirs
        self.hits = self.misses = self.merges = self.errors = self.flushes = self.repeated = 0

    async def begin(self) -> None:
        for name in ("req_valid", "req", "flush_valid"):
            getattr(self.dut, name).value = 0
        self.memory.reset_inputs()
        await start_clock_and_reset(self.dut)
        assert len(self.dut.req) == self.layouts.icache_req.width and len(self.dut.rsp) == self.layouts.icache_rsp.width

    def on_request(self, request: dict[str, int], tag: int) -> None:
        assert self.sent_lines, "unexpected request to memory"
        assert not request["rw"] and request["addr"] == self.sent_lines.pop(0) and request["byteen"] == (1 << 64) - 1

    def on_response(self, line: int, err: bool) -> None:
        self.missing.discard(line)
        if not err:
            self.contents.fill(line)
            return
        for tag, (address, _) in self.answers.items():
            if address >> 6 == line and tag not in self.hit_tags:
                self.answers[tag] = (address, True)

    def accepted(self, address: int, tag: int) -> None:
        assert tag not in self.answers, "a tag was accepted while its answer is outstanding"
        line = address >> 6
        self.answers[tag] = (address, False)
        self.hit_tags.discard(tag)
        if line in self.contents:
            self.hits += 1
            self.hit_tags.add(tag)
        elif line in self.missing:
            self.merges += 1
        else:
            self.misses += 1
            self.missing.add(line)
            self.sent_lines.append(line)

    async def run(self, cycles: int, hot: int, flush_rate: float) -> None:
        dut, rng = self.dut, self.rng
        waiting: tuple[int, int] | None = None
        flushing = False
        for cycle in range(cycles + 2000):
            draining = cycle >= cycles
            if waiting is None and not draining and rng.random() < 0.9:
                line = 0x200_0000 + min(int(rng.expovariate(1 / hot)), 40)
                waiting = (line << 6 | 4 * rng.randrange(16), rng.randrange(1 << self.layouts.wid + 2))
                self.repeated += waiting[1] in self.answers
            dut.req_valid.value = int(waiting is not None)
            if waiting is not None:
                dut.req.value = self.layouts.icache_req.pack({"addr": waiting[0], "tag": waiting[1]})
            flushing = flushing or (not draining and rng.random() < flush_rate)
            dut.flush_valid.value = int(flushing)
            self.memory.drive()
            outstanding = bool(self.memory.reads)
            await RisingEdge(dut.clk)
            if dut.rsp_valid.value:
                rsp = self.layouts.icache_rsp.unpack(int(dut.rsp.value))
                assert rsp["tag"] in self.answers, f"response for tag {rsp['tag']} that waits for nothing"
                address, err = self.answers.pop(rsp["tag"])
                assert bool(rsp["err"]) == err, f"err of {address:#x}"
                word = self.memory.memory.read(address >> 6) >> 8 * (address & 63) & 0xFFFFFFFF
                assert err or rsp["data"] == word, f"word at {address:#x}"
                self.errors += err
            if waiting is not None and dut.req_ready.value:
                assert not flushing
                self.accepted(*waiting)
                waiting = None
            if dut.flush_done.value:
                assert flushing and not outstanding and not self.missing
                self.contents.clear()
                flushing = False
                self.flushes += 1
                # The host loads another module: nothing of the old one may be seen.
                for line in range(0x200_0000, 0x200_0000 + 41):
                    self.memory.memory.write(line, (1 << 64) - 1, rng.getrandbits(512))
            self.memory.observe()
            if draining and waiting is None and not self.answers and not self.missing and not flushing:
                return
        raise AssertionError(f"{len(self.answers)} fetches were not answered")


@cocotb.test()
async def random_fetches(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    await bench.run(CYCLES // 2, hot=8, flush_rate=0.002)
    bench.memory.error_rate = 0.2
    await bench.run(CYCLES // 2, hot=16, flush_rate=0.002)
    perf = bench.layouts.cache_perf.unpack(int(dut.perf.value))
    assert perf["reads"] == bench.hits + bench.merges + bench.misses
    assert perf["read_misses"] == bench.misses and perf["evictions"] == bench.contents.evictions
    assert bench.hits > 200 and bench.misses > 50 and bench.merges > 5 and bench.repeated > 20
    assert bench.errors > 5 and bench.flushes > 2 and bench.contents.evictions > 10


@cocotb.test()
async def hits_flow(dut: Any) -> None:
    """Hits: one word a cycle, one cycle later."""
    bench = Bench(dut)
    await bench.begin()
    bench.memory.ready_rate, bench.memory.max_latency = 1.0, 3
    await bench.run(200, hot=1, flush_rate=0.0)
    line = next(held for ways in bench.contents.sets for held in ways.held if held is not None)
    for number in range(41):
        if number < 40:
            dut.req_valid.value = 1
            dut.req.value = bench.layouts.icache_req.pack({"addr": line << 6 | 4 * (number % 16), "tag": number % 8})
        else:
            dut.req_valid.value = 0
        await RisingEdge(dut.clk)
        assert number == 40 or dut.req_ready.value
        if number:
            rsp = bench.layouts.icache_rsp.unpack(int(dut.rsp.value))
            word = bench.memory.memory.read(line) >> 32 * ((number - 1) % 16) & 0xFFFFFFFF
            assert dut.rsp_valid.value and rsp == {"data": word, "tag": (number - 1) % 8, "err": 0}


@pytest.mark.parametrize("mshrs", [4, 1])
def test_icache(mshrs: int) -> None:
    testcase = None if mshrs == 4 else "random_fetches"
    block = runner.Block("vx_icache", parameters={"SIZE": SIZE, "WAYS": WAYS, "MSHRS": mshrs})
    runner.run(block, __name__, testcase=testcase)
