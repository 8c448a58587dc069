"""Images of the legacy library, which start their warps with WSPAWN (docs/reference/vortex.md §12.3)."""

from __future__ import annotations

import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from config import HardwareConfig
from golden_model import LaunchError, Machine
from golden_model.isa.asm import assemble
from golden_model.machine import Tier

BASE = 0x8000_0000

# One `main` a core: lane 0 of warp 0 spawns the others; each hart stores its number + 1 to out[hart], and a barrier
# of all warps comes before lane 0 of warp 0 stores 0x100 + the core's number behind them.
SOURCE = """
    tmc_lane_0: li t0, 1
    tmc t0
    csrr s0, num_warps
    lla t1, worker
    wspawn s0, t1
worker:
    csrr s0, num_warps
    li t0, -1
    tmc t0
    csrr t2, mscratch
    lw t2, 0(t2)
    csrr t3, mhartid
    slli t4, t3, 2
    add t4, t4, t2
    addi t3, t3, 1
    sw t3, 0(t4)
    li t0, 1
    tmc t0
    li t1, 0
    bar t1, s0
    csrr t0, warp_id
    bnez t0, done
    csrr t0, core_id
    csrr t3, num_cores
    csrr t4, num_threads
    mul t3, t3, t4
    csrr t4, num_warps
    mul t3, t3, t4
    add t3, t3, t0
    slli t3, t3, 2
    add t3, t3, t2
    addi t0, t0, 0x100
    sw t0, 0(t3)
done:
    tmc zero
"""


def image() -> bytes:
    code = assemble(SOURCE, BASE)
    return struct.pack("<QQ", BASE, BASE + len(code)) + code


def expected(cores: int) -> list[int]:
    return [*range(1, 16 * cores + 1), *(0x100 + core for core in range(cores))]


@pytest.mark.parametrize("tier", ["readable", "fast"])
@pytest.mark.parametrize("cores", [1, 3])
def test_one_main_a_core(cores: int, tier: Tier) -> None:
    machine = Machine(HardwareConfig(num_cores=cores, ext_simt_full=True), tier=tier)
    out = np.zeros(17 * cores, np.uint32)
    result = machine.load(image()).launch("main", args=[out])
    assert out.tolist() == expected(cores)
    assert result.summary.ctas == cores and not result.findings


def test_its_shape_is_its_own() -> None:
    module = Machine(HardwareConfig(ext_simt_full=True)).load(image())
    with pytest.raises(LaunchError, match="divides its work itself"):
        module.launch("main", grid=4)


def test_a_processor_without_wspawn_refuses() -> None:
    with pytest.raises(LaunchError, match="which this processor does not have"):
        Machine(HardwareConfig(ext_simt_full=False)).load(image()).launch("main")


def run(path: Path, *more: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "golden_model", "run", str(path), "--arg", "zeros:72", "--dump", "0", *more]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_on_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "legacy.vxbin"
    path.write_bytes(image())
    done = run(path, "--full", "--tier", "readable")
    assert done.returncode == 0, done.stderr
    assert "00000100" in done.stdout.replace("0x100", "00000100")
    refused = run(path)
    assert refused.returncode == 2 and "--full" in refused.stderr and "Traceback" not in refused.stderr
    shaped = run(path, "--full", "--grid", "4")
    assert shaped.returncode == 2 and "leave out the shape" in shaped.stderr
