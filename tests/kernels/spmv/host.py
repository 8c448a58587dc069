"""Host program of spmv."""

import numpy as np

from tests.kernels.arithmetic import fma
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

LONGEST = 12


@kernel_test(sizes=Sizes(18, 127, 1500), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=1, pred_exits=80)))
def spmv(t: Session) -> None:
    """Sparse matrix times vector, N rows of 0 to 11 elements."""
    lengths = t.random(np.uint32, t.size, 0, LONGEST)
    start = np.concatenate([[0], np.cumsum(lengths)]).astype(np.uint32)
    columns = t.random(np.uint32, int(start[-1]), 0, t.size)
    values, x = t.floats(columns.size), t.floats(t.size)
    total = np.zeros(t.size, np.float32)
    for step in range(LONGEST):
        rows = np.flatnonzero(lengths > step)
        entry = start[rows] + step
        total[rows] = fma(values[entry], x[columns[entry]], total[rows])
    y = t.output(np.float32, t.size, "y")
    args: list[Argument] = [
        u32(t.size),
        t.input(start, "row_start"),
        t.input(columns, "columns"),
        t.input(values, "values"),
        t.input(x, "x"),
        y,
    ]
    t.launch("spmv", args, threads=t.size, expect={y: total}, ulp=6)
