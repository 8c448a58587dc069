"""Vortex_axi refuses parameters that it can't have, at elaboration and in one sentence."""

from __future__ import annotations

import subprocess

import pytest

from hw.tb.build.toolchain import Toolchain
from tests.rtl.runner import ELABORATION_ERRORS, Block

WRONG = {
    "AXI_DATA_WIDTH": (256, "AXI_DATA_WIDTH=256 must be 512"),
    "AXI_ADDR_WIDTH": (48, "AXI_ADDR_WIDTH=48 must be 32"),
    "AXI_TID_WIDTH": (0, "AXI_TID_WIDTH=0 must be at least 1"),
    "AXI_NUM_BANKS": (3, "AXI_NUM_BANKS=3 must be a power of two"),
    "L2_SIZE": (512, "L2_SIZE=512 must be 0, or a power of two with two sets of L2_WAYS=8 lines"),
}


def _lint(
    parameters: dict[str, int], *defines: str, hardware: dict[str, object] | None = None
) -> subprocess.CompletedProcess[str]:
    tools = Toolchain.find()
    block = Block("Vortex_axi", hardware=hardware or {}, parameters=parameters)
    command = [
        str(tools.verilator),
        "--lint-only",
        "-Wno-fatal",
        *ELABORATION_ERRORS,
        "--top-module",
        "Vortex_axi",
        *(word for word in block.arguments() if word.partition("=")[0] not in {d.partition("=")[0] for d in defines}),
        *defines,
    ]
    command += [str(path) for path in block.sources()]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())


@pytest.mark.parametrize("name", WRONG)
def test_refused(name: str) -> None:
    value, sentence = WRONG[name]
    result = _lint({name: value})
    assert result.returncode != 0 and sentence in result.stderr, result.stderr[-2000:]


def test_write_back_is_refused_beside_an_l2() -> None:
    result = _lint({"L2_SIZE": 16384}, hardware={"dcache_writeback": True})
    assert result.returncode != 0 and "VX_CFG_DCACHE_WRITEBACK=1 is for one core without L2" in result.stderr


@pytest.mark.parametrize("width", [3, 8])
def test_refused_lanes_of_a_unit(width: int) -> None:
    """HardwareConfig refuses it too; here it is what somebody sees who builds the sources by hand."""
    result = _lint({}, f"-DVX_CFG_SIMD_WIDTH={width}")
    sentence = f"SIMD_WIDTH = {width} must be a power of two, at most NUM_THREADS = 4"
    assert result.returncode != 0 and sentence in result.stderr, result.stderr[-2000:]


def test_accepted() -> None:
    """The same command with possible values succeeds, so the refusals above are about the values."""
    result = _lint({"AXI_NUM_BANKS": 4, "AXI_TID_WIDTH": 53, "L2_SIZE": 16384, "L2_WAYS": 4}, "-DVX_CFG_SIMD_WIDTH=2")
    assert result.returncode == 0, result.stderr[-2000:]
