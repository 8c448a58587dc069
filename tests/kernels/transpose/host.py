"""Host program of transpose."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(7, 30, 128), minimum=Minimum(Exercise(splits=50, barriers=256, lmem=400)))
def transpose(t: Session) -> None:
    """N x N matrix in tiles through local memory; the last tiles are partial."""
    hardware = t.device.config.hardware
    side = min(hardware.num_threads, hardware.num_warps)
    blocks = -(-t.size // side)
    src = t.random(np.uint32, t.size**2, 0, 1 << 32).reshape(t.size, t.size)
    dst = t.output(np.uint32, t.size**2)
    args: list[Argument] = [u32(t.size), t.input(src, "src"), dst]
    t.launch(
        "transpose",
        args,
        grid=(blocks, blocks),
        block=(side, side),
        lmem=4 * side * (side + 1),
        expect={dst: src.T.reshape(-1)},
    )
