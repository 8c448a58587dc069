"""Atomics in vx_axi_master, between plain reads and writes of the same few blocks, under a hostile memory.

A bank lets one request of a block pass at a time, so the order in which requests are accepted is that in which they
take effect: the reference is a memory that performs every request when it is accepted. Results, final memory and LR/SC
must be exactly what it says.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from config import HardwareConfig
from tests.rtl import runner
from tests.rtl.axi_slave import HostileSlave, Pins
from tests.rtl.bench import elements, joined, start_clock_and_reset
from tests.rtl.core_structs import Amo
from tests.rtl.memory_side import Lines
from tests.rtl.structs import Layouts
from tests.rtl.unit_bench import signed

CYCLES = 5000
BLOCKS = tuple(range(0x100_0000, 0x100_0006))
WORDS = 4  # of a block that are used; few, so that lanes meet
AMO_TAGS = range(12, 16)


def result_of(op: Amo, old: int, operand: int, bits: int) -> int:
    """What an AMO leaves in memory (reference section 2.14)."""
    a, b, mask = signed(old, bits), signed(operand, bits), (1 << bits) - 1
    return {
        Amo.SWAP: operand,
        Amo.ADD: old + operand,
        Amo.XOR: old ^ operand,
        Amo.OR: old | operand,
        Amo.AND: old & operand,
        Amo.MIN: old if a < b else operand,
        Amo.MAX: old if a > b else operand,
        Amo.MINU: min(old, operand),
        Amo.MAXU: max(old, operand),
    }[op] & mask


@dataclass
class Atomic:
    """One request: lanes of one warp on one block."""

    op: Amo
    wid: int
    block: int
    size: int
    upper: int
    lanes: dict[int, int]  # place -> byte offset in the block
    operands: dict[int, int]


@dataclass
class Reference:
    """Memory and reservations that take every request at once."""

    config: HardwareConfig
    lines: Lines = field(default_factory=Lines)
    held: dict[tuple[int, int], tuple[int, set[int]]] = field(default_factory=dict)  # (core, warp) -> block, lanes
    stored: int = 0
    refused: int = 0

    def word(self, block: int, offset: int, size: int) -> int:
        return self.lines.read(block) >> 8 * offset & (1 << 8 * size) - 1

    def write(self, block: int, byteen: int, data: int) -> None:
        self.lines.write(block, byteen, data)
        self.held = {warp: (held, lanes) for warp, (held, lanes) in self.held.items() if held != block}

    def perform(self, core: int, atomic: Atomic) -> dict[int, int]:
        """Result by place."""
        key = core, atomic.wid
        lanes = {place + 16 * atomic.upper for place in atomic.lanes}
        results: dict[int, int] = {}
        held_block, held_lanes = self.held.get(key, (-1, set()))
        mine = set(held_lanes) if held_block == atomic.block else set()
        if atomic.op is Amo.LR:
            self.held[key] = atomic.block, lanes | mine
        if atomic.op is Amo.SC:
            self.held[key] = held_block, held_lanes - lanes
        for place in sorted(atomic.lanes):
            offset, operand = atomic.lanes[place], atomic.operands[place] & (1 << 8 * atomic.size) - 1
            old = self.word(atomic.block, offset, atomic.size)
            if atomic.op is Amo.LR:
                results[place] = old
                continue
            if atomic.op is Amo.SC:
                # The first lane that holds its reservation stores, which breaks those of the others.
                lane = place + 16 * atomic.upper
                results[place] = int(lane not in mine)
                self.refused += lane not in mine
                if lane not in mine:
                    continue
                self.stored += 1
                mine, new = set(), operand
            else:
                results[place], new = old, result_of(atomic.op, old, operand, 8 * atomic.size)
            byteen = ((1 << atomic.size) - 1) << offset
            self.write(atomic.block, byteen, new << 8 * offset)
        return results


@dataclass
class Source:
    """A data cache: at most four atomics, and reads; one atomic of a warp at a time, as the LSU sends them."""

    core: int
    request: dict[str, int] | None = None
    tag: int = 0
    atomic: Atomic | None = None
    reads: dict[int, int | None] = field(default_factory=dict)  # tag -> line expected
    atomics: dict[int, tuple[Atomic, dict[int, int]]] = field(default_factory=dict)


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut, self.config = dut, runner.hardware()
        self.layouts, self.rng = Layouts(self.config), Random(cocotb.RANDOM_SEED)
        self.banks = runner.parameter("NUM_BANKS", 1)
        self.memory = Lines()
        self.reference = Reference(self.config)
        self.sources = [Source(core) for core in range(self.config.total_cores)]
        self.places = 512 // self.config.xlen
        self.seen: dict[Amo, int] = {}
        self.slaves: list[HostileSlave] = []

    def pins(self, bank: int) -> Pins:
        def get(name: str) -> int:
            return int(getattr(self.dut, name)[bank].value)

        def put(name: str, value: int) -> None:
            getattr(self.dut, name)[bank].value = value

        return Pins(get, put)

    async def begin(self) -> None:
        self.dut.req_valid.value = self.dut.rsp_ready.value = self.dut.l2_clear.value = 0
        for number in range(2 * len(self.sources)):
            self.dut.req[number].value = self.dut.req_tag[number].value = 0
        self.slaves = [HostileSlave(self.pins(bank), self.rng, self.memory) for bank in range(self.banks)]
        await start_clock_and_reset(self.dut)
        assert len(self.dut.req[0]) == self.layouts.mem_req.width

    # ---------------------------------------------------------------- requests

    def choose(self, source: Source) -> None:
        rng = self.rng
        block = rng.choice(BLOCKS)
        kind = rng.random()
        free = [tag for tag in AMO_TAGS if tag not in source.atomics]
        if kind < 0.15 and block not in source.reads.values():
            byteen = 0xF << 4 * rng.randrange(WORDS)
            source.request = {"rw": 1, "addr": block, "byteen": byteen, "data": rng.getrandbits(512)}
            return
        if kind < 0.35:
            tags = [tag for tag in range(8) if tag not in source.reads]
            if tags:
                source.tag = rng.choice(tags)
                source.request = {"rw": 0, "addr": block, "byteen": (1 << 64) - 1, "data": 0}
            return
        busy = {atomic.wid for atomic, _ in source.atomics.values()}
        wid = rng.randrange(self.config.num_warps)
        if not free or wid in busy:
            return
        source.tag = rng.choice(free)
        atomic = self.atomic(wid, block)
        held = self.reference.held.get((source.core, wid), (-1, set()))
        if held[1] and rng.random() < 0.6:
            atomic.op, atomic.block = Amo.SC, held[0]
            block = held[0]
        source.atomic = atomic
        mask = sum(1 << place for place in atomic.lanes)
        amo = {"op": atomic.op, "wide": int(atomic.size == 8), "upper": atomic.upper, "wid": wid, "mask": mask}
        words = [atomic.operands.get(place, rng.getrandbits(self.config.xlen)) for place in range(self.places)]
        indices = [atomic.lanes.get(place, 0) // 4 for place in range(16)]
        source.request = {
            "rw": 0,
            "addr": block,
            "amo": self.layouts.amo.pack(amo),
            "byteen": joined(indices, 4),
            "data": joined(words, self.config.xlen),
        }

    def atomic(self, wid: int, block: int) -> Atomic:
        rng, lanes = self.rng, self.config.num_threads
        op = rng.choice((*list(Amo)[1:], Amo.LR, Amo.SC, Amo.SC))
        size = rng.choice((4, 8)) if self.config.xlen == 64 else 4
        upper = rng.randrange(2) if lanes > self.places else 0
        count = min(lanes, self.places)
        chosen = [place for place in range(count) if rng.random() < 0.6] or [rng.randrange(count)]
        offsets = {place: rng.randrange(4 * WORDS // size) * size for place in chosen}
        corners = (0, 1, (1 << self.config.xlen) - 1, 1 << 31, (1 << 31) - 1)
        operands = {place: rng.choice((*corners, rng.getrandbits(self.config.xlen))) for place in chosen}
        return Atomic(op, wid, block, size, upper, offsets, operands)

    def accept(self, source: Source) -> None:
        assert source.request is not None
        request, source.request = source.request, None
        atomic, source.atomic = source.atomic, None
        if request["rw"]:
            self.reference.write(request["addr"], request["byteen"], request["data"])
        elif atomic is None:
            source.reads[source.tag] = self.reference.lines.read(request["addr"])
        else:
            source.atomics[source.tag] = atomic, self.reference.perform(source.core, atomic)

    def answer(self, source: Source, rsp: dict[str, int]) -> None:
        assert not rsp["err"]
        if rsp["tag"] in source.reads:
            assert rsp["data"] == source.reads.pop(rsp["tag"]), f"core {source.core}: a read is not what was written"
            return
        atomic, expected = source.atomics.pop(rsp["tag"])
        words = elements(rsp["data"], self.config.xlen, self.places)
        mask = (1 << 8 * atomic.size) - 1
        results = {place: words[place] & mask for place in atomic.lanes}
        assert results == expected, f"core {source.core} {atomic}: {results}, expected {expected}"
        self.seen[atomic.op] = self.seen.get(atomic.op, 0) + 1

    # ---------------------------------------------------------------- cycles

    async def run(self, cycles: int, request_rate: float) -> None:
        dut, rng = self.dut, self.rng
        for cycle in range(cycles + 3000):
            draining = cycle >= cycles
            busy = any(s.reads or s.atomics for s in self.sources)
            for source in self.sources:
                if source.request is None and not draining and rng.random() < request_rate:
                    self.choose(source)
                if source.request is not None:
                    dut.req[2 * source.core + 1].value = self.layouts.mem_req.pack(source.request)
                    dut.req_tag[2 * source.core + 1].value = source.tag
            dut.req_valid.value = sum(2 << 2 * s.core for s in self.sources if s.request is not None)
            take = rng.getrandbits(2 * len(self.sources))
            dut.rsp_ready.value = take
            for slave in self.slaves:
                slave.drive()
            await RisingEdge(dut.clk)
            ready, valid = int(dut.req_ready.value), int(dut.rsp_valid.value)
            for source in self.sources:
                port = 2 * source.core + 1
                if valid & take & 1 << port:
                    self.answer(source, self.layouts.mem_rsp.unpack(int(dut.rsp[port].value)))
                if source.request is not None and ready >> port & 1:
                    self.accept(source)
            for slave in self.slaves:
                slave.observe()
            working = any(s.request is not None or s.reads or s.atomics for s in self.sources)
            if draining and not working and all(slave.idle for slave in self.slaves):
                for _ in range(2):
                    await RisingEdge(dut.clk)
                assert not dut.busy.value and int(dut.writes_pending.value) == 0
                return
            assert dut.busy.value or not busy, "busy fell with an atomic under way"
        raise AssertionError("the master did not finish")


@cocotb.test()
async def atomics_between_reads_and_writes(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    await bench.run(CYCLES, request_rate=0.7)
    for slave in bench.slaves:
        slave.ready_rate, slave.max_latency = 1.0, 2
    await bench.run(CYCLES // 2, request_rate=1.0)
    for block in BLOCKS:
        assert bench.memory.read(block) == bench.reference.lines.read(block), f"final contents of block {block:#x}"
    assert set(bench.seen) == set(Amo) - {Amo.NONE}
    assert min(bench.seen.values()) > 8
    assert bench.reference.stored > 5 and bench.reference.refused > 20


@cocotb.test()
async def a_read_error_changes_nothing(dut: Any) -> None:
    """The atomic is answered with `err`, memory keeps its contents, and the next one is performed."""
    bench = Bench(dut)
    await bench.begin()
    source, place = bench.sources[0], 0
    for error in (True, False):
        for slave in bench.slaves:
            slave.error_rate = float(error)
        source.atomic = Atomic(Amo.ADD, 0, BLOCKS[0], 4, 0, {place: 0}, {place: 1})
        before = bench.memory.read(BLOCKS[0])
        amo = bench.layouts.amo.pack({"op": Amo.ADD, "mask": 1})
        request = {"rw": 0, "addr": BLOCKS[0], "amo": amo, "byteen": 0, "data": 1}
        dut.req[1].value = bench.layouts.mem_req.pack(request)
        dut.req_tag[1].value = AMO_TAGS[0]
        dut.rsp_ready.value = 2
        waiting, answered = True, None
        for _ in range(500):
            dut.req_valid.value = 2 * waiting
            for slave in bench.slaves:
                slave.drive()
            await RisingEdge(dut.clk)
            waiting = waiting and not int(dut.req_ready.value) & 2
            if int(dut.rsp_valid.value) & 2:
                answered = bench.layouts.mem_rsp.unpack(int(dut.rsp[1].value))
            for slave in bench.slaves:
                slave.observe()
        assert answered is not None and bool(answered["err"]) == error and not dut.busy.value
        expected = before if error else before & ~0xFFFF_FFFF | before + 1 & 0xFFFF_FFFF
        assert bench.memory.read(BLOCKS[0]) == expected


@pytest.mark.parametrize(
    ("cores", "banks", "xlen", "lanes", "l2_size"),
    [(1, 1, 32, 4, 0), (2, 2, 32, 32, 0), (2, 1, 64, 4, 0), (2, 2, 32, 4, 512)],
    ids=lambda value: str(value),
)
def test_atomics(cores: int, banks: int, xlen: int, lanes: int, l2_size: int) -> None:
    hardware = {"num_cores": cores, "xlen": xlen, "num_threads": lanes, "ext_a": True}
    parameters = {"NUM_BANKS": banks, "L2_SIZE": l2_size, "L2_WAYS": 2}
    runner.run(runner.Block("vx_axi_master", hardware=hardware, parameters=parameters), __name__)
