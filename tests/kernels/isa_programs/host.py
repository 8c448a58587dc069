"""Host program of isa_programs: launches every generated program; lockstep compares what they compute."""

from __future__ import annotations

import numpy as np

from config import HardwareConfig, RunConfig
from sw.runtime import u64
from sw.runtime.exercise import Exercise
from tests.kernels.isa_programs.extensions import SHARED_BYTES
from tests.kernels.isa_programs.float_body import FLOAT_CORNERS
from tests.kernels.isa_programs.generator import BODIES, CORNERS, GEOMETRIES, SCRATCH_BYTES, Geometry, programs
from tests.kernels.isa_programs.writer import OPERANDS
from tests.regression.kernel_test import Minimum, kernel_test
from tests.regression.session import Session


def sources(config: RunConfig) -> dict[str, str]:
    """Assembly sources by file name; they depend on the lanes and on the seed."""
    return {f"{program.name}.S": program.text for program in programs(config.hardware.num_threads, config.seed)}


@kernel_test(
    kernels=[f"{name}_k" for name in BODIES],
    size=OPERANDS,
    generate=sources,
    minimum=Minimum(Exercise(splits=40, pred_exits=40, barriers=1000, lmem=5000, atomics=1500)),
    # Operands belong to the hart, so where a block lands decides branches; LR/SC loops try until they succeed.
    counts_vary=["atomic_k", "branch_k", "divergence_k"],
)
def isa_programs(t: Session) -> None:
    """Every instruction and CSR under full and partial masks, in blocks whose last warp is partial."""
    hardware = t.device.config.hardware
    words = hardware.total_harts * OPERANDS
    corners = t.rng.choice(np.array(CORNERS + FLOAT_CORNERS, dtype=np.uint32), words)
    operands = np.where(t.rng.random(words) < 0.5, corners, t.random(np.uint32, words, high=1 << 32))
    table = t.input(operands.astype(np.uint32), "operands")
    for name in BODIES:
        # Scratch is judged by lockstep and by the final memory compare alone, so the host does not watch it.
        scratch = t.output(np.uint8, hardware.total_harts * SCRATCH_BYTES + SHARED_BYTES, f"scratch of {name}")
        grid, block, lmem = _geometry(GEOMETRIES.get(name, Geometry.BLOCKS), hardware)
        t.launch(f"{name}_k", [table, u64(scratch.address)], grid=grid, block=block, lmem=lmem, expect={})


def _geometry(geometry: Geometry, hardware: HardwareConfig) -> tuple[int, int, int]:
    """Grid, block and bytes of LMEM. With all of the LMEM a core holds one block at a time."""
    lmem = hardware.core_threads * SCRATCH_BYTES
    if geometry is Geometry.ALONE:
        return 1, hardware.num_threads, lmem
    if geometry is Geometry.CORES:
        return hardware.total_cores, hardware.core_threads, hardware.lmem_size
    return 2 * hardware.total_cores + 1, hardware.core_threads - hardware.num_threads // 2, lmem
