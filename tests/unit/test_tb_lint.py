"""Harness and probes pass `verilator --lint-only -Wall` around the core, in the shapes that change their ports."""

from __future__ import annotations

import subprocess

import pytest

from config import HardwareConfig
from hw.tb.build.spec import ModelSpec
from hw.tb.build.toolchain import Toolchain

SHAPES = {
    "default": HardwareConfig(),
    "2-cores-2-banks": HardwareConfig(num_cores=2, axi_num_banks=2),
    "1-warp-1-lane": HardwareConfig(num_warps=1, num_threads=1),
    "xlen-64": HardwareConfig(xlen=64, flen=64, ext_f=False, axi_addr_width=48),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_lint(shape: str) -> None:
    tools = Toolchain.find()
    spec = ModelSpec(hardware=SHAPES[shape])
    arguments = [text for text in spec.verilator_args() if text.startswith(("-D", "+incdir"))]
    command = [str(tools.verilator), "--lint-only", "-Wall", "--top-module", "vx_tb_top", *arguments]
    command += [str(path) for path in spec.verilog_sources()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())
    assert done.returncode == 0, done.stderr[-4000:]
