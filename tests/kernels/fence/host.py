"""Host program of fence."""

import numpy as np

from tests.regression.host import Argument, Minimum, Session, Sizes, kernel_test, u32

TASK_SIZE = 4


@kernel_test(sizes=Sizes(16, 64, 1024), minimum=Minimum())
def fence(t: Session) -> None:
    """Integer sum, then FENCE in every warp."""
    t.require_full_blocks(t.size)
    index = np.arange(t.size * TASK_SIZE, dtype=np.int32)
    dst = t.output(np.int32, index.size)
    args: list[Argument] = [u32(t.size), u32(TASK_SIZE), t.input(index, "src0"), t.input(index, "src1"), dst]
    t.launch("fence", args, threads=t.size, expect={dst: index + index})
