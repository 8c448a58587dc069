"""Host program of barrier_missing_warp."""

from __future__ import annotations

import numpy as np

from tests.regression.kernel_test import kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("barrier_missing_warp",), size=1)
def barrier_missing_warp(t: Session) -> None:
    """A warp of the block returns before the barrier at which the others wait: the launch must end all the same."""
    block = t.device.config.hardware.core_threads
    dst = t.output(np.int32, block, "dst")
    t.launch("barrier_missing_warp", [dst], grid=1, block=block, expect={dst: np.ones(block, np.int32)})
