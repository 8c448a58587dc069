"""D-caches of two cores on the AXI master and a hostile memory: program order, and sharing through fences.

Each core has lines of its own. Shared lines belong to whoever holds a token: it reads and writes them, fences (release)
and passes the token on; the next holder fences (acquire) first. Then every read has exactly one right value, although
the caches are not coherent and the memory reorders all it may.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.axi_slave import HostileSlave, Pins
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.memory_side import Lines, byte_mask
from tests.rtl.structs import Layouts

CYCLES = 5000
CORES, BANKS = 2, 2
SHARED = [0x300_0000 + number for number in range(6)]
HOLD = 25  # requests of a holder before it passes the token on


@dataclass
class Lsu:
    """One core's requests; a read is checked against `reference`, memory in the order in which it must appear."""

    core: int
    rng: Random
    reference: Lines
    request: dict[str, int] | None = None
    flushing: bool = False
    waiting: dict[int, tuple[int, int, int]] = field(default_factory=dict)  # tag -> line, wanted bits, value
    unacknowledged: set[int] = field(default_factory=set)  # data of writes (random, so unique)
    reads: int = 0
    shared_reads: int = 0
    fences: int = 0

    def choose(self, holder: bool) -> None:
        line = 0x200_0000 + 0x100 * self.core + self.rng.randrange(20)
        io = 0
        if holder and self.rng.random() < 0.6:
            line = self.rng.choice(SHARED)
        elif self.rng.random() < 0.05:
            line, io = 0x10 + 4 * self.core + self.rng.randrange(3), 1
        tags = [tag for tag in range(64) if tag not in self.waiting]
        byteen = self.rng.choice([0xF << 4 * self.rng.randrange(16), self.rng.getrandbits(64)])
        self.request = {
            "rw": int(self.rng.random() < 0.4),
            "io": io,
            "addr": line,
            "byteen": byteen,
            "data": self.rng.getrandbits(512),
            "tag": self.rng.choice(tags),
        }

    def accepted(self) -> None:
        request, self.request = self.request, None
        assert request is not None
        if request["rw"]:
            self.reference.write(request["addr"], request["byteen"], request["data"])
            self.unacknowledged.add(request["data"])
        else:
            mask = byte_mask(request["byteen"])
            self.waiting[request["tag"]] = (request["addr"], mask, self.reference.read(request["addr"]) & mask)

    def answered(self, rsp: dict[str, int]) -> None:
        line, mask, value = self.waiting.pop(rsp["tag"])
        assert not rsp["err"]
        assert rsp["data"] & mask == value, f"core {self.core}, line {line:#x}"
        self.reads += 1
        self.shared_reads += line in SHARED


@cocotb.test()
async def shared_by_fences(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    layouts = Layouts(config)
    memory, reference = Lines(), Lines()
    cores = [Lsu(core, rng, reference) for core in range(CORES)]
    dut.req_valid.value = 0
    dut.rsp_ready.value = 0
    dut.flush_valid.value = dut.l2_clear.value = 0
    l2 = runner.parameter("L2_SIZE", 0) > 0
    for core in range(CORES):
        dut.req[core].value = 0

    def pins(bank: int) -> Pins:
        return Pins(
            lambda name: int(getattr(dut, name)[bank].value),
            lambda name, value: setattr(getattr(dut, name)[bank], "value", value),
        )

    slaves = [HostileSlave(pins(bank), rng, memory, max_latency=30) for bank in range(BANKS)]
    await start_clock_and_reset(dut)
    holder, phase, left = 0, "hold", HOLD
    passed = 0
    for cycle in range(CYCLES + 3000):
        draining = cycle >= CYCLES
        for lsu in cores:
            mine = lsu.core == holder
            if mine and phase != "hold" and lsu.request is None:
                lsu.flushing = True
            if (
                lsu.request is None
                and not lsu.flushing
                and not draining
                and rng.random() < 0.8
                and len(lsu.waiting) < 60
            ):
                lsu.choose(mine and phase == "hold")
            if lsu.request is not None:
                dut.req[lsu.core].value = layouts.dcache_req.pack(lsu.request)
        dut.req_valid.value = sum(1 << lsu.core for lsu in cores if lsu.request is not None)
        dut.flush_valid.value = sum(1 << lsu.core for lsu in cores if lsu.flushing)
        dut.l2_clear.value = int(l2 and rng.random() < 0.005)
        take = rng.getrandbits(CORES)
        dut.rsp_ready.value = take
        for slave in slaves:
            slave.drive()
        await RisingEdge(dut.clk)

        ready, valid, done = int(dut.req_ready.value), int(dut.rsp_valid.value), int(dut.flush_done.value)
        for lsu in cores:
            bit = 1 << lsu.core
            if valid & take & bit:
                lsu.answered(layouts.dcache_rsp.unpack(int(dut.rsp[lsu.core].value)))
            if lsu.request is not None and ready & bit:
                shared = lsu.request["addr"] in SHARED
                lsu.accepted()
                left -= shared
            if done & bit:
                assert lsu.flushing and not lsu.unacknowledged, "a fence ended before the last B"
                lsu.flushing = False
                lsu.fences += 1
                # Release by the old holder, then acquire by the new one; after that it may use the shared lines.
                if phase == "release":
                    holder, phase = (holder + 1) % CORES, "acquire"
                elif phase == "acquire":
                    phase, left = "hold", HOLD
                    passed += 1
        if phase == "hold" and left <= 0 and not draining:
            # Answers to shared reads may be outstanding: the fence has to wait for them too.
            phase = "release"
        for slave in slaves:
            acknowledged = slave.observe()
            if acknowledged is not None:
                for lsu in cores:
                    lsu.unacknowledged.discard(acknowledged.data)
        quiet = all(lsu.request is None and not lsu.waiting and not lsu.flushing for lsu in cores)
        if draining and phase == "hold" and quiet and not dut.busy.value:
            break
    else:
        raise AssertionError("the memory system did not become idle")
    assert all(slave.idle for slave in slaves), "busy fell before the last acknowledgement"
    for line, value in reference.lines.items():
        assert memory.read(line) == value, f"final contents of line {line:#x}"
    dut._log.info("%d reads, %d passes", sum(lsu.reads for lsu in cores), passed)
    perf = layouts.cache_perf.unpack(int(dut.l2_perf.value))
    hits = perf["reads"] - perf["read_misses"]
    assert hits > 100 and perf["evictions"] > 10 if l2 else not any(perf.values())
    assert passed > 10 and all(lsu.shared_reads > 50 for lsu in cores)


@pytest.mark.parametrize("l2_size", [0, 2048])
def test_memory_system(l2_size: int) -> None:
    block = runner.Block(
        "memory_system",
        hardware={"num_cores": CORES},
        parameters={"NUM_BANKS": BANKS, "L2_SIZE": l2_size},
        extra_sources=[Path(__file__).with_name("memory_system.sv")],
    )
    runner.run(block, __name__)
