"""Host program of split_join."""

from __future__ import annotations

import numpy as np

from sw.runtime.exercise import Exercise
from tests.regression.kernel_test import Minimum, kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("split_join",), size=256, minimum=Minimum(Exercise(splits=60)))
def split_join(t: Session) -> None:
    """Lanes of a warp take both sides of a branch, by SPLIT and JOIN in assembly."""
    block = t.device.config.hardware.core_threads
    t.require_full_blocks(t.size)
    src = t.random(np.int32, t.size, -1000, 1000)
    odd = np.arange(t.size) % 2 == 1
    source, dst = t.input(src, "src"), t.output(np.int32, t.size, "dst")
    expected = np.where(odd, 3 * src, src + 1).astype(np.int32)
    t.launch("split_join", [source, dst], grid=t.size // block, block=block, expect={dst: expected})
