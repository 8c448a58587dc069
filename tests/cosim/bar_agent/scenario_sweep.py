"""Registers × kinds of access × states × errors, every value judged by the register model."""

from __future__ import annotations

import itertools
import math
from random import Random
from typing import Any

import cocotb

from golden_model.device.sequences.coverage import Errors, State
from hw.tb.agents.bar.sequences.sweep import Sweep
from hw.tb.bar_alone.environment import BarBench
from tests.cosim.bar_agent.bodies import run_body, share_of_sweep


@cocotb.test()
async def sweep(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        rng = bench.rng
        states = list(itertools.product(State, Errors))
        for state, errors in rng.sample(states, math.ceil(len(states) * share_of_sweep())):
            await bench.run(Sweep(bench.agent, state, errors, Random(rng.getrandbits(64))))

    await run_body(dut, body, hostile=False)
