"""Host program of lmem_reduce."""

from __future__ import annotations

import numpy as np

from sw.runtime.exercise import Exercise
from tests.regression.kernel_test import Minimum, kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("lmem_reduce",), size=256, minimum=Minimum(Exercise(barriers=500, lmem=500)))
def lmem_reduce(t: Session) -> None:
    """Sum over each block through local memory and barriers."""
    block = t.device.config.hardware.core_threads
    t.require_full_blocks(t.size)
    src, dst = t.random(np.int32, t.size, -1000, 1000), t.output(np.int32, t.size)
    sums = np.repeat(src.reshape(-1, block).sum(axis=1, dtype=np.int32), block)
    source = t.input(src, "src")
    t.launch("lmem_reduce", [source, dst], grid=t.size // block, block=block, lmem=4 * block, expect={dst: sums})
