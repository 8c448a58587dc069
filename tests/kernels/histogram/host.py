"""Host program of histogram."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

BINS = 32


@kernel_test(
    sizes=Sizes(40, 200, 4096),
    needs=(Need.ATOMICS,),
    minimum=Minimum(Exercise(splits=30, barriers=40, lmem=500, atomics=30)),
)
def histogram(t: Session) -> None:
    """Counts of N bytes in 32 bins, added up over the blocks by atomics."""
    src = t.random(np.uint8, t.size, 0, 256)
    bins = t.input(np.zeros(BINS, np.uint32), "bins")
    counts = np.bincount(src % BINS, minlength=BINS).astype(np.uint32)
    block = t.device.config.hardware.core_threads
    args: list[Argument] = [u32(t.size), u32(BINS), t.input(src, "src"), bins]
    t.launch("histogram", args, grid=-(-t.size // block), block=block, lmem=block, expect={bins: counts})
