"""Registers by their table, through the register model; cocotb tests, run by test_bar_agent.py on every transport."""

from __future__ import annotations

from typing import Any

import cocotb

from golden_model.device.registers import REGISTERS, Effect, Guard
from hw.tb.agents.bar.sequences.base import BarSequence, OpenDevice
from hw.tb.agents.bar.sequences.effects import EFFECTS
from hw.tb.agents.bar.sequences.refused import (
    BadTablesRefused,
    DispatchRefused,
    DmaRegistersRefused,
    LaunchRegistersRefused,
)
from hw.tb.agents.bar.sequences.stored import AccessKinds, PartialAccesses, ResetDevice, ResetValues
from hw.tb.bar_alone.environment import BarBench
from tests.cosim.bar_agent.bodies import run_body


@cocotb.test()
async def reset_values(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        sequence = ResetValues(bench.agent)
        await bench.run(sequence)
        assert sequence.read_count == len(REGISTERS)

    await run_body(dut, body)


@cocotb.test()
async def access_kinds(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        await bench.run(AccessKinds(bench.agent), ResetDevice(bench.agent))

    await run_body(dut, body)


@cocotb.test()
async def partial_accesses(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        await bench.run(PartialAccesses(bench.agent))

    await run_body(dut, body)


@cocotb.test()
@cocotb.parametrize(effect=[effect for effect in Effect if effect is not Effect.NONE])
async def side_effect(dut: Any, effect: Effect) -> None:
    async def body(bench: BarBench) -> None:
        await bench.run(EFFECTS[effect](bench.agent))

    await run_body(dut, body)


@cocotb.test()
@cocotb.parametrize(guard=[guard for guard in Guard if guard is not Guard.NONE])
async def refused_while_busy(dut: Any, guard: Guard) -> None:
    checks: dict[Guard, type[BarSequence]] = {Guard.LAUNCH: LaunchRegistersRefused, Guard.DMA: DmaRegistersRefused}

    async def body(bench: BarBench) -> None:
        await bench.run(OpenDevice(bench.agent), checks[guard](bench.agent))

    await run_body(dut, body)


@cocotb.test()
async def dispatch_refused(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        await bench.run(OpenDevice(bench.agent), DispatchRefused(bench.agent), BadTablesRefused(bench.agent))

    await run_body(dut, body)
