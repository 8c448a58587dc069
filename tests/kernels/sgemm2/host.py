"""Host program of sgemm2."""

import numpy as np

from sw.runtime import LaunchError
from tests.kernels.arithmetic import matrix_product
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(8, 16, 48), needs=(Need.FLOAT,), minimum=Minimum(Exercise(barriers=512, lmem=2500)))
def sgemm2(t: Session) -> None:
    """Float matrix product, N x N, in tiles through local memory."""
    hardware = t.device.config.hardware
    tile = min(hardware.num_threads, hardware.num_warps)
    if t.size % tile:
        raise LaunchError(f"N={t.size}: this test needs a multiple of {tile}, the side of a tile")
    a, b = (t.floats(t.size**2).reshape(t.size, t.size) for _ in range(2))
    c = t.output(np.float32, t.size**2, "c")
    args: list[Argument] = [u32(t.size), u32(tile), u32(tile), u32(0), t.input(a, "a"), t.input(b, "b"), c]
    blocks = t.size // tile
    t.launch(
        "sgemm2",
        args,
        grid=(blocks, blocks),
        block=(tile, tile),
        lmem=8 * tile * tile,
        expect={c: matrix_product(a, b).reshape(-1)},
        ulp=6,
    )
