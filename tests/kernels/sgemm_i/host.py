"""Host program of sgemm_i."""

from __future__ import annotations

import numpy as np

from sw.runtime import u32
from tests.regression.kernel_test import Minimum, kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("sgemm_i",), size=16, minimum=Minimum())
def sgemm_i(t: Session) -> None:
    """Integer matrix product modulo 2^32; N is the number of rows and columns."""
    t.require_full_blocks((t.size, t.size))
    a, b = (t.random(np.uint32, t.size * t.size, 0, 1 << 32).reshape(t.size, t.size) for _ in range(2))
    c = t.output(np.uint32, t.size * t.size, "c")
    inputs = t.input(a, "a"), t.input(b, "b")
    t.launch("sgemm_i", [u32(t.size), *inputs, c], threads=(t.size, t.size), expect={c: (a @ b).reshape(-1)})
