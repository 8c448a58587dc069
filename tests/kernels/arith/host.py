"""Host program of arith."""

import numpy as np

from tests.regression.host import Argument, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(21, 64, 1000),
    needs=(Need.SIMT,),
    legacy=True,
    minimum=Minimum(fixed="one block a core: the legacy library starts warps itself"),
)
def arith(t: Session) -> None:
    """Arithmetic shift of N 64-bit integers."""
    src = t.rng.integers(-(1 << 63), 1 << 63, t.size, dtype=np.int64)
    dst = t.output(np.int64, t.size)
    args: list[Argument] = [u32(t.size), t.input(src, "src"), dst]
    t.launch_legacy("arith", args, expect={dst: src >> 47})
