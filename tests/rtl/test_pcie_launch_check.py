"""vx_launch_check against the golden LaunchRequest: refusals, BLOCK_SIZE, WARP_STEP; vx_serial_divider under it."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import RisingEdge

from golden_model.device.dispatch import DispatchProblem, LaunchRequest
from golden_model.launch import warp_step
from tests.rtl import runner
from tests.rtl.bench import Struct, elements, joined, start_clock_and_reset

LAUNCH_REGS = Struct(
    (
        *(("kernel", 64), ("args", 64), ("grid", 96), ("block", 96), ("lmem", 32), ("max_cycles", 64)),
        *(("startup", 64), ("cluster", 96), ("release_addr", 64), ("release_payload", 64), ("release_ctrl", 4)),
    )
)
LAUNCHES = 4000


def random_values(rng: Random, threads: int, warps: int, lmem: int) -> dict[str, int]:
    """Register values by name: mostly a good launch with one or two things changed."""
    wild = (0, 1, 2, 3, threads, threads + 1, 0x1_0000, 0x8000_0000, 0xFFFF_FFFF)

    def dims(good: tuple[int, int, int]) -> list[int]:
        return [rng.choice(wild) if rng.random() < 0.08 else value for value in good]

    x = rng.randint(1, threads)
    y = rng.randint(1, max(1, threads // x))
    block = rng.sample([x, y, max(1, threads // (x * y))], 3)
    cluster = [rng.choice((0, 1, 1, 1, 1, 1, 1, 1, 2, warps)) for _ in range(3)]
    grid = [rng.choice((1, 2, 7, 1 << 20)) * max(1, step) for step in cluster]
    values = {"SHARED_MEM_SIZE": rng.choice((0, 0, 1, 64, 65, lmem // 2, lmem, lmem + 1, 0xFFFF_FFFF))}
    for name, three in (("BLOCK_DIM", block), ("CLUSTER_DIM", cluster), ("GRID_DIM", grid)):
        for axis, value in zip("XYZ", dims((three[0], three[1], three[2])), strict=True):
            values[f"{name}_{axis}"] = value
    for name in ("KERNEL_ADDR", "STARTUP_ADDR", "KERNEL_ARGS"):
        low = rng.choice((0, 0x8000_0000, 0x1234)) | rng.choice((*[0] * 16, 1, 2, 3))
        values |= {f"{name}_LO": low, f"{name}_HI": rng.choice((*[0] * 16, 1, 0x4000_0000))}
    values["KERNEL_ADDR_HI"] |= rng.choice((0, 0x8000_0000))
    return values | {
        f"{name}_{half}": rng.getrandbits(32)
        for name in ("MAX_CYCLES", "RELEASE_ADDR", "RELEASE_PAYLOAD")
        for half in ("LO", "HI")
    } | {"RELEASE_CTRL": rng.getrandbits(4)}  # fmt: skip


def packed(values: dict[str, int]) -> int:
    def wide(name: str) -> int:
        return values[f"{name}_HI"] << 32 | values[f"{name}_LO"]

    def dims(name: str) -> int:
        return joined([values[f"{name}_{axis}"] for axis in "XYZ"], 32)

    return LAUNCH_REGS.pack(
        {
            "kernel": wide("KERNEL_ADDR"),
            "args": wide("KERNEL_ARGS"),
            "grid": dims("GRID_DIM"),
            "block": dims("BLOCK_DIM"),
            "lmem": values["SHARED_MEM_SIZE"],
            "max_cycles": wide("MAX_CYCLES"),
            "startup": wide("STARTUP_ADDR"),
            "cluster": dims("CLUSTER_DIM"),
            "release_addr": wide("RELEASE_ADDR"),
            "release_payload": wide("RELEASE_PAYLOAD"),
            "release_ctrl": values["RELEASE_CTRL"],
        }
    )


@cocotb.test()
async def random_launches(dut: Any) -> None:
    config = runner.hardware()
    rng = Random(cocotb.RANDOM_SEED)
    assert len(dut.regs) == LAUNCH_REGS.width
    dut.start.value = 0
    dut.regs.value = 0
    await start_clock_and_reset(dut)
    seen: set[DispatchProblem] = set()
    good = 0
    for _ in range(LAUNCHES):
        values = random_values(rng, config.core_threads, config.num_warps, config.lmem_size)
        request = LaunchRequest.sample(values)
        problems = list(request.problems(config))
        seen |= set(problems)
        dut.regs.value = packed(values)
        dut.start.value = 1
        await RisingEdge(dut.clk)
        dut.start.value = 0
        for _ in range(300):
            await RisingEdge(dut.clk)
            if dut.done.value:
                break
        else:
            raise AssertionError(f"no verdict on {request}")
        assert bool(dut.refused.value) == bool(problems), f"{request}: {problems}"
        if not problems:
            good += 1
            assert int(dut.block_size.value) == math.prod(request.block)
            step = tuple(elements(int(dut.warp_step.value), 32, 3))
            assert step == warp_step(request.block, config.num_threads), request
    expected = set(DispatchProblem) - {DispatchProblem.DISABLED, DispatchProblem.BUSY}
    if config.xlen == 64:
        expected -= {DispatchProblem.ADDRESS_TOO_WIDE}
    assert seen == expected and good > 100, (expected - seen, good)


SHAPES = {
    "default": {},
    "8-warps-16-lanes": {"num_warps": 8, "num_threads": 16},
    "1-warp-1-lane": {"num_warps": 1, "num_threads": 1},
    "xlen-64": {"xlen": 64, "axi_addr_width": 48},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_launch_check(shape: str) -> None:
    runner.run(runner.Block("vx_launch_check", hardware=SHAPES[shape]), __name__)
