"""Host program of vecadd_v1."""

import numpy as np

from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(21, 250, 4096),
    needs=(Need.FLOAT, Need.SIMT),
    legacy=True,
    minimum=Minimum(fixed="one block a core: the legacy library starts warps itself"),
)
def vecadd_v1(t: Session) -> None:
    """Float sum of two vectors, any N, by vx_spawn_threads."""
    a, b = t.floats(t.size), t.floats(t.size)
    dst = t.output(np.float32, t.size)
    args: list[Argument] = [u32(t.size), t.input(a, "src0"), t.input(b, "src1"), dst]
    t.launch_legacy("vecadd_v1", args, expect={dst: a + b})
