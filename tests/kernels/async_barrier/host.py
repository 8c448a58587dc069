"""Host program of async_barrier."""

import numpy as np

from sw.runtime import LaunchError
from tests.kernels.arithmetic import matrix_product
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(8, 16, 48), needs=(Need.FLOAT, Need.SIMT), minimum=Minimum(Exercise(barriers=1000, lmem=2000)))
def async_barrier(t: Session) -> None:
    """Float matrix product, N x N, in tiles, arriving at a barrier and waiting for it at different places."""
    hardware = t.device.config.hardware
    tile = min(hardware.num_threads, hardware.num_warps)
    if t.size % tile:
        raise LaunchError(f"N={t.size}: this test needs a multiple of {tile}, the side of a tile")
    a, b = (t.floats(t.size**2).reshape(t.size, t.size) for _ in range(2))
    blocks = t.size // tile
    # Marks of a block's row of tiles: its cell of each tile of `a`, and the cell that follows inside the tile.
    steps = np.sqrt(a.reshape(blocks, tile, blocks, tile).transpose(0, 2, 1, 3).reshape(blocks, blocks, tile * tile))
    shown = np.zeros((blocks, tile * tile), np.float32)
    for step in range(blocks):
        shown = shown + steps[:, step]
    marks = (np.roll(shown, -1, axis=1) + shown).reshape(blocks * tile, tile)
    expected = matrix_product(a, b) + np.tile(marks, (1, blocks))
    c = t.output(np.float32, t.size**2, "c")
    args: list[Argument] = [u32(t.size), u32(tile), t.input(a, "a"), t.input(b, "b"), c]
    t.launch(
        "async_barrier",
        args,
        grid=(blocks, blocks),
        block=(tile, tile),
        lmem=16 * tile * tile,
        expect={c: expected.reshape(-1)},
        ulp=6,
    )
