"""vx_dcache as a write-back cache: which bytes it owes to memory, when it writes them, and that no read passes them.

The bench keeps memory in program order (`reference`) and, for each line, the writes that must come out next
(`expected`) and the bytes that the cache has and memory has not (`owed`). Lines leave when another takes their place,
before an atomic, and in a flush; after a flush memory must be the reference, byte for byte.
"""

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

CYCLES = 12000
TAG_IO, TAG_AMO = 8, 12
ALL = (1 << 64) - 1
LINES = [0x200_0000 + number for number in range(24)]
IO_LINES = [1, 2, 3]


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.layouts = Layouts(runner.hardware())
        self.rng = Random(cocotb.RANDOM_SEED)
        self.contents = Contents(runner.parameter("SIZE", 1024), runner.parameter("WAYS", 2))
        self.reference = Lines()
        self.memory = MemorySide(dut, self.rng, runner.hardware(), self.on_request, self.on_response)
        self.expected: dict[int, deque[tuple[int, int]]] = {}  # line -> writes (bytes, data) in order
        self.owed: dict[int, int] = {}  # line -> bytes
        self.reading: set[int] = set()  # lines with a read between acceptance and answer
        self.atomics: dict[int, int] = {}  # line -> tag of the atomic under way
        self.answers: dict[int, tuple[int, int | None]] = {}  # tag -> line, value (None: not known yet)
        self.waiting: dict[str, int] | None = None
        self.flushing = False
        self.io_busy = False
        self.counts = dict.fromkeys(("evicted", "flushed", "cleaned", "through", "hit", "reads", "flushes", "io"), 0)
        self.failed: set[int] = set()

    # ------------------------------------------------------------ memory side

    def _save(self, line: int, reason: str) -> None:
        """The line's owed bytes must come out after what is expected of it already."""
        byteen = self.owed.pop(line, 0)
        if byteen:
            data = self.reference.read(line) & byte_mask(byteen)
            self.expected.setdefault(line, deque()).append((byteen, data))
            self.counts[reason] += 1

    def on_request(self, request: dict[str, int], tag: int) -> None:
        line, waiting = request["addr"], self.waiting
        if not request["rw"]:
            assert not self.expected.get(line), f"a request of line {line:#x} passed its write"
            assert line in self.reading or line in self.atomics or line in IO_LINES, f"read of line {line:#x}"
            assert (tag >= TAG_AMO) == (line in self.atomics) and (tag == TAG_IO) == (line in IO_LINES)
            return
        if not self.expected.get(line):
            if self.flushing:
                self._save(line, "flushed")
            elif waiting is not None and waiting.get("amo") and waiting["addr"] == line:
                self._save(line, "cleaned")
        assert self.expected.get(line), f"nothing of line {line:#x} has to be written"
        byteen, data = self.expected[line].popleft()
        assert request["byteen"] == byteen, f"bytes of line {line:#x}"
        assert request["data"] & byte_mask(byteen) == data, f"data of line {line:#x}"

    def on_response(self, line: int, err: bool) -> None:
        if line in IO_LINES:
            self.io_busy = False
            self.failed |= {tag for tag, (other, _) in self.answers.items() if other == line and err}
        elif line in self.atomics:
            tag = self.atomics[line]
            value = self.memory.memory.read(line)
            if not err:
                assert value == self.reference.read(line), "an atomic did not see what the cache owed"
                self.reference.write(line, ALL, self.rng.getrandbits(512))
                self.memory.memory.write(line, ALL, self.reference.read(line))
            self.answers[tag] = (line, None if err else value)
            self.failed |= {tag} if err else set()
        else:
            self.reading.discard(line)
            if err:
                self.failed |= {tag for tag, (other, _) in self.answers.items() if other == line}
                return
            lost = self.contents.fill(line)
            if lost is not None:
                self._save(lost, "evicted")

    # ------------------------------------------------------------ LSU side

    def choose(self) -> dict[str, int]:
        rng = self.rng
        free = [tag for tag in range(64) if tag not in self.answers]
        request = {"rw": 0, "io": 0, "addr": 0, "byteen": rng.getrandbits(64), "data": rng.getrandbits(512)}
        request["tag"] = rng.choice(free)
        request["addr"] = LINES[min(int(rng.expovariate(1 / 10)), len(LINES) - 1)]
        leaving = [line for line in LINES if self.expected.get(line)]
        if leaving and rng.random() < 0.3:
            request["addr"] = rng.choice(leaving)
        kind = rng.random()
        if kind < 0.015:
            request |= {"io": 1, "addr": rng.choice(IO_LINES), "rw": rng.randrange(2)}
        elif kind < 0.06:
            amo = self.layouts.amo.pack({"op": rng.choice(list(Amo)[1:]), "mask": 1})
            request |= {"amo": amo}
        elif kind < 0.55:
            request |= {"rw": 1, "byteen": rng.choice([request["byteen"], 0xF << 4 * rng.randrange(16), ALL])}
        return request

    def accepted(self) -> None:
        request, self.waiting = self.waiting, None
        assert request is not None
        line, tag = request["addr"], request["tag"]
        if request["io"]:
            assert not self.io_busy and not self.memory.writes, "I/O accepted before older requests were done"
            self.counts["io"] += 1
            if request["rw"]:
                self.expected.setdefault(line, deque()).append(
                    (request["byteen"], request["data"] & byte_mask(request["byteen"]))
                )
                self.reference.write(line, request["byteen"], request["data"])
            else:
                self.io_busy = True
                self.answers[tag] = (line, self.reference.read(line))
        elif request.get("amo"):
            self._save(line, "cleaned")  # if it is still in the queue
            self.contents.drop(line)
            self.atomics[line] = tag
            self.answers[tag] = (line, None)
        elif request["rw"]:
            assert line not in self.reading, "a write was accepted while a read of its line is outstanding"
            self.reference.write(line, request["byteen"], request["data"])
            if line in self.contents:
                self.owed[line] = self.owed.get(line, 0) | request["byteen"]
                self.counts["hit"] += 1
            else:
                data = request["data"] & byte_mask(request["byteen"])
                self.expected.setdefault(line, deque()).append((request["byteen"], data))
                self.counts["through"] += 1
        else:
            if line not in self.contents:
                self.reading.add(line)
            self.answers[tag] = (line, self.reference.read(line))

    def answered(self, rsp: dict[str, int]) -> None:
        line, value = self.answers.pop(rsp["tag"])
        assert bool(rsp["err"]) == (rsp["tag"] in self.failed)
        self.failed.discard(rsp["tag"])
        if not rsp["err"]:
            assert rsp["data"] == value, f"data of line {line:#x}"
        if self.atomics.get(line) == rsp["tag"]:
            del self.atomics[line]
        self.counts["reads"] += 1

    async def run(self, cycles: int, *, flush_rate: float) -> None:
        """`cycles` of random traffic, then a flush, after which memory must be the reference."""
        dut, rng = self.dut, self.rng
        for cycle in range(cycles + 6000):
            draining = cycle >= cycles
            if self.waiting is None and not draining and rng.random() < 0.9 and len(self.answers) < 60:
                request = self.choose()
                # While memory works on an atomic nobody else may ask for its line: the order is memory's.
                if request["addr"] not in self.atomics and not (request.get("amo") and request["addr"] in self.reading):
                    self.waiting = request
            dut.req_valid.value = int(self.waiting is not None)
            dut.req.value = self.layouts.dcache_req.pack(self.waiting or {})
            last = draining and self.waiting is None and not self.answers
            self.flushing = self.flushing or last or (not draining and rng.random() < flush_rate)
            dut.flush_valid.value = int(self.flushing)
            take = int(rng.random() < 0.8)
            dut.rsp_ready.value = take
            self.memory.drive()
            await RisingEdge(dut.clk)
            if dut.rsp_valid.value and take:
                self.answered(self.layouts.dcache_rsp.unpack(int(dut.rsp.value)))
            if self.waiting is not None and dut.req_ready.value:
                assert not self.flushing, "accepted during a flush"
                self.accepted()
            done = bool(dut.flush_done.value)
            self.memory.observe()
            if done:
                assert self.flushing and self.memory.idle and not any(self.expected.values()) and not self.owed
                self.contents.clear()
                self.flushing = False
                self.counts["flushes"] += 1
                for line in LINES:
                    assert self.memory.memory.read(line) == self.reference.read(line), f"line {line:#x} after a flush"
                if last:
                    break
        else:
            raise AssertionError("not idle")
        await RisingEdge(dut.clk)
        assert not dut.busy.value


