"""Host program of occupancy."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32

SHARE = 16  # of the slot that is used, so that a run stays short: the words at its start; slots still tile LMEM


@kernel_test(sizes=Sizes(5, 12, 64), minimum=Minimum(Exercise(splits=12, barriers=12, lmem=900)))
def occupancy(t: Session) -> None:
    """Each block fills its slot of local memory and sums it; N blocks, as many at once as there are warps."""
    hardware = t.device.config.hardware
    lmem = hardware.lmem_size // hardware.num_warps
    words = lmem // 4 // SHARE
    out = t.output(np.uint32, t.size, "out")
    expected = (np.arange(t.size) * words + words * (words - 1) // 2).astype(np.uint32)
    args: list[Argument] = [u32(words), out]
    t.launch("occupancy", args, grid=t.size, block=hardware.num_threads, lmem=lmem, expect={out: expected})
