"""Host program of mandelbrot."""

import numpy as np

from tests.kernels.arithmetic import fma
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, f32, kernel_test, u32

MOST = 24
LEFT, TOP, SPAN = -2.0, -1.25, 2.5


@kernel_test(sizes=Sizes(6, 15, 64), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=15, pred_exits=100)))
def mandelbrot(t: Session) -> None:
    """Iteration counts on N x N points."""
    n, step = t.size, np.float32(SPAN / t.size)
    row, column = (axis.astype(np.float32) for axis in np.indices((n, n)))
    cx = fma(column, np.full_like(column, step), np.full_like(column, LEFT))
    cy = fma(row, np.full_like(row, step), np.full_like(row, TOP))
    x, y, steps = np.zeros_like(cx), np.zeros_like(cx), np.zeros((n, n), np.uint32)
    inside = np.ones((n, n), np.bool_)
    for _ in range(MOST):
        inside &= fma(x, x, y * y) <= 4
        following = fma(x, x, -(y * y)) + cx
        y = np.where(inside, fma(x + x, y, cy), y)
        x = np.where(inside, following, x)
        steps += inside
    dst = t.output(np.uint32, n * n)
    args: list[Argument] = [u32(n), u32(n), u32(MOST), f32(LEFT), f32(TOP), f32(float(step)), dst]
    t.launch("mandelbrot", args, threads=(n, n), expect={dst: steps.reshape(-1)})
