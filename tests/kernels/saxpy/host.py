"""Host program of saxpy."""

import numpy as np

from tests.kernels.arithmetic import fma
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, f32, kernel_test, u32

FACTOR = 2.5


@kernel_test(sizes=Sizes(37, 501, 8191), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=1)))
def saxpy(t: Session) -> None:
    """y = a x + y in place; the last warp is partial."""
    x, y = t.floats(t.size, -1), t.floats(t.size, -1)
    result = t.input(y, "y")
    expected = fma(np.full(t.size, FACTOR, np.float32), x, y)
    args: list[Argument] = [u32(t.size), f32(FACTOR), t.input(x, "x"), result]
    t.launch("saxpy", args, threads=t.size, expect={result: expected}, ulp=1)