async def begin(dut: Any) -> Bench:
    for name in ("req_valid", "req", "rsp_ready", "flush_valid"):
        getattr(dut, name).value = 0
    bench = Bench(dut)
    bench.memory.reset_inputs()
    await start_clock_and_reset(dut)
    return bench


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    bench = await begin(dut)
    await bench.run(2 * CYCLES // 3, flush_rate=0.001)
    bench.memory.ready_rate, bench.memory.max_latency = 0.2, 150  # the queue is full most of the time
    await bench.run(CYCLES // 3, flush_rate=0.001)
    dut._log.info("%s", bench.counts)
    least = {
        "evicted": 50,
        "flushed": 15,
        "cleaned": 2,
        "through": 200,
        "hit": 100,
        "reads": 400,
        "flushes": 5,
        "io": 5,
    }
    for name, number in least.items():
        assert bench.counts[name] >= number, f"{name}: {bench.counts[name]}"


@cocotb.test()
async def errors(dut: Any) -> None:
    """A read that failed takes nobody's place."""
    bench = await begin(dut)
    bench.memory.error_rate = 0.2
    await bench.run(CYCLES // 6, flush_rate=0.002)


@cocotb.test()
async def not_busy_with_dirty_lines(dut: Any) -> None:
    """What is owed stays in the cache: `busy` falls, and memory is as it was."""
    bench = await begin(dut)
    for rw in (0, 1):
        bench.waiting = {"rw": rw, "io": 0, "addr": LINES[0], "byteen": 0xF0, "data": 0x1234 << 32, "tag": 5}
        dut.rsp_ready.value = 1
        for _ in range(200):
            dut.req_valid.value = int(bench.waiting is not None)
            dut.req.value = bench.layouts.dcache_req.pack(bench.waiting or {})
            bench.memory.drive()
            await RisingEdge(dut.clk)
            if dut.rsp_valid.value:
                bench.answered(bench.layouts.dcache_rsp.unpack(int(dut.rsp.value)))
            if bench.waiting is not None and dut.req_ready.value:
                bench.accepted()
            bench.memory.observe()
    assert bench.owed == {LINES[0]: 0xF0} and not dut.busy.value
    assert LINES[0] not in bench.memory.memory.lines
    await bench.run(0, flush_rate=0.0)
    assert bench.counts["flushed"] == 1


# Seed 5: a line waits for room in the queue, and a fill comes between.
@pytest.mark.parametrize(
    ("size", "ways", "mshrs", "seed"), [(1024, 2, 8, 1), (512, 1, 1, 1), (512, 1, 1, 5)], ids=lambda value: str(value)
)
def test_dcache_writeback(size: int, ways: int, mshrs: int, seed: int) -> None:
    parameters = {"SIZE": size, "WAYS": ways, "MSHRS": mshrs, "WRITE_BACK": 1}
    runner.run(runner.Block("vx_dcache", parameters=parameters), __name__, seed=seed)
