"""Host program of dotproduct."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(40, 126, 2048),
    needs=(Need.FLOAT,),
    minimum=Minimum(Exercise(splits=24, barriers=160, lmem=150)),
)
def dotproduct(t: Session) -> None:
    """Dot product of N floats: a partial sum for each block, by a tree in local memory."""
    block = t.device.config.hardware.core_threads
    blocks = -(-t.size // block)
    a, b = t.floats(t.size), t.floats(t.size)
    products = np.pad(a * b, (0, blocks * block - t.size)).reshape(blocks, block)
    while products.shape[1] > 1:
        half = products.shape[1] // 2
        products = products[:, :half] + products[:, half:]
    dst = t.output(np.float32, blocks)
    args: list[Argument] = [u32(t.size), t.input(a, "src0"), t.input(b, "src1"), dst]
    t.launch("dotproduct", args, grid=blocks, block=block, lmem=4 * block, expect={dst: products.reshape(-1)}, ulp=6)
