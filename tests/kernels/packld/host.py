"""Host program of packld."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(18, 126, 1022), needs=(Need.FLOAT, Need.PACKED), minimum=Minimum(Exercise(splits=1)))
def packld(t: Session) -> None:
    """PACKLB and PACKLH with positive and negative strides, N tasks of sixteen bytes."""
    src = t.random(np.uint8, 16 * t.size, 0, 256)
    lb = np.ascontiguousarray(src.reshape(t.size, 4, 4).transpose(0, 2, 1)).view(np.uint32).reshape(-1)
    halves = src.view(np.uint16).reshape(t.size, 2, 4)
    forth = halves.transpose(0, 2, 1)
    lh = np.ascontiguousarray(np.stack([forth, forth[:, :, ::-1]], 1)).view(np.uint32).reshape(-1)
    dst_lb, dst_lh = t.output(np.uint32, lb.size, "dst_lb"), t.output(np.uint32, lh.size, "dst_lh")
    args: list[Argument] = [u32(t.size), t.input(src, "src"), dst_lb, dst_lh]
    t.launch("packld", args, threads=t.size, expect={dst_lb: lb, dst_lh: lh})
