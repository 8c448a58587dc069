"""Host program of stencil3d."""

import numpy as np

from sw.runtime import LaunchError
from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32

SIDE = 2


@kernel_test(sizes=Sizes(4, 8, 32), needs=(Need.FLOAT,), minimum=Minimum())
def stencil3d(t: Session) -> None:
    """Mean over 27 cells of an N x N x N cube, three-dimensional blocks."""
    n = t.size
    if n % SIDE:
        raise LaunchError(f"N={n}: this test needs a multiple of {SIDE}, the side of a block")
    src = t.floats(n**3).reshape(n, n, n)
    padded = np.pad(src, 1, mode="edge")
    total = np.zeros_like(src)
    for dz, dy, dx in np.ndindex(3, 3, 3):
        total = total + padded[dz : dz + n, dy : dy + n, dx : dx + n]
    dst = t.output(np.float32, n**3)
    args: list[Argument] = [u32(n), t.input(src, "src"), dst]
    expected = (total / np.float32(27)).reshape(-1)
    t.launch("stencil3d", args, grid=(n // SIDE,) * 3, block=(SIDE,) * 3, expect={dst: expected}, ulp=6)
