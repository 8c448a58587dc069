"""Whole host programs through the agent: `sw.runtime` on the BARs, real kernels, results checked by the host."""

from __future__ import annotations

import dataclasses
from typing import Any

import cocotb

from config import EntryGeneration, RunConfig
from hw.tb.agents.bar.blocking import BlockingTransport
from hw.tb.bar_alone.environment import BarBench
from hw.tb.bar_alone.model import HARDWARE
from hw.tb.bar_alone.run import transport_of_run
from sw.runtime.bar import BarHost, LaunchMode
from sw.runtime.bar.backend import BarBackend
from tests.cosim.bar_agent.bodies import run_body
from tests.regression.catalogue import find_test
from tests.regression.compile import compile_images
from tests.regression.execute import execute
from tests.regression.result import RunResult

RAW_KERNELS = 0x10_0000  # docs/reference/pcie_bar.md: raw kernels from there
SIZE = 32


async def run_program(dut: Any, test: str, config: RunConfig, mode: LaunchMode, skew: int = 0) -> RunResult:
    images = compile_images(find_test(test), config)
    results: list[RunResult] = []

    def host(transport: BlockingTransport) -> None:
        backend = BarBackend("bar-agent", config, BarHost(transport, mode, skew))
        results.append(execute(find_test(test), backend, images, config))

    async def body(bench: BarBench) -> None:
        await bench.host_program(host)

    await run_body(dut, body, hostile=False)
    (result,) = results
    reasons = "\n".join(f"{failure.check}: {failure.message}" for failure in result.failures)
    assert result.passed, reasons
    assert all(kernel.instructions > 50 for kernel in result.kernels)
    return result


@cocotb.test()
@cocotb.parametrize(mode=list(LaunchMode))
async def vecadd(dut: Any, mode: LaunchMode) -> None:
    hardware = HARDWARE
    if mode is LaunchMode.RAW:
        hardware = dataclasses.replace(HARDWARE, startup_addr=RAW_KERNELS)
    config = RunConfig(test="vecadd_i", hardware=hardware, seed=5, size=SIZE)
    await run_program(dut, "vecadd_i", config, mode)


@cocotb.test(skip=transport_of_run() != "pins")  # the same launches as packets take a minute and add nothing
async def multikernel_where_nothing_is_congruent(dut: Any) -> None:
    config = RunConfig(test="multikernel", hardware=HARDWARE, entry=EntryGeneration.CTA_ENTRY, seed=5, size=SIZE)
    result = await run_program(dut, "multikernel", config, LaunchMode.VORTEX, skew=4)
    assert len(result.kernels) == 3
