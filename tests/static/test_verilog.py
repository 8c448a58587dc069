"""The core passes `verilator --lint-only -Wall` in every shape that runs here, and in shapes that do not run yet."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from config import HardwareConfig

ROOT = Path(__file__).parents[2]
RTL = ROOT / "hw" / "rtl"
VERILATOR = Path(sysconfig.get_path("purelib")) / "verilator" / "bin" / "verilator"

SHAPES: dict[str, dict[str, object]] = {
    "default": {},
    "no-float": {"ext_f": False},
    "2-cores-8-warps-8-lanes": {"num_cores": 2, "num_warps": 8, "num_threads": 8},
    "8-lanes-by-2": {"num_threads": 8, "simd_width": 2},
    "4-lanes-by-1": {"simd_width": 1},
    "2-warps-2-lanes": {"num_warps": 2, "num_threads": 2},
    "1-warp-1-lane": {"num_warps": 1, "num_threads": 1},
    "2-clusters-2-banks": {"num_clusters": 2, "axi_num_banks": 2},
    "l2": {"l2_size": 1 << 20},
    "l2-2-cores-2-banks": {"num_cores": 2, "axi_num_banks": 2, "l2_size": 8192, "l2_ways": 2},
    "write-back": {"dcache_writeback": True},
    "xlen-64": {"xlen": 64, "axi_addr_width": 48},
    "xlen-64-flen-64-no-float": {"xlen": 64, "flen": 64, "ext_f": False, "axi_addr_width": 48},
}


def design_files(top: str) -> list[Path]:
    """Sources of a top, packages first. The device is no part of the processor, and unused packages are a warning."""
    files = sorted(path for path in RTL.rglob("*.sv") if top != "Vortex_axi" or path.parent.name != "pcie")
    packages = sorted((path for path in files if path.stem.endswith("_pkg")), key=lambda path: path.name != "vx_pkg.sv")
    return [*packages, *(path for path in files if path not in packages)]


@pytest.mark.parametrize("top", ["Vortex_axi", "vx_pcie_gpu"])
@pytest.mark.parametrize("shape", SHAPES)
def test_lint(shape: str, top: str) -> None:
    config = HardwareConfig.load(overrides=SHAPES[shape])
    command = [str(VERILATOR), "--lint-only", "-Wall", "--top-module", top, f"-I{RTL}"]
    command += [f"-D{name}={value}" for name, value in config.verilog_defines().items()]
    command += [str(path) for path in design_files(top)]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert result.returncode == 0, result.stderr[-6000:]
