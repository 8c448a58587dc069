"""vx_cta_distributor: every CTA to one core that is ready, round robin, members of a cluster together."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset

CTAS = 600


@cocotb.test()
async def random_grids(dut: Any) -> None:
    cores = runner.parameter("CORES", 1)
    rng = Random(cocotb.RANDOM_SEED)
    for name in ("launch", "cta_valid", "cta_last_of_cluster", "core_ready"):
        getattr(dut, name).value = 0
    await start_clock_and_reset(dut)
    taken = [0] * cores
    first, route, member, size, accepted, locked_waits = 0, None, 0, 1, 0, 0
    while accepted < CTAS:
        valid = rng.random() < 0.9
        ready = rng.getrandbits(cores) if rng.random() < 0.7 else (1 << cores) - 1
        launch = accepted > 0 and accepted % 150 == 0 and rng.random() < 0.5
        dut.cta_valid.value = int(valid)
        dut.cta_last_of_cluster.value = int(member == size - 1)
        dut.core_ready.value = ready
        dut.launch.value = int(launch)
        await RisingEdge(dut.clk)
        # Which core must take it: the one of the cluster, else the next in turn that is ready.
        if route is not None:
            target = route if ready >> route & 1 else None
            locked_waits += target is None and ready != 0
        else:
            turn = [index % cores for index in range(first, first + cores)]
            target = next((core for core in turn if ready >> core & 1), None)
        assert bool(dut.cta_ready.value) == (target is not None)
        assert int(dut.core_valid.value) == (1 << target if valid and target is not None else 0)
        if launch:
            first, route, member, size = 0, None, 0, rng.choice([1, 1, 2, 3, 4])
        elif valid and target is not None:
            if route is None:
                first = (target + 1) % cores
            taken[target] += 1
            accepted += 1
            member += 1
            route = target
            if member == size:
                route, member, size = None, 0, rng.choice([1, 1, 2, 3, 4])
        if launch:
            accepted += 1
    assert min(taken) > CTAS // cores // 2, f"uneven: {taken}"
    assert locked_waits or cores == 1


@pytest.mark.parametrize("cores", [1, 3])
def test_cta_distributor(cores: int) -> None:
    runner.run(runner.Block("vx_cta_distributor", parameters={"CORES": cores}), __name__)
