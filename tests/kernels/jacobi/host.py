"""Host program of jacobi: a launch a sweep."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

SWEEPS = 2


@kernel_test(sizes=Sizes(5, 17, 64), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=20)))
def jacobi(t: Session) -> None:
    """Two sweeps over N unknowns; double precision by library functions where the core has none."""
    a = t.floats(t.size**2).reshape(t.size, t.size) + np.float32(t.size) * np.eye(t.size, dtype=np.float32)
    b, x = t.floats(t.size), np.zeros(t.size, np.float32)
    matrix, right = t.input(a, "a"), t.input(b, "b")
    here, there = t.input(x, "even sweep"), t.output(np.float32, t.size, "odd sweep")
    for _ in range(SWEEPS):
        total = np.zeros(t.size)
        for column in range(t.size):
            product = a[:, column].astype(np.float64) * np.float64(x[column])
            total = np.where(np.arange(t.size) == column, total, total + product)
        x = ((b - total) / np.diag(a).astype(np.float64)).astype(np.float32)
        args: list[Argument] = [u32(t.size), matrix, here, right, there]
        t.launch("jacobi", args, threads=t.size, expect={there: x}, ulp=6)
        here, there = there, here
