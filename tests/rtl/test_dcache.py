"""vx_dcache: every request to memory and every response is predicted, under random traffic and a hostile memory."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.cache_model import Contents
from tests.rtl.core_structs import Amo
from tests.rtl.memory_side import Lines, MemorySide, byte_mask
from tests.rtl.structs import Layouts

CYCLES = 6000
TAG_IO, TAG_AMO = 8, 12
SIZE, WAYS = 1024, 2


class Bench:
    """Plays the LSU; `reference` is memory in program order, so it gives every read's value at its acceptance."""

    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.config = runner.hardware()
        self.layouts = Layouts(self.config)
        self.rng = Random(cocotb.RANDOM_SEED)
        self.contents = Contents(SIZE, WAYS)
        self.reference = Lines()
        self.memory = MemorySide(dut, self.rng, self.config, self.on_request, self.on_response)
        self.to_memory: deque[dict[str, int]] = deque()  # requests that must come out next, in this order
        self.missing: set[int] = set()  # lines with an outstanding read
        self.answers: dict[int, dict[str, int]] = {}  # LSU tag -> the accepted request and what it must return
        self.failed_lines: set[int] = set()
        self.io_read = False
        self.hits = self.misses = self.merges = self.answered = self.io_done = self.errors = self.flushes = 0
        self.reads = self.writes = 0
        self._stable: int | None = None
        self.lines = [0x200_0000 + number for number in range(28)]
        self.io_lines = [0x1 + number for number in range(3)]

    async def begin(self) -> None:
        for name in ("req_valid", "req", "rsp_ready", "flush_valid"):
            getattr(self.dut, name).value = 0
        self.memory.reset_inputs()
        await start_clock_and_reset(self.dut)
        assert len(self.dut.req) == self.layouts.dcache_req.width
        assert len(self.dut.mem_req) == self.layouts.mem_req.width
        assert len(self.dut.mem_rsp) == self.layouts.mem_rsp.width
        assert len(self.dut.perf) == self.layouts.cache_perf.width

    # ------------------------------------------------------------ memory side

    def on_request(self, request: dict[str, int], tag: int) -> None:
        assert self.to_memory, f"unexpected request to memory: {request}"
        wanted = self.to_memory.popleft()
        mask = byte_mask(request["byteen"])
        got = {
            "rw": request["rw"],
            "addr": request["addr"],
            "byteen": request["byteen"],
            "data": request["data"] & mask,
        }
        io = wanted.pop("io")
        assert got == {**wanted, "data": wanted["data"] & mask if request["rw"] else got["data"]}
        if io:
            assert not self.memory.writes, "an I/O request left before older writes were acknowledged"
        if not request["rw"]:
            assert (tag == TAG_IO) == bool(io)

    def on_response(self, line: int, err: bool) -> None:
        if line in self.io_lines:
            self.io_read = False
        else:
            self.missing.discard(line)
            if not err:
                self.contents.fill(line)
        if err:
            self.failed_lines.add(line)
            for answer in self.answers.values():
                if answer["line"] == line and not answer["hit"]:
                    answer["err"] = 1

    # ------------------------------------------------------------ LSU side

    def choose(self, hot: int) -> dict[str, int]:
        rng = self.rng
        io = int(rng.random() < 0.05)
        line = rng.choice(self.io_lines) if io else self.lines[min(int(rng.expovariate(1 / hot)), len(self.lines) - 1)]
        rw = int(rng.random() < 0.35)
        byteen = rng.choice([rng.getrandbits(64), 0xF << 4 * rng.randrange(16), 1 << rng.randrange(64), (1 << 64) - 1])
        free = [tag for tag in range(64) if tag not in self.answers]
        return {
            "rw": rw,
            "io": io,
            "addr": line,
            "byteen": byteen,
            "data": rng.getrandbits(512),
            "tag": rng.choice(free) if free else 0,
        }

    def accepted(self, request: dict[str, int]) -> None:
        line, present = request["addr"], request["addr"] in self.contents
        toward = {
            "rw": request["rw"],
            "io": request["io"],
            "addr": line,
            "byteen": request["byteen"],
            "data": request["data"],
        }
        if request["io"]:
            assert not self.io_read and not self.memory.writes, "I/O accepted before older requests were done"
            self.to_memory.append(toward)
            self.io_read = not request["rw"]
            self.io_done += 1
        elif request["rw"]:
            assert line not in self.missing, "a write was accepted while a read of its line is outstanding"
            self.to_memory.append(toward)
        elif present:
            self.hits += 1
        elif line in self.missing:
            self.merges += 1
        else:
            self.misses += 1
            self.missing.add(line)
            self.to_memory.append({**toward, "byteen": (1 << 64) - 1})
        self.reads += not request["rw"]
        self.writes += request["rw"]
        if request["rw"]:
            self.reference.write(line, request["byteen"], request["data"])
        else:
            mask = byte_mask(request["byteen"]) if request["io"] else byte_mask((1 << 64) - 1)
            hit = int(present and not request["io"])
            self.answers[request["tag"]] = {
                "line": line, "mask": mask, "data": self.reference.read(line) & mask, "hit": hit, "err": 0,
            }  # fmt: skip

    def take_response(self, taken: bool) -> None:
        if not self.dut.rsp_valid.value:
            assert self._stable is None, "rsp_valid fell before the response was taken"
            return
        packed = int(self.dut.rsp.value)
        assert self._stable is None or packed == self._stable, "rsp changed while it waited"
        self._stable = None if taken else packed
        if not taken:
            return
        rsp = self.layouts.dcache_rsp.unpack(packed)
        assert rsp["tag"] in self.answers, f"response for tag {rsp['tag']} that waits for nothing"
        answer = self.answers.pop(rsp["tag"])
        assert rsp["err"] == answer["err"], f"err of line {answer['line']:#x}"
        if not rsp["err"]:
            assert rsp["data"] & answer["mask"] == answer["data"], f"data of line {answer['line']:#x}"
        self.errors += rsp["err"]
        self.answered += 1

    async def run(self, cycles: int, *, request_rate: float, take_rate: float, hot: int, flush_rate: float) -> None:
        """`cycles` of random traffic, then until everything is answered."""
        dut, rng = self.dut, self.rng
        waiting: dict[str, int] | None = None
        flushing = False
        for cycle in range(cycles + 4000):
            draining = cycle >= cycles
            if waiting is None and not draining and rng.random() < request_rate and len(self.answers) < 60:
                waiting = self.choose(hot)
            dut.req_valid.value = int(waiting is not None)
            dut.req.value = self.layouts.dcache_req.pack(waiting) if waiting else rng.getrandbits(600)
            flushing = flushing or (not draining and rng.random() < flush_rate)
            dut.flush_valid.value = int(flushing)
            take = draining or rng.random() < take_rate
            dut.rsp_ready.value = int(take)
            self.memory.drive()
            unacknowledged = bool(self.memory.writes or self.memory.reads)
            await RisingEdge(dut.clk)
            self.take_response(take)
            accepted = waiting is not None and bool(dut.req_ready.value)
            if accepted:
                assert waiting is not None and not flushing, "accepted during a flush"
                self.accepted(waiting)
                waiting = None
            if dut.flush_done.value:
                assert flushing and not unacknowledged and not self.to_memory and not self.missing and not self.io_read
                self.contents.clear()
                flushing = False
                self.flushes += 1
            self.memory.observe()
            outstanding = bool(self.to_memory or not self.memory.idle)
            if draining and waiting is None and not flushing and not self.answers and not outstanding:
                await RisingEdge(dut.clk)
                break
        else:
            raise AssertionError(f"not idle: {len(self.answers)} unanswered, {len(self.to_memory)} not sent")

    def check_counters(self) -> None:
        perf = self.layouts.cache_perf.unpack(int(self.dut.perf.value))
        assert perf["reads"] == self.reads and perf["writes"] == self.writes
        assert perf["read_misses"] == self.misses and perf["evictions"] == self.contents.evictions


