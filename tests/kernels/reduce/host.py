"""Host program of reduce."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32

BLOCKS = 6


@kernel_test(sizes=Sizes(118, 1021, 20_000), minimum=Minimum(Exercise(splits=10, pred_exits=2, barriers=120, lmem=100)))
def reduce(t: Session) -> None:
    """Sum of N integers in six partial sums: strided loads, then a tree in local memory."""
    block = t.device.config.hardware.core_threads
    src = t.random(np.int32, t.size, -1000, 1000)
    owner = np.arange(t.size) // block % BLOCKS
    expected = np.array([src[owner == number].sum() for number in range(BLOCKS)], np.int32)
    dst = t.output(np.int32, BLOCKS)
    args: list[Argument] = [u32(t.size), t.input(src, "src"), dst]
    t.launch("reduce", args, grid=BLOCKS, block=block, lmem=4 * block, expect={dst: expected})
