"""Host program of madmax."""

import numpy as np

from tests.kernels.arithmetic import fma
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

CHAINS, STEPS = 16, 256


@kernel_test(sizes=Sizes(2, 7, 16), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=7)))
def madmax(t: Session) -> None:
    """Throughput of fused multiply-adds: N x N threads, 4096 each."""
    lanes = t.device.config.hardware.num_threads
    y, x = np.meshgrid(np.arange(t.size, dtype=np.float32), np.arange(t.size, dtype=np.float32), indexing="ij")
    factor, step = np.float32(0.5) + x * np.float32(2.0**-8), np.float32(1) + y
    total = np.zeros_like(x)
    for chain in range(CHAINS):
        value = np.full_like(x, chain)
        for _ in range(STEPS):
            value = fma(value, factor, step)
        total = total + value
    dst = t.output(np.float32, t.size**2)
    args: list[Argument] = [u32(t.size), dst]
    grid = (-(-t.size // lanes), t.size)
    t.launch("madmax", args, grid=grid, block=(lanes, 1), expect={dst: total.reshape(-1)}, ulp=6)
