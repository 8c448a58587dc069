"""Host program of multikernel (docs/reference/vortex.md §11.4)."""

from __future__ import annotations

import numpy as np

from sw.runtime import u32
from tests.regression.kernel_test import Minimum, kernel_test
from tests.regression.session import Session

KERNELS = ("add_k", "mul_k", "acc_k")
TAG = 0x5A5A


@kernel_test(kernels=KERNELS, size=256, minimum=Minimum())
def multikernel(t: Session) -> None:
    """Three kernels of one image: constructors, thread-local data, every order of launch over the seeds."""
    t.require_full_warps()
    t.expect_different_handles(KERNELS)
    t.expect_no_kernel("no_such_kernel")

    index = np.arange(t.size)
    source = index.astype(np.int32)
    cubes = (np.arange(16, dtype=np.int64) + 1) ** 3
    window = sum(cubes[(index + step) & 15] for step in range(8))
    expected = {
        "add_k": (source + cubes[index & 15]).astype(np.int32),
        "mul_k": (source * cubes[index & 15]).astype(np.int32),
        "acc_k": (source + window + TAG).astype(np.int32),
    }

    src = t.input(source, "src")
    for kernel in t.order(KERNELS):
        dst = t.output(np.int32, t.size, f"dst of {kernel}")
        t.launch(kernel, [u32(t.size), src, dst], threads=t.size, expect={dst: expected[kernel]})
