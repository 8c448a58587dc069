"""Host program of lock_kept."""

from __future__ import annotations

import numpy as np

from tests.regression.kernel_test import kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("lock_kept",), size=1)
def lock_kept(t: Session) -> None:
    """A warp takes a lock and ends; the others spin for it: the launch must end all the same."""
    block = t.device.config.hardware.core_threads
    dst = t.output(np.int32, block, "dst")
    lock = t.input(np.zeros(1, np.uint32), "lock")
    t.launch("lock_kept", [lock, dst], grid=1, block=block, expect={dst: np.ones(block, np.int32)})
