"""Host program of mstress."""

import numpy as np

from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32

LOADS = 8


@kernel_test(
    sizes=Sizes(4, 64, 512),
    needs=(Need.FLOAT,),
    minimum=Minimum(fixed="one block a core, so that every lane has loads outstanding all the time"),
)
def mstress(t: Session) -> None:
    """N results a lane, each of eight gathered loads."""
    tasks = t.device.config.hardware.total_harts
    results = tasks * t.size
    values = t.floats(results, 0.5)
    indices = t.random(np.uint32, results * LOADS, 0, results)
    dst = t.output(np.float32, results)
    args: list[Argument] = [
        u32(tasks),
        u32(t.size),
        u32(t.size),
        t.input(indices, "indices"),
        t.input(values, "values"),
        dst,
    ]
    t.launch("mstress", args, threads=tasks, expect={dst: np.zeros(results, np.float32)})
