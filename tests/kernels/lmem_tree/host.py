"""Host program of lmem_tree."""

from __future__ import annotations

import numpy as np

from sw.runtime.exercise import Exercise
from tests.regression.kernel_test import Minimum, kernel_test
from tests.regression.session import Session


@kernel_test(
    kernels=("lmem_tree",), size=256, minimum=Minimum(Exercise(splits=60, pred_exits=200, barriers=300, lmem=250))
)
def lmem_tree(t: Session) -> None:
    """Sum over each block by a tree in local memory, with nested SPLIT and JOIN, and PRED."""
    block = t.device.config.hardware.core_threads
    t.require_full_blocks(t.size)
    src = t.random(np.int32, t.size, -1000, 1000)
    own = src.reshape(-1, block) + np.arange(block, dtype=np.int32) % 4
    sums = np.repeat(own.sum(axis=1, dtype=np.int32), block)
    source, dst = t.input(src, "src"), t.output(np.int32, t.size)
    t.launch("lmem_tree", [source, dst], grid=t.size // block, block=block, lmem=4 * block, expect={dst: sums})
    t.expect_every_cycle_counted()
