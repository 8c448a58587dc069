"""Host program of vecadd_i."""

from __future__ import annotations

import numpy as np

from sw.runtime import u32
from tests.regression.kernel_test import Minimum, kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("vecadd_i",), size=256, minimum=Minimum())
def vecadd_i(t: Session) -> None:
    """Integer vector addition, dst = a + b."""
    t.require_full_blocks(t.size)
    a, b = t.random(np.int32, t.size), t.random(np.int32, t.size)
    dst = t.output(np.int32, t.size)
    t.launch("vecadd_i", [u32(t.size), t.input(a, "a"), t.input(b, "b"), dst], threads=t.size, expect={dst: a + b})
