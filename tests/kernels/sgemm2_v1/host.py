"""Host program of sgemm2_v1."""

import numpy as np

from sw.runtime import LaunchError
from tests.kernels.arithmetic import matrix_product
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(8, 16, 48),
    needs=(Need.FLOAT, Need.SIMT),
    legacy=True,
    minimum=Minimum(
        Exercise(barriers=256, lmem=2000), fixed="one block a core: the legacy library starts warps itself"
    ),
)
def sgemm2_v1(t: Session) -> None:
    """Float matrix product, N x N, in tiles; groups of vx_spawn_threads."""
    hardware = t.device.config.hardware
    tile = min(hardware.num_threads, hardware.num_warps)
    chunk = 2 * tile
    if t.size % chunk:
        raise LaunchError(f"N={t.size}: this test needs a multiple of {chunk}, two tiles")
    a, b = (t.floats(t.size**2).reshape(t.size, t.size) for _ in range(2))
    c = t.output(np.float32, t.size**2, "c")
    blocks = t.size // tile
    numbers = [blocks, blocks, tile, tile, t.size, tile, chunk, 0]
    args: list[Argument] = [*(u32(number) for number in numbers), t.input(a, "a"), t.input(b, "b"), c]
    t.launch_legacy("sgemm2_v1", args, expect={c: matrix_product(a, b).reshape(-1)}, ulp=6)
