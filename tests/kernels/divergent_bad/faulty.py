"""Host program of divergent_bad."""

from __future__ import annotations

import numpy as np

from tests.regression.kernel_test import kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("divergent_bad",), size=64)
def divergent_bad(t: Session) -> None:
    """A branch that diverges without SPLIT and JOIN: the expectation is what the source says, which no machine does."""
    block = t.device.config.hardware.core_threads
    t.require_full_blocks(t.size)
    src = t.random(np.int32, t.size, -1000, 1000)
    odd = np.arange(t.size) % 2 == 1
    source, dst = t.input(src, "src"), t.output(np.int32, t.size, "dst")
    expected = np.where(odd, 3 * src, src + 1).astype(np.int32)
    t.launch("divergent_bad", [source, dst], grid=t.size // block, block=block, expect={dst: expected})
