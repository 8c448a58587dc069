"""Host program of sgemmx."""

import numpy as np

from sw.runtime import LaunchError
from tests.kernels.arithmetic import fma, matrix_product
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, f32, kernel_test, u32

TILE, SIDE, DEPTH = 16, 4, 4
ALPHA, BETA = 1.5, 0.5


@kernel_test(sizes=Sizes(16, 32, 96), needs=(Need.FLOAT,), minimum=Minimum(Exercise(barriers=200, lmem=3000)))
def sgemmx(t: Session) -> None:
    """alpha a b + beta c, N x N, sixteen elements a thread."""
    if t.size % TILE:
        raise LaunchError(f"N={t.size}: this test needs a multiple of {TILE}, the side of a tile")
    a, b, c = (t.floats(t.size**2).reshape(t.size, t.size) for _ in range(3))
    product = matrix_product(a, b)
    expected = fma(np.full_like(product, ALPHA), product, np.float32(BETA) * c)
    result = t.input(c, "c")
    args: list[Argument] = [*[u32(t.size)] * 3, f32(ALPHA), f32(BETA), t.input(a, "a"), t.input(b, "b"), result]
    blocks = t.size // TILE
    t.launch(
        "sgemmx",
        args,
        grid=(blocks, blocks),
        block=(SIDE, SIDE),
        lmem=4 * DEPTH * 2 * TILE,
        expect={result: expected},
        ulp=6,
    )
