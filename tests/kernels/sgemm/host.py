"""Host program of sgemm."""

import numpy as np

from tests.kernels.arithmetic import matrix_product
from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(8, 32, 64), needs=(Need.FLOAT,), minimum=Minimum())
def sgemm(t: Session) -> None:
    """Float matrix product, N x N, one element a thread."""
    t.require_full_blocks((t.size, t.size))
    a, b = (t.floats(t.size**2).reshape(t.size, t.size) for _ in range(2))
    c = t.output(np.float32, t.size**2, "c")
    args: list[Argument] = [u32(t.size), t.input(a, "a"), t.input(b, "b"), c]
    t.launch("sgemm", args, threads=(t.size, t.size), expect={c: matrix_product(a, b).reshape(-1)}, ulp=6)
