"""Host program of relu."""

import numpy as np

from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(32, 256, 4096), needs=(Need.FLOAT,), minimum=Minimum())
def relu(t: Session) -> None:
    """Rectified linear unit over N floats."""
    t.require_full_blocks(t.size)
    src = t.floats(t.size, -1)
    dst = t.output(np.float32, t.size)
    args: list[Argument] = [u32(t.size), t.input(src, "src"), dst]
    t.launch("relu", args, threads=t.size, expect={dst: np.maximum(src, np.float32(0))})
