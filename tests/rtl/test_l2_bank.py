"""vx_l2_bank between a bank that keeps its promises and a memory that answers in any order.

Reads are compared with memory when they are answered; memory changes behind the cache's back too: in the I/O window at
any time, elsewhere together with `clear`. Which reads hit follows from `cache_model.Contents`.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.cache_model import Contents
from tests.rtl.memory_side import Lines
from tests.rtl.structs import Layouts

CYCLES = 8000
FIRST = 0x12_3400
LINES = 48
WINDOW = [0x1, 0x2, 0x3FE, 0x3FF]  # first and last blocks of the I/O window
OUTSIDE = [0x0, 0x400]  # its neighbours


@dataclass
class Away:
    """A read that AXI has to answer."""

    id: int
    line: int
    due: int
    error: bool
    keep: bool


class Bench:
    def __init__(self, dut: Any, error_rate: float) -> None:
        self.dut, self.error_rate = dut, error_rate
        self.rng = Random(cocotb.RANDOM_SEED)
        self.layouts = Layouts(runner.hardware())
        self.shift = runner.parameter("BANK_BITS", 0)
        self.ids = 1 << runner.parameter("ID_WIDTH", 4)
        self.memory = Lines()
        self.contents = Contents(runner.parameter("SIZE", 65536), runner.parameter("WAYS", 8))
        self.waiting: dict[int, int] = {}  # id -> line of every unanswered read
        self.away: list[Away] = []
        self.hits: list[int] = []  # ids in the order in which they must be answered
        self.shown: Away | None = None
        self.held: tuple[int, ...] | None = None
        self.cycle = 0
        self.counts = dict.fromkeys(("reads", "writes", "read_misses", "write_misses"), 0)
        self.hits_under_misses = self.errors = self.stale = self.clears = self.most_away = 0

    def line(self) -> int:
        number = self.rng.random()
        line = self.rng.choice(WINDOW + OUTSIDE) if number < 0.15 else FIRST + self.rng.randrange(LINES)
        if number > 0.6:  # some lines more often than others
            line = FIRST + self.rng.randrange(6)
        return line << self.shift if line not in WINDOW + OUTSIDE else line

    def cached(self, line: int) -> bool:
        return not 0x1 <= line <= 0x3FF

    def choose(self) -> tuple[int, int, int, int, int] | None:
        """(rw, line, id, data, byteen) that a bank may let go: nothing of the block is under way."""
        line = self.line()
        if line in self.waiting.values():
            return None
        data, byteen = self.rng.getrandbits(512), self.rng.choice([self.rng.getrandbits(64), 0xF, (1 << 64) - 1])
        if self.rng.random() < 0.4:
            return (1, line, self.rng.randrange(self.ids), data, byteen)
        free = [number for number in range(self.ids) if number not in self.waiting]
        return (0, line, self.rng.choice(free), data, byteen) if free else None

    async def run(self, cycles: int) -> None:
        dut, rng = self.dut, self.rng
        for cycle in range(cycles + 500):
            self.cycle += 1
            draining = cycle >= cycles
            access = self.choose() if not draining and rng.random() < 0.8 else None
            clear = rng.random() < 0.005
            if rng.random() < 0.1:  # a device writes its registers
                self.memory.write(rng.choice(WINDOW), rng.getrandbits(64), rng.getrandbits(512))
            self._answer_reads()
            dut.r_ready.value = int(rng.random() < 0.7)
            dut.access_valid.value = 0
            await Timer(1, "ns")
            # access_ready is combinational in what is answered, and access_valid may only follow it.
            go = access is not None and bool(dut.access_ready.value)
            if access is not None:
                rw, line, identifier, data, byteen = access
                dut.access_valid.value = int(go)
                dut.access_rw.value, dut.access_addr.value, dut.access_id.value = rw, line, identifier
                dut.access_data.value, dut.access_byteen.value = data, byteen
            failed = go and access is not None and access[0] and rng.random() < self.error_rate
            dut.clear.value = int(clear or failed)
            await ReadOnly()
            hit = bool(dut.hit.value)
            answered = self._answers()
            if go and access is not None:
                self._let_go(access, hit, bool(failed))
            else:
                assert not hit
            await RisingEdge(dut.clk)
            if answered is not None and answered.keep and not answered.error:
                self.contents.fill(answered.line >> self.shift)
            if clear or failed:
                self.clears += clear
                self.contents.clear()
                for read in self.away:
                    read.keep = False
            if clear:  # the host has written memory
                for line in rng.sample(range(FIRST, FIRST + LINES), 8):
                    if line << self.shift not in self.waiting.values():
                        self.memory.write(line << self.shift, rng.getrandbits(64), rng.getrandbits(512))
            if draining and not self.waiting:
                break
        else:
            raise AssertionError("not every read was answered")

    def _answer_reads(self) -> None:
        if self.shown is None:
            due = [read for read in self.away if read.due <= self.cycle]
            self.shown = self.rng.choice(due) if due and self.rng.random() < 0.6 else None
            if self.shown is not None:
                self.dut.m_r_id.value = self.shown.id
                self.dut.m_r_err.value = int(self.shown.error)
                data = self.rng.getrandbits(512) if self.shown.error else self.memory.read(self.shown.line)
                self.dut.m_r_data.value = data
                self.data = data
        self.dut.m_r_valid.value = int(self.shown is not None)

    def _answers(self) -> Away | None:
        """What the block answers in this cycle, checked; the read of AXI that ends with it."""
        dut = self.dut
        ended: Away | None = None
        taken = self.shown is not None and bool(dut.m_r_ready.value)
        if dut.r_valid.value:
            identifier, data, err = int(dut.r_id.value), int(dut.r_data.value), int(dut.r_err.value)
            assert self.held in (None, (identifier, data, err)), "an answer changed while it waited"
            self.held = (identifier, data, err)
            if dut.r_ready.value:
                self.held = None
                line = self.waiting.pop(identifier)
                if taken:
                    assert self.shown is not None
                    ended, self.shown = self.shown, None
                    assert (identifier, data, bool(err)) == (ended.id, self.data, ended.error)
                    self.errors += err
                    self.away.remove(ended)
                else:
                    assert not err and identifier == self.hits.pop(0)
                    assert data == self.memory.read(line), f"hit on line {line:#x} is not what memory holds"
                    self.hits_under_misses += bool(self.away)
        else:
            assert self.held is None, "an answer was withdrawn"
            assert not taken, "an answer of AXI was taken and shown to nobody"
        return ended

    def _let_go(self, access: tuple[int, int, int, int, int], hit: bool, failed: bool) -> None:
        rw, line, identifier, data, byteen = access
        present = self.cached(line) and line >> self.shift in self.contents
        if self.cached(line):
            kind = "writes" if rw else "reads"
            self.counts[kind] += 1
            self.counts[f"{kind[:-1]}_misses"] += not present
        assert hit == (present and not rw), f"line {line:#x}"
        if rw:
            if not failed:
                self.memory.write(line, byteen, data)
            return
        self.waiting[identifier] = line
        if hit:
            self.hits.append(identifier)
            return
        error = self.rng.random() < self.error_rate
        due = self.cycle + self.rng.randint(1, 60)
        self.away.append(Away(identifier, line, due, error, self.cached(line)))
        self.most_away = max(self.most_away, len(self.away))


async def begin(dut: Any, error_rate: float = 0.0) -> Bench:
    for name in ("clear", "access_valid", "access_rw", "access_addr", "access_id", "access_data", "access_byteen"):
        getattr(dut, name).value = 0
    for name in ("m_r_valid", "m_r_id", "m_r_data", "m_r_err", "r_ready"):
        getattr(dut, name).value = 0
    bench = Bench(dut, error_rate)
    await start_clock_and_reset(dut)
    return bench


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    bench = await begin(dut)
    await bench.run(CYCLES)
    await RisingEdge(dut.clk)
    perf = bench.layouts.cache_perf.unpack(int(dut.perf.value))
    assert perf == {**bench.counts, "evictions": bench.contents.evictions, "mshr_stalls": 0}
    assert bench.counts["reads"] - bench.counts["read_misses"] > 100 and bench.counts["read_misses"] > 300
    assert bench.counts["writes"] - bench.counts["write_misses"] > 100
    assert bench.hits_under_misses > 50 and bench.clears > 10 and bench.most_away >= min(6, bench.ids)


@cocotb.test()
async def errors(dut: Any) -> None:
    """A read that failed leaves no line, a write that failed (it comes with `clear`) no data."""
    bench = await begin(dut, error_rate=0.1)
    await bench.run(CYCLES // 2)
    assert bench.errors > 5


@cocotb.test()
async def reset_under_load(dut: Any) -> None:
    """Answers to reads from before a reset are taken and shown to nobody; no line is left."""
    bench = await begin(dut)
    await bench.run(300)
    dut.r_ready.value = 0
    dut.access_rw.value, dut.access_addr.value, dut.access_id.value, dut.access_valid.value = 0, 0x77_7700, 1, 1
    await RisingEdge(dut.clk)
    dut.access_valid.value = 0
    dut.reset.value = 1
    await RisingEdge(dut.clk)
    dut.reset.value = 0
    dut.m_r_valid.value, dut.m_r_id.value = 1, 1
    await Timer(1, "ns")
    assert dut.m_r_ready.value and not dut.r_valid.value
    await RisingEdge(dut.clk)
    dut.m_r_valid.value = 0
    bench.contents.clear()
    await bench.run(300)


@pytest.mark.parametrize(
    ("size", "ways", "bank_bits", "id_width"),
    [(2048, 2, 0, 4), (1024, 8, 2, 4), (1024, 4, 0, 1), (16384, 1, 1, 3)],
    ids=lambda value: str(value),
)
def test_l2_bank(size: int, ways: int, bank_bits: int, id_width: int) -> None:
    parameters = {"SIZE": size, "WAYS": ways, "BANK_BITS": bank_bits, "ID_WIDTH": id_width}
    runner.run(runner.Block("vx_l2_bank", parameters=parameters), __name__)
