"""The measured part of `bench.py` inside a simulator process: accesses a second of processor time, on one transport."""

from __future__ import annotations

import dataclasses
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import cocotb

from golden_model.device.registers import register
from golden_model.device.sequences import layout
from hw.tb.agents.bar.sequences.base import BarSequence
from hw.tb.bar_alone.environment import TRANSPORTS, BarBench, run_bar_test
from hw.tb.bar_alone.run import transport_of_run
from hw.tb.run.settings import RunSettings

BLOCK = 4096  # bytes of one access of VRAM
_REGISTER = register("KERNEL_ADDR_LO").offset


@dataclasses.dataclass
class Measured:
    """Figures of one transport; rates count processor time of the whole simulator process."""

    reads_per_second: float = 0.0
    writes_per_second: float = 0.0
    cycles_per_read: float = 0.0
    vram_bytes_per_second: float = 0.0
    agent_per_second: float = 0.0


_MEASURED = Measured()


async def _rate(
    dut: Any, count: int, do: Callable[[int], Awaitable[None]], flush: Callable[[], Awaitable[object]] | None = None
) -> tuple[float, float]:
    """(times a second, cycles each); `flush` waits for what was posted."""
    cycles, began = int(dut.probe_cycles.value), time.process_time()
    for number in range(count):
        await do(number)
    if flush is not None:
        await flush()
    seconds = time.process_time() - began
    return count / seconds, (int(dut.probe_cycles.value) - cycles) / count


@cocotb.test()
async def transport_alone(dut: Any) -> None:
    """Neither sequencer nor monitor: what the transport costs."""
    count = int(RunSettings.read().options["count"])
    transport = TRANSPORTS[transport_of_run()](dut)
    await transport.start()

    async def write(number: int) -> None:
        await transport.register_write(0, _REGISTER, number, 0xF)

    async def read(number: int) -> None:
        assert await transport.register_read(0, _REGISTER, 4) == count - 1

    async def vram(number: int) -> None:
        if number % 2 == 0:
            await transport.vram_write(layout.SCRATCH.start, bytes([number & 0xFF]) * BLOCK)
        else:
            assert await transport.vram_read(layout.SCRATCH.start, BLOCK) == bytes([number - 1 & 0xFF]) * BLOCK

    _MEASURED.writes_per_second, _ = await _rate(dut, count, write, lambda: transport.register_read(0, _REGISTER, 4))
    _MEASURED.reads_per_second, _MEASURED.cycles_per_read = await _rate(dut, count, read)
    blocks, _ = await _rate(dut, max(2, count // 20), vram)
    _MEASURED.vram_bytes_per_second = blocks * BLOCK


@cocotb.test()
async def through_the_agent(dut: Any) -> None:
    """Register model, sequencer, driver, transport, monitor, predictor, coverage; reads and writes in turn."""
    settings = RunSettings.read()
    count = int(settings.options["count"])

    async def body(bench: BarBench) -> None:
        sequence = BarSequence(bench.agent)
        sequence.sequencer = bench.agent.sequencer

        async def do(number: int) -> None:
            if number % 2 == 0:
                await sequence.write("KERNEL_ADDR_LO", number)
            else:
                await sequence.expect("KERNEL_ADDR_LO", number - 1, "it was written")

        _MEASURED.agent_per_second, _ = await _rate(dut, count, do)

    await run_bar_test(dut, transport_of_run(), body, hostile=False)
    text = json.dumps(dataclasses.asdict(_MEASURED))
    (settings.run_dir / "measured.json").write_text(text, encoding="utf-8")
