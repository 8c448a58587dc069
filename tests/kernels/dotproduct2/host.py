"""Host program of dotproduct2."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(40, 126, 2048),
    needs=(Need.FLOAT, Need.SIMT),
    minimum=Minimum(Exercise(splits=32, barriers=32, lmem=60)),
)
def dotproduct2(t: Session) -> None:
    """Dot product of N floats: a partial sum for each block, by shuffles and then local memory."""
    hardware = t.device.config.hardware
    lanes, warps = hardware.num_threads, hardware.num_warps
    blocks = -(-t.size // (lanes * warps))
    a, b = t.floats(t.size), t.floats(t.size)
    sums = np.pad(a * b, (0, blocks * lanes * warps - t.size)).reshape(blocks, warps, lanes)
    while sums.shape[2] > 1:
        half = sums.shape[2] // 2
        sums = sums[:, :, :half] + sums[:, :, half:]
    totals = np.zeros(blocks, np.float32)
    for warp in range(warps):
        totals = totals + sums[:, warp, 0]
    dst = t.output(np.float32, blocks)
    args: list[Argument] = [u32(t.size), t.input(a, "src0"), t.input(b, "src1"), dst]
    t.launch("dotproduct2", args, grid=blocks, block=lanes * warps, lmem=4 * warps, expect={dst: totals}, ulp=6)
