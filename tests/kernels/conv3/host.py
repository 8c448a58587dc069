"""Host program of conv3."""

import numpy as np

from tests.kernels.arithmetic import fma
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u8, u32


@kernel_test(
    sizes=Sizes(6, 30, 64), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=200, barriers=200, lmem=4000))
)
def conv3(t: Session) -> None:
    """3 x 3 convolution of an N x N image, weights in global and then in local memory."""
    lanes = t.device.config.hardware.num_threads
    image = np.pad(t.floats(t.size**2).reshape(t.size, t.size), 1)
    weights = t.floats(9).reshape(3, 3)
    total = np.zeros((t.size, t.size), np.float32)
    for dy in range(3):
        for dx in range(3):
            part = image[dy : dy + t.size, dx : dx + t.size]
            total = fma(part, np.full_like(part, weights[dy, dx]), total)
    inputs = t.input(image, "image"), t.input(weights, "weights")
    for use_lmem in (0, 1):
        output = t.output(np.float32, t.size**2, f"output, local memory {use_lmem}")
        args: list[Argument] = [u32(t.size), *inputs, output, u8(use_lmem)]
        t.launch(
            "conv3",
            args,
            grid=(-(-t.size // lanes), t.size),
            block=(lanes, 1),
            lmem=36 * use_lmem,
            expect={output: total.reshape(-1)},
            ulp=6,
        )