async def begin(dut: Any) -> Bench:
    bench = Bench(dut)
    await bench.begin()
    return bench


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    bench = await begin(dut)
    await bench.run(CYCLES // 3, request_rate=0.9, take_rate=0.9, hot=6, flush_rate=0.002)
    bench.memory.ready_rate, bench.memory.max_latency = 1.0, 4
    await bench.run(CYCLES // 3, request_rate=1.0, take_rate=1.0, hot=3, flush_rate=0.0)
    bench.memory.error_rate, bench.memory.max_latency = 0.2, 60
    await bench.run(CYCLES // 3, request_rate=0.8, take_rate=0.5, hot=12, flush_rate=0.002)
    bench.check_counters()
    dut._log.info("%s", {name: value for name, value in vars(bench).items() if isinstance(value, int)})
    mshrs = runner.parameter("MSHRS", 8)
    assert bench.hits > 100 and bench.misses > 100 and bench.merges > 6 * mshrs and bench.io_done > 20
    assert bench.errors > 5 and bench.flushes > 2 and bench.contents.evictions > 20
    assert bench.memory.max_reads >= min(mshrs, 6), f"only {bench.memory.max_reads} reads were outstanding at once"


@cocotb.test()
async def hits_flow(dut: Any) -> None:
    """Hits: one a cycle, answered in the next cycle; also while misses are outstanding."""
    bench = await begin(dut)
    memory, lines = bench.memory, bench.lines

    def read(line: int, tag: int) -> dict[str, int]:
        return {"rw": 0, "io": 0, "addr": line, "byteen": 0xF, "data": 0, "tag": tag}

    for number in range(4):  # four lines in, two of them by way of one set
        dut.req_valid.value = 1
        dut.req.value = bench.layouts.dcache_req.pack(read(lines[number], number))
        dut.rsp_ready.value = 1
        await RisingEdge(dut.clk)
        assert dut.req_ready.value
        bench.accepted(read(lines[number], number))
    dut.req_valid.value = 0
    while bench.answers:
        memory.drive()
        await RisingEdge(dut.clk)
        bench.take_response(True)
        memory.observe()
    # Two misses that stay unanswered, then hits under them.
    memory.max_latency = 1000
    sequence = [read(lines[10], 60), read(lines[11], 61)] + [
        read(lines[number % 4], number % 50) for number in range(40)
    ]
    previous: int | None = None
    memory.ready_rate = 1.0
    for request in sequence:
        dut.req_valid.value = 1
        dut.req.value = bench.layouts.dcache_req.pack(request)
        memory.drive()
        dut.mem_rsp_valid.value = 0
        await RisingEdge(dut.clk)
        assert dut.req_ready.value, "a hit was not accepted at once"
        if previous is not None:
            assert dut.rsp_valid.value, "a hit was not answered one cycle later"
            assert bench.layouts.dcache_rsp.unpack(int(dut.rsp.value))["tag"] == previous
            bench.take_response(True)
        bench.accepted(request)
        previous = request["tag"] if request["addr"] not in bench.missing else None
    assert bench.hits == 40


@cocotb.test()
async def atomics(dut: Any) -> None:
    """Atomics pass, up to four at a time; no read after one sees the line as it was before."""
    bench = await begin(dut)
    memory, rng, layouts = bench.memory, bench.rng, bench.layouts
    lines = bench.lines[:6]
    performed: set[int] = set()  # lines of atomics that memory has answered, and that the cache still answers
    current = {line: memory.memory.read(line) for line in lines}  # memory, as the next access of the line must see it
    under_way: dict[int, int] = {}  # line of an atomic -> its LSU tag
    expected: dict[int, int | None] = {}  # LSU tag -> answer; None: not known before memory performs the atomic
    at_memory: dict[int, bool] = {}  # line of an unanswered read or atomic
    done = together = 0

    def on_request(request: dict[str, int], tag: int) -> None:
        line, atomic = request["addr"], layouts.amo.unpack(request["amo"])["op"] != Amo.NONE
        assert (tag >= TAG_AMO) == atomic and not request["rw"]
        assert line not in at_memory, "an atomic and a read of one line are outstanding together"
        at_memory[line] = atomic
        if atomic:
            assert request["byteen"] == line & 0xFFFF and request["data"] == line * 3, "operands changed on their way"

    def on_response(line: int, err: bool) -> None:
        assert not err
        if at_memory.pop(line):
            expected[under_way[line]] = current[line]
            performed.add(line)
            current[line] = rng.getrandbits(512)
            memory.memory.write(line, (1 << 64) - 1, current[line])

    memory.on_request, memory.on_response = on_request, on_response
    waiting: dict[str, int] | None = None
    for cycle in range(5000):
        if waiting is None and cycle < 4000 and rng.random() < 0.8:
            line, tag = rng.choice(lines), rng.randrange(64)
            if line not in under_way and tag not in expected:
                atomic = rng.random() < 0.4
                waiting = {"rw": 0, "addr": line, "byteen": 0xF, "data": 0, "tag": tag}
                if atomic:
                    amo = layouts.amo.pack({"op": rng.choice(list(Amo)[1:]), "mask": 1})
                    waiting |= {"amo": amo, "byteen": line & 0xFFFF, "data": line * 3}
        dut.req_valid.value = int(waiting is not None)
        dut.req.value = layouts.dcache_req.pack(waiting or {})
        dut.rsp_ready.value = take = int(rng.random() < 0.8)
        memory.drive()
        await RisingEdge(dut.clk)
        if dut.rsp_valid.value and take:
            rsp = layouts.dcache_rsp.unpack(int(dut.rsp.value))
            assert rsp["data"] == expected.pop(rsp["tag"]), f"tag {rsp['tag']}: not what memory held"
            performed -= {line for line, tag in under_way.items() if tag == rsp["tag"]}
            under_way = {line: tag for line, tag in under_way.items() if tag != rsp["tag"]}
            done += 1
        if waiting is not None and dut.req_ready.value:
            line, tag = waiting["addr"], waiting["tag"]
            if waiting.get("amo"):
                under_way[line], expected[tag] = tag, None
                together = max(together, len(under_way.keys() - performed))
            else:
                expected[tag] = current[line]
            waiting = None
        memory.observe()
    assert done > 500 and not expected and together == 4 and not dut.busy.value


@cocotb.test()
async def reset_under_load(dut: Any) -> None:
    """After a reset at any time nothing is kept and nothing is answered."""
    bench = await begin(dut)
    for _ in range(60):
        dut.req_valid.value = 1
        dut.req.value = bench.layouts.dcache_req.pack(bench.choose(4))
        bench.memory.drive()
        await RisingEdge(dut.clk)
        bench.memory._stable = None
        if dut.mem_req_valid.value and dut.mem_req_ready.value:
            bench.to_memory.clear()
    dut.req_valid.value = 0
    dut.mem_rsp_valid.value = 0
    dut.writes_pending.value = 0
    dut.reset.value = 1
    await RisingEdge(dut.clk)
    dut.reset.value = 0
    await RisingEdge(dut.clk)
    assert not dut.busy.value and not dut.rsp_valid.value and not dut.mem_req_valid.value
    fresh = Bench(dut)
    await fresh.run(500, request_rate=0.9, take_rate=0.9, hot=6, flush_rate=0.0)
    assert fresh.hits and fresh.misses


@pytest.mark.parametrize("mshrs", [8, 1])
def test_dcache(mshrs: int) -> None:
    parameters = {"SIZE": SIZE, "WAYS": WAYS, "MSHRS": mshrs}
    testcase = None if mshrs == 8 else "random_traffic"
    runner.run(runner.Block("vx_dcache", parameters=parameters), __name__, testcase=testcase)
