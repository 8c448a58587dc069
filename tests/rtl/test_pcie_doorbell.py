"""vx_doorbell_queue against the golden DoorbellQueue."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
from cocotb.triggers import RisingEdge

from golden_model.device.doorbell import DoorbellQueue
from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset


@cocotb.test()
async def random_tokens(dut: Any) -> None:
    rng = Random(cocotb.RANDOM_SEED)
    for name in ("ring", "pop", "clear_overflow", "token"):
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    model = DoorbellQueue()
    lost = empty = 0
    for cycle in range(4000):
        filling = cycle // 400 % 2 == 0
        ring, pop = rng.random() < (0.8 if filling else 0.2), rng.random() < (0.2 if filling else 0.8)
        clear, token = rng.random() < 0.05, rng.getrandbits(32)
        if ring and pop:  # one access at a time
            pop = False
        dut.ring.value, dut.pop.value, dut.clear_overflow.value, dut.token.value = (
            int(ring),
            int(pop),
            int(clear),
            token,
        )
        await RisingEdge(dut.clk)
        status = int(dut.count.value) | int(dut.overflow.value) << 31
        assert status == model.status
        head = int(dut.head.value)
        assert head == (model.tokens[0] if model.tokens else 0xFFFF_FFFF)
        if clear:
            model.clear(1 << 31)
        if pop:
            empty += not model.tokens
            assert head == model.pop()
        if ring:
            entered = model.ring(token)
            lost += not entered
            assert bool(dut.entered.value) == entered
    assert lost > 20 and empty > 20


def test_doorbell_queue() -> None:
    runner.run(runner.Block("vx_doorbell_queue"), __name__)
