"""Host program of clobber_saved."""

from __future__ import annotations

import numpy as np

from tests.regression.kernel_test import kernel_test
from tests.regression.session import Session


@kernel_test(kernels=("clobber_saved",), size=256)
def clobber_saved(t: Session) -> None:
    """Keeps no saved register: right in generations cta_entry and direct, wrong in s11 when a warp is used again."""
    block = t.device.config.hardware.core_threads
    t.require_full_blocks(t.size)
    src = t.random(np.int32, t.size, -1000, 1000)
    source, dst = t.input(src, "src"), t.output(np.int32, t.size, "dst")
    t.launch("clobber_saved", [source, dst], grid=t.size // block, block=block, expect={dst: src + np.int32(1)})
