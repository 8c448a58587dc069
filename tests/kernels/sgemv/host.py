"""Host program of sgemv."""

import numpy as np

from tests.kernels.arithmetic import matrix_product
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

ROWS_PER_COLUMN = 16


@kernel_test(sizes=Sizes(4, 32, 64), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=1)))
def sgemv(t: Session) -> None:
    """Matrix times vector: 2 N columns, 16 N - 2 rows; the last warp is partial."""
    columns, rows = 2 * t.size, ROWS_PER_COLUMN * t.size - 2
    a, x = t.floats(rows * columns).reshape(rows, columns), t.floats(columns)
    y = t.output(np.float32, rows, "y")
    args: list[Argument] = [t.input(a, "a"), t.input(x, "x"), y, u32(rows), u32(columns)]
    expected = matrix_product(a, x.reshape(-1, 1)).reshape(-1)
    t.launch("sgemv", args, threads=rows, expect={y: expected}, absolute=1e-3)
