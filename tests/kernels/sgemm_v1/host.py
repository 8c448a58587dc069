"""Host program of sgemm_v1."""

import numpy as np

from tests.kernels.arithmetic import matrix_product
from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(7, 18, 32),
    needs=(Need.FLOAT, Need.SIMT),
    legacy=True,
    minimum=Minimum(fixed="one block a core: the legacy library starts warps itself"),
)
def sgemm_v1(t: Session) -> None:
    """Float matrix product, N x N, by vx_spawn_threads."""
    a, b = (t.floats(t.size**2).reshape(t.size, t.size) for _ in range(2))
    c = t.output(np.float32, t.size**2, "c")
    args: list[Argument] = [*[u32(t.size)] * 3, t.input(a, "a"), t.input(b, "b"), c]
    t.launch_legacy("sgemm_v1", args, expect={c: matrix_product(a, b).reshape(-1)}, ulp=6)
