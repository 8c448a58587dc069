"""vx_fifo against a Python queue: order, fullness, nothing lost or doubled, one entry a cycle."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

CYCLES = 2000


@cocotb.test()
async def random_traffic(dut: Any) -> None:
    depth = runner.parameter("DEPTH", 2)
    rng = Random(cocotb.RANDOM_SEED)
    dut.in_valid.value = 0
    dut.out_ready.value = 0
    await start_clock_and_reset(dut)
    stored: deque[int] = deque()
    waiting: int | None = None
    moved = full = 0
    for cycle in range(CYCLES):
        # Phases: mostly filling, mostly emptying, both always (throughput).
        push_rate, pop_rate = ((0.9, 0.3), (0.3, 0.9), (1.0, 1.0))[cycle * 3 // CYCLES]
        if waiting is None and rng.random() < push_rate:
            waiting = rng.getrandbits(16)
        dut.in_valid.value = int(waiting is not None)
        dut.in_data.value = waiting if waiting is not None else rng.getrandbits(16)
        pop = rng.random() < pop_rate
        dut.out_ready.value = int(pop)
        await RisingEdge(dut.clk)  # values sampled here are those that the edge saw
        assert int(dut.in_ready.value) == (len(stored) < depth), f"cycle {cycle}: in_ready with {len(stored)} stored"
        assert int(dut.out_valid.value) == bool(stored), f"cycle {cycle}: out_valid with {len(stored)} stored"
        full += len(stored) == depth
        accepted = waiting is not None and len(stored) < depth
        if stored:
            assert int(dut.out_data.value) == stored[0], f"cycle {cycle}: head"
            if pop:
                stored.popleft()
                moved += 1
        if accepted:
            assert waiting is not None
            stored.append(waiting)
            waiting = None
    assert full and moved > CYCLES // 4


@pytest.mark.parametrize("depth", [1, 3])
def test_fifo(depth: int) -> None:
    runner.run(runner.Block("vx_fifo", parameters={"DEPTH": depth, "WIDTH": 16}), __name__)
