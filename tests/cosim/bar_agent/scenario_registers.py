"""Registers by their table, through the register model; cocotb tests, run by test_bar_agent.py on every transport."""

from __future__ import annotations

from typing import Any

import cocotb

from golden_model.device.registers import REGISTERS, Effect, Guard, register
from golden_model.device.sequences.actions import ReadRegister
from hw.tb.agents.bar.monitor import BarAccess
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
from tests.cosim.bar_agent.bodies import run_body, vectors_to_try


@cocotb.test()
async def reset_values(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        sequence = ResetValues(bench.agent)
        await bench.run(sequence)
        assert sequence.read_count == len(REGISTERS)

    await run_body(dut, body)


@cocotb.test()
async def the_mirror_contradicts(dut: Any) -> None:
    """A read of something else than was written, of bits that cannot be 1, of part of a word: each is a mismatch."""

    async def body(bench: BarBench) -> None:
        sequence, agent = OpenDevice(bench.agent), bench.agent
        await bench.run(sequence)
        await sequence.write("KERNEL_ADDR_LO", 0x1230)
        before = agent.predictor.checked
        await sequence.expect("KERNEL_ADDR_LO", 0x1230, "it was written")
        assert agent.predictor.checked == before + 1 and not agent.predictor.mismatches
        state = bench.transport.state()
        for name, size, value in (("KERNEL_ADDR_LO", 4, 0x1234), ("IRQ_STATUS", 4, 0x10), ("DEV_ID", 2, 0x5055)):
            access = BarAccess(ReadRegister(0, register(name).offset, size), value, state, 7)
            agent.monitor.observe(access)
        found, agent.predictor.mismatches = agent.predictor.mismatches, []
        assert [text.split(": ")[1].split(" ")[0] for text in found] == ["KERNEL_ADDR_LO", "IRQ_STATUS", "DEV_ID"]

    await run_body(dut, body)


@cocotb.test()
async def access_kinds(dut: Any) -> None:
    async def body(bench: BarBench) -> None:
        await bench.run(AccessKinds(bench.agent, vectors_to_try()), ResetDevice(bench.agent))

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
