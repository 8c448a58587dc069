"""vx_commit: one instruction a cycle, loads at once, and nobody waits longer than two rounds of the others."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.core_structs import CoreLayouts, Fault

UNITS = ("div", "fdiv", "fpu", "mul", "sfu", "store", "alu")
FLOATS = ("fpu", "fdiv")
SFU_MASK = 0b0101


class Bench:
    """Plays the units: each holds its instruction until it is taken."""

    def __init__(self, dut: Any, rng: Random) -> None:
        self.dut, self.rng = dut, rng
        self.layouts = CoreLayouts(runner.hardware())
        self.waiting: dict[str, tuple[int, int]] = {}  # uid and flags
        self.waited: Counter[str] = Counter()  # commits of other units meanwhile
        self.taken: Counter[str] = Counter()
        self.uid = 0
        for name in ("load", *UNITS):
            getattr(dut, f"{name}_valid").value = 0
        dut.stopping.value = 0
        dut.sfu_write_mask.value = SFU_MASK

    def offer(self, name: str) -> None:
        """Something new in a unit; every eighth time with a fault."""
        self.uid += 1
        flags = self.rng.getrandbits(5) if name in FLOATS else 0
        self.waiting[name] = self.uid, flags
        fault = Fault.ILLEGAL if self.uid % 8 == 0 else Fault.NONE
        packed = {"uid": self.uid, "tmask": 0xF, "use_rd": 1, "rd": 5, "data": self.uid * 7, "fault": fault}
        getattr(self.dut, name).value = self.layouts.commit.pack(packed)
        if name in FLOATS:
            getattr(self.dut, f"{name}_fflags").value = flags

    async def cycle(self) -> str | None:
        """One cycle of what waits; checks what is committed and returns whose it was."""
        dut = self.dut
        for name in ("load", *UNITS):
            getattr(dut, f"{name}_valid").value = int(name in self.waiting)
        await ReadOnly()
        ready = [name for name in UNITS if name in self.waiting and getattr(dut, f"{name}_ready").value]
        chosen = ["load"] if "load" in self.waiting else ready
        assert bool(dut.commit_valid.value) == bool(self.waiting), "something waits and nothing commits, or the reverse"
        assert len(chosen) == bool(self.waiting) and (chosen != ["load"] or not ready), f"{ready} leave together"
        if not chosen:
            return None
        (name,) = chosen
        uid, flags = self.waiting.pop(name)
        commit = self.layouts.commit.unpack(int(dut.commit.value))
        fault = commit["fault"] != Fault.NONE
        assert commit["uid"] == uid and commit["data"] == uid * 7 and int(dut.fflags.value) == flags, name
        assert int(dut.write_mask.value) == (SFU_MASK if name == "sfu" else 0xF)
        assert bool(dut.write.value) == (not fault) and bool(dut.stop_valid.value) == fault
        if name != "load":
            for other in self.waiting:
                self.waited[other] += 1
        del self.waited[name]
        self.taken[name] += 1
        return name


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    """Any mixture, units in a hurry and idle ones; the longest wait is bounded whatever the others do."""
    rng = Random(cocotb.RANDOM_SEED)
    bench = Bench(dut, rng)
    await start_clock_and_reset(dut)
    longest = 0
    for cycle in range(6000):
        await FallingEdge(dut.clk)
        if cycle % 50 == 0:
            rates = {name: rng.choice((0.05, 0.3, 1.0)) for name in UNITS}
            loads = rng.choice((0.0, 0.5))
        for name in UNITS:
            if name not in bench.waiting and rng.random() < rates[name]:
                bench.offer(name)
        if rng.random() < loads:
            bench.offer("load")
        await bench.cycle()
        longest = max(longest, *bench.waited.values(), 0)
        assert longest <= 2 * (len(UNITS) - 1), f"an instruction waited for {longest} others"
    assert all(bench.taken[name] > 100 for name in ("load", *UNITS)) and longest > len(UNITS) - 1


@cocotb.test()
async def a_stream_of_one_unit_leaves_room(dut: Any) -> None:
    """A float multiply-add every cycle: whoever else has something gets every second commit."""
    bench = Bench(dut, Random(cocotb.RANDOM_SEED))
    await start_clock_and_reset(dut)
    for other in UNITS:
        if other == "fpu":
            continue
        bench.waiting.clear()
        order = []
        for _ in range(20):
            await FallingEdge(dut.clk)
            for name in ("fpu", other):
                if name not in bench.waiting:
                    bench.offer(name)
            order.append(await bench.cycle())
        assert order.count(other) == 10, f"{other} got {order.count(other)} of 20"


def test_commit() -> None:
    runner.run(runner.Block("vx_commit"), __name__)
