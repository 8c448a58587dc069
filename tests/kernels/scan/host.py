"""Host program of scan."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(30, 250, 4096), minimum=Minimum(Exercise(splits=30, barriers=300, lmem=600)))
def scan(t: Session) -> None:
    """Prefix sums of N integers: a launch inside the blocks, then one over the blocks."""
    block = t.device.config.hardware.core_threads
    blocks = -(-t.size // block)
    src = t.random(np.int32, t.size, -1000, 1000)
    padded = np.pad(src, (0, blocks * block - t.size)).reshape(blocks, block)
    inside = np.cumsum(padded, axis=1, dtype=np.int32)
    dst, totals = t.output(np.int32, t.size), t.output(np.int32, blocks, "totals")
    args: list[Argument] = [u32(t.size), t.input(src, "src"), dst, totals]
    expect = {dst: inside.reshape(-1)[: t.size], totals: inside[:, -1]}
    t.launch("scan", [u32(0), *args], grid=blocks, block=block, lmem=8 * block, expect=expect)
    t.launch("scan", [u32(1), *args], grid=blocks, block=block, expect={dst: np.cumsum(src, dtype=np.int32)})
