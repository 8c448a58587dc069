"""vx_axi_master under a hostile memory: routing, ids, order within a block, acknowledgements, errors."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.axi_slave import HostileSlave, Pins
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.memory_side import Lines
from tests.rtl.structs import Layouts

CYCLES = 4000
BLOCKS = 8  # of each source; few, so that reads and writes meet
FIRST = 0x100_0000
SHARED = 0x200_0000  # blocks that all D-caches write


@dataclass
class PendingRead:
    line: int
    expected: int | None  # None: another source may write the block meanwhile


class Source:
    """One cache. It reads any block, writes blocks of its own, whose contents are therefore known, and shared ones."""

    def __init__(self, number: int, rng: Random, sources: int) -> None:
        self.number, self.rng, self.sources = number, rng, sources
        self.reference = Lines()
        self.reads: dict[int, PendingRead] = {}
        self.request: tuple[dict[str, int], int] | None = None
        self.done_reads = self.writes = self.raw = 0

    @property
    def is_dcache(self) -> bool:
        return self.number % 2 == 1

    def owns(self, line: int) -> bool:
        return line < SHARED and line % (2 * self.sources) // 2 == self.number

    def choose(self, unacknowledged: dict[int, int]) -> None:
        """A request like a cache makes: no write of a block that it has an outstanding read of."""
        number = self.rng.randrange(BLOCKS) * 2 + self.rng.randrange(2)
        owner = self.number if self.is_dcache and self.rng.random() < 0.8 else self.rng.randrange(self.sources)
        line = FIRST + number // 2 * 2 * self.sources + 2 * owner + number % 2
        if self.rng.random() < 0.1:
            line, owner = SHARED + self.rng.randrange(2), self.number
        busy = {read.line for read in self.reads.values()}
        write = self.is_dcache and owner == self.number and self.rng.random() < 0.5
        if write and line not in busy:
            byteen = self.rng.choice([self.rng.getrandbits(64), 0xF << 4 * self.rng.randrange(16), (1 << 64) - 1])
            self.request = ({"rw": 1, "addr": line, "byteen": byteen, "data": self.rng.getrandbits(512)}, 0)
            return
        free = [tag for tag in range(9) if tag not in self.reads]
        if free:
            self.raw += unacknowledged.get(line, 0) > 0
            self.request = ({"rw": 0, "addr": line, "byteen": (1 << 64) - 1, "data": 0}, self.rng.choice(free))

    def accepted(self) -> None:
        assert self.request is not None
        request, tag = self.request
        self.request = None
        if request["rw"]:
            if self.owns(request["addr"]):
                self.reference.write(request["addr"], request["byteen"], request["data"])
            self.writes += 1
        else:
            expected = self.reference.read(request["addr"]) if self.owns(request["addr"]) else None
            self.reads[tag] = PendingRead(request["addr"], expected)

    def answered(self, rsp: dict[str, int], slaves: list[HostileSlave], errors: bool, l2: bool) -> None:
        assert rsp["tag"] in self.reads, f"source {self.number}: answer with tag {rsp['tag']} that it did not send"
        read = self.reads.pop(rsp["tag"])
        answer = (rsp["data"], bool(rsp["err"]))
        if l2 and not rsp["err"]:  # no write of the block is under way, so memory is what the L2 must have
            assert rsp["data"] == slaves[0].memory.read(read.line), f"block {read.line:#x} is not what memory holds"
        else:
            assert answer in [slave.shown.get(read.line) for slave in slaves], "answer of another read"
        if read.expected is not None and not errors:
            assert rsp["data"] == read.expected, f"source {self.number}: block {read.line:#x} is not what it wrote"
        self.done_reads += 1


class Bench:
    def __init__(self, dut: Any) -> None:
        self.dut = dut
        self.config = runner.hardware()
        self.layouts = Layouts(self.config)
        self.rng = Random(cocotb.RANDOM_SEED)
        self.banks = runner.parameter("NUM_BANKS", 1)
        self.l2 = runner.parameter("L2_SIZE", 0) > 0
        self.cores = self.config.total_cores
        self.memory = Lines()
        self.sources = [Source(number, self.rng, 2 * self.cores) for number in range(2 * self.cores)]
        self.slaves: list[HostileSlave] = []
        self.pending = [0] * self.cores
        self.unacknowledged: dict[int, int] = {}
        self.writers: dict[int, int] = {}  # data of an unacknowledged write (random, so unique) -> core
        self.write_errors = self.read_errors = 0

    def pins(self, bank: int) -> Pins:
        def get(name: str) -> int:
            return int(getattr(self.dut, name)[bank].value)

        def put(name: str, value: int) -> None:
            getattr(self.dut, name)[bank].value = value

        return Pins(get, put)

    async def begin(self, error_rate: float = 0.0) -> None:
        self.dut.req_valid.value = 0
        self.dut.rsp_ready.value = 0
        self.dut.l2_clear.value = 0
        for number in range(len(self.sources)):
            self.dut.req[number].value = 0
            self.dut.req_tag[number].value = 0
        self.slaves = [
            HostileSlave(self.pins(bank), self.rng, self.memory, error_rate=error_rate) for bank in range(self.banks)
        ]
        await start_clock_and_reset(self.dut)
        assert len(self.dut.req[0]) == self.layouts.mem_req.width and len(self.dut.rsp[0]) == self.layouts.mem_rsp.width

    async def run(self, cycles: int, request_rate: float, take_rate: float, errors: bool = False) -> None:
        dut, rng = self.dut, self.rng
        owner = {2 * core + 1: core for core in range(self.cores)}
        for cycle in range(cycles + 3000):
            draining = cycle >= cycles
            for source in self.sources:
                if source.request is None and not draining and rng.random() < request_rate:
                    source.choose(self.unacknowledged)
                if source.request is not None:
                    dut.req[source.number].value = self.layouts.mem_req.pack(source.request[0])
                    dut.req_tag[source.number].value = source.request[1]
            dut.req_valid.value = sum(1 << s.number for s in self.sources if s.request is not None)
            take = rng.getrandbits(len(self.sources)) if rng.random() > take_rate else (1 << len(self.sources)) - 1
            dut.rsp_ready.value = take
            for slave in self.slaves:
                slave.drive()
            await RisingEdge(dut.clk)

            assert int(dut.writes_pending.value) == sum(1 << c for c, n in enumerate(self.pending) if n), (
                "writes_pending"
            )
            ready, valid = int(dut.req_ready.value), int(dut.rsp_valid.value)
            for source in self.sources:
                if valid & take & 1 << source.number:
                    rsp = self.layouts.mem_rsp.unpack(int(dut.rsp[source.number].value))
                    self.read_errors += rsp["err"]
                    source.answered(rsp, self.slaves, errors, self.l2)
                if source.request is not None and ready >> source.number & 1:
                    request = source.request[0]
                    if request["rw"]:
                        self.pending[owner[source.number]] += 1
                        self.writers[request["data"]] = owner[source.number]
                        self.unacknowledged[request["addr"]] = self.unacknowledged.get(request["addr"], 0) + 1
                    else:
                        assert not self.unacknowledged.get(request["addr"]), "a read left before an older write's B"
                    source.accepted()
            for bank, slave in enumerate(self.slaves):
                fault = int(dut.write_fault.value) >> bank & 1
                done = slave.observe()
                assert bool(fault) == (done is not None and done.error), "write_fault"
                if done is not None:
                    assert done.line % self.banks == bank, "request on the wrong bank"
                    core = self.writers.pop(done.data)
                    self.pending[core] -= 1
                    self.unacknowledged[done.line] -= 1
                    if fault:
                        self.write_errors += 1
                        assert int(dut.write_fault_addr[bank].value) == done.line
                        assert int(dut.write_fault_core[bank].value) == core
            if draining and self.idle():
                await RisingEdge(dut.clk)
                assert not dut.busy.value
                return
            assert dut.busy.value or not any(slave.writes or slave.reads for slave in self.slaves), "busy"
        raise AssertionError("the master did not finish")

    def idle(self) -> bool:
        return all(s.request is None and not s.reads for s in self.sources) and all(s.idle for s in self.slaves)


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    bench = Bench(dut)
    await bench.begin()
    await bench.run(CYCLES // 2, request_rate=0.8, take_rate=0.8)
    for slave in bench.slaves:
        slave.ready_rate, slave.max_latency = 1.0, 200
    await bench.run(CYCLES // 2, request_rate=1.0, take_rate=1.0)
    for source in bench.sources:
        for line, value in source.reference.lines.items():
            assert bench.memory.read(line) == value, f"final contents of block {line:#x}"
    ids = min(16, 1 << runner.parameter("TID_WIDTH", 8))
    assert sum(source.writes for source in bench.sources) > 10 * ids
    assert sum(source.done_reads for source in bench.sources) > 10 * ids
    assert sum(source.raw for source in bench.sources) > ids or ids == 2, "too few reads met an unacknowledged write"
    for slave in bench.slaves:
        assert slave.reordered_b > ids // 2
        assert slave.reordered_r > ids // 2
        assert slave.w_first > 5
        assert slave.max_reads >= min(6, ids) and slave.max_writes >= min(6, ids)


@cocotb.test()
async def errors(dut: Any) -> None:
    """BRESP becomes a fault with address and core, RRESP an error of the read; the rest goes on."""
    bench = Bench(dut)
    await bench.begin(error_rate=0.2)
    await bench.run(CYCLES // 4, request_rate=0.8, take_rate=0.8, errors=True)
    assert bench.write_errors > 1 and bench.read_errors > 1


@cocotb.test()
async def reset_under_load(dut: Any) -> None:
    """Answers to transactions from before a reset are ignored, and counting starts at zero."""
    bench = Bench(dut)
    await bench.begin()
    with_error = None
    try:
        await bench.run(100, request_rate=1.0, take_rate=0.5)
    except AssertionError as problem:
        with_error = problem
    assert with_error is None
    slave = bench.slaves[0]
    dut.req_valid.value = 0
    dut.reset.value = 1
    await RisingEdge(dut.clk)
    dut.reset.value = 0
    slave.pins.set("bvalid", 1)
    slave.pins.set("bid", 0)
    slave.pins.set("rvalid", 1)
    slave.pins.set("rid", 0)
    await RisingEdge(dut.clk)
    assert slave.pins.get("rready") and slave.pins.get("bready")
    assert not int(dut.rsp_valid.value) and not int(dut.write_fault.value)
    slave.pins.set("bvalid", 0)
    slave.pins.set("rvalid", 0)
    await RisingEdge(dut.clk)
    assert not dut.busy.value and not int(dut.writes_pending.value)
    await bench.run(300, request_rate=1.0, take_rate=0.5)


@pytest.mark.parametrize(
    ("cores", "banks", "tid_width", "l2_size"),
    [(1, 1, 8, 0), (2, 2, 10, 0), (2, 1, 1, 0), (1, 1, 8, 1024), (2, 2, 10, 2048)],
    ids=lambda value: str(value),
)
def test_axi_master(cores: int, banks: int, tid_width: int, l2_size: int) -> None:
    parameters = {"NUM_BANKS": banks, "TID_WIDTH": tid_width, "L2_SIZE": l2_size, "L2_WAYS": 2}
    block = runner.Block("vx_axi_master", hardware={"num_cores": cores}, parameters=parameters)
    runner.run(block, __name__)
