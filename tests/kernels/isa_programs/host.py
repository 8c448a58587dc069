"""Host program of isa_programs: launches every generated program; lockstep compares what they compute."""

from __future__ import annotations

import numpy as np

from config import RunConfig
from sw.runtime import u64
from tests.kernels.isa_programs.generator import BODIES, CORNERS, OPERANDS, SCRATCH_BYTES, programs
from tests.regression.kernel_test import kernel_test
from tests.regression.session import Session


def sources(config: RunConfig) -> dict[str, str]:
    """Assembly sources by file name; they depend on the lanes and on the seed."""
    return {f"{program.name}.S": program.text for program in programs(config.hardware.num_threads, config.seed)}


@kernel_test(kernels=[f"{name}_k" for name in BODIES], size=OPERANDS, generate=sources)
def isa_programs(t: Session) -> None:
    """Every instruction and CSR under full and partial masks, in blocks whose last warp is partial."""
    hardware = t.device.config.hardware
    words = hardware.total_harts * OPERANDS
    corners = t.rng.choice(np.array(CORNERS, dtype=np.uint32), words)
    operands = np.where(t.rng.random(words) < 0.5, corners, t.random(np.uint32, words, high=1 << 32))
    table = t.input(operands.astype(np.uint32), "operands")
    block = hardware.core_threads - hardware.num_threads // 2
    for name in BODIES:
        # Scratch is judged by lockstep and by the final memory compare alone, so the host does not watch it.
        scratch = t.output(np.uint8, hardware.total_harts * SCRATCH_BYTES, f"scratch of {name}")
        t.launch(
            f"{name}_k",
            [table, u64(scratch.address)],
            grid=2 * hardware.total_cores + 1,
            block=block,
            lmem=hardware.core_threads * SCRATCH_BYTES,
            expect={},
        )
