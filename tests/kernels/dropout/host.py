"""Host program of dropout."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, f32, kernel_test, u32

P = 0.3
MULTIPLIER = np.float32(1 / (1 - P))


@kernel_test(sizes=Sizes(30, 1022, 8190), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=1)))
def dropout(t: Session) -> None:
    """Zeroes a random part of N floats and scales the rest; the last warp is partial."""
    index = np.arange(t.size, dtype=np.uint64)
    mixed = (index ^ index >> 16) * 0x7FEB352D & 0xFFFFFFFF
    mixed = (mixed ^ mixed >> 15) * 0x846CA68B & 0xFFFFFFFF
    mixed = mixed ^ mixed >> 16
    dropped = (mixed >> 8).astype(np.float64) * 2.0**-24 < np.float32(P)
    src = t.floats(t.size)
    dst = t.output(np.float32, t.size)
    expected = np.where(dropped, np.float32(0), src * MULTIPLIER)
    args: list[Argument] = [u32(t.size), f32(P), f32(float(MULTIPLIER)), t.input(src, "src"), dst]
    t.launch("dropout", args, threads=t.size, expect={dst: expected})
