"""Host program of demo."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32

TASK_SIZE = 4


@kernel_test(sizes=Sizes(13, 62, 1024), minimum=Minimum(Exercise(splits=1)))
def demo(t: Session) -> None:
    """Integer sum, several elements a thread, blocks of one warp; the last block is partial."""
    lanes = t.device.config.hardware.num_threads
    blocks = -(-t.size // lanes)
    src0, src1 = (t.random(np.int32, t.size * TASK_SIZE) for _ in range(2))
    dst = t.output(np.int32, t.size * TASK_SIZE)
    args: list[Argument] = [
        u32(t.size),
        u32(TASK_SIZE),
        u32(blocks * lanes),
        t.input(src0, "src0"),
        t.input(src1, "src1"),
        dst,
    ]
    t.launch("demo", args, grid=(blocks, 1), block=(lanes, 1), expect={dst: src0 + src1})
