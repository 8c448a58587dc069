"""vx_fault_queue: every source's first fault is shown once, also when all come together."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

SOURCES, CYCLES = 5, 1000


@cocotb.test()
async def random_faults(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    dut.in_valid.value = 0
    for index in range(SOURCES):
        dut.in_fault[index].value = 0
    await start_clock_and_reset(dut)
    waiting: dict[int, int] = {}
    shown = dropped = most = 0
    for cycle in range(CYCLES):
        valid = rng.getrandbits(SOURCES) & rng.getrandbits(SOURCES) if rng.random() < 0.3 else 0
        if cycle % 50 == 0:
            valid = (1 << SOURCES) - 1
        values = [rng.getrandbits(8) for _ in range(SOURCES)]
        dut.in_valid.value = valid
        for index, value in enumerate(values):
            dut.in_fault[index].value = value
        await RisingEdge(dut.clk)
        assert bool(dut.out_valid.value) == bool(waiting), f"cycle {cycle}"
        leaving = None
        if waiting:
            leaving = min(waiting)
            assert int(dut.out_fault.value) == waiting[leaving]
            shown += 1
        for index in range(SOURCES):
            if valid >> index & 1:
                dropped += index in waiting
                waiting.setdefault(index, values[index])
        if leaving is not None:
            del waiting[leaving]
        most = max(most, len(waiting))
    assert shown > 100 and dropped and most == SOURCES, f"{shown} shown, {dropped} dropped, at most {most} waiting"


def test_fault_queue() -> None:
    runner.run(runner.Block("vx_fault_queue", parameters={"N": SOURCES, "WIDTH": 8}), __name__)
