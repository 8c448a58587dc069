"""vx_rr_arbiter and vx_priority_encoder: the exact choice for random requests, and fairness."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge, Timer

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

CYCLES = 1500


@cocotb.test()
async def round_robin(dut: Any) -> None:
    count = runner.parameter("N", 2)
    rng = Random(cocotb.RANDOM_SEED)
    dut.request.value = 0
    dut.advance.value = 0
    await start_clock_and_reset(dut)
    first = 0  # the requester that has the highest priority
    waited = [0] * count
    grants = 0
    request = 0
    for cycle in range(CYCLES):
        # Requests stay until they are served, as valid does.
        request |= sum(1 << index for index in range(count) if rng.random() < 0.4)
        advance = rng.random() < 0.7
        dut.request.value = request
        dut.advance.value = int(advance)
        await RisingEdge(dut.clk)
        assert bool(dut.valid.value) == bool(request)
        if not request:
            continue
        wanted = next(index % count for index in range(first, first + count) if request >> index % count & 1)
        assert int(dut.index.value) == wanted, f"cycle {cycle}: requests {request:b}, first {first}"
        if advance:
            grants += 1
            first = (wanted + 1) % count
            request &= ~(1 << wanted)
            for index in range(count):
                waited[index] = waited[index] + 1 if request >> index & 1 else 0
                assert waited[index] < count, f"requester {index} was passed over {waited[index]} times"
    assert grants > CYCLES // 3


@cocotb.test()
async def lowest_bit(dut: Any) -> None:
    count = runner.parameter("N", 2)
    rng = Random(cocotb.RANDOM_SEED)
    cases = (
        list(range(1 << count)) if count <= 8 else [rng.getrandbits(count) & rng.getrandbits(count) for _ in range(500)]
    )
    for bits in [0, *cases]:
        dut.bits.value = bits
        await Timer(1, "ns")
        assert bool(dut.valid.value) == bool(bits)
        assert int(dut.index.value) == ((bits & -bits).bit_length() - 1 if bits else 0), f"bits {bits:b}"


@pytest.mark.parametrize("count", [1, 3])
def test_rr_arbiter(count: int) -> None:
    runner.run(runner.Block("vx_rr_arbiter", parameters={"N": count}), __name__, testcase="round_robin")


@pytest.mark.parametrize("count", [5])
def test_priority_encoder(count: int) -> None:
    runner.run(runner.Block("vx_priority_encoder", parameters={"N": count}), __name__, testcase="lowest_bit")
