"""Host program of vecadd."""

import numpy as np

from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(64, 256, 4096), needs=(Need.FLOAT,), minimum=Minimum())
def vecadd(t: Session) -> None:
    """Float sum of two vectors."""
    t.require_full_blocks(t.size)
    a, b = t.floats(t.size), t.floats(t.size)
    dst = t.output(np.float32, t.size)
    args: list[Argument] = [u32(t.size), t.input(a, "src0"), t.input(b, "src1"), dst]
    t.launch("vecadd", args, threads=t.size, expect={dst: a + b})
