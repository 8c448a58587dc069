"""Host program of clobber_s11."""

from __future__ import annotations

import numpy as np

from tests.regression.kernel_test import kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("clobber_s11",), size=64)
def clobber_s11(t: Session) -> None:
    """Enough blocks that every warp is used again; right in generation cta_entry, wrong in s11."""
    block = t.device.config.hardware.core_threads
    t.require_full_blocks(t.size)
    src = t.random(np.int32, t.size, -1000, 1000)
    source, dst = t.input(src, "src"), t.output(np.int32, t.size, "dst")
    t.launch("clobber_s11", [source, dst], grid=t.size // block, block=block, expect={dst: src + np.int32(1)})
