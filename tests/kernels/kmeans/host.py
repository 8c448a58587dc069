"""Host program of kmeans: rounds of two launches each, and the same rounds in numpy."""

import numpy as np

from tests.kernels.arithmetic import fma
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

CENTRES, ROUNDS = 5, 2


@kernel_test(
    sizes=Sizes(30, 90, 1000),
    needs=(Need.FLOAT,),
    minimum=Minimum(Exercise(splits=150, barriers=40, lmem=400)),
)
def kmeans(t: Session) -> None:
    """Two rounds of k-means on N points, five centres, one of which is far from all points."""
    points = t.floats(2 * t.size).reshape(t.size, 2)
    centres = t.floats(2 * CENTRES).reshape(CENTRES, 2)
    centres[-1] = 100
    data, middle = t.input(points, "points"), t.input(centres, "centres")
    nearest = t.output(np.uint32, t.size, "nearest")
    for _ in range(ROUNDS):
        offset = points[:, None, :] - centres[None, :, :]
        distance = fma(offset[..., 0], offset[..., 0], offset[..., 1] * offset[..., 1])
        chosen = distance.argmin(axis=1).astype(np.uint32)
        args: list[Argument] = [u32(t.size), u32(CENTRES), data, middle, nearest]
        t.launch("kmeans", [u32(0), *args], threads=t.size, lmem=8 * CENTRES, expect={nearest: chosen})
        centres = centres.copy()
        for centre in range(CENTRES):
            total = np.zeros(2, np.float32)
            for point in points[chosen == centre]:
                total = total + point
            if (count := np.count_nonzero(chosen == centre)) > 0:
                centres[centre] = total / np.float32(count)
        t.launch("kmeans", [u32(1), *args], threads=CENTRES, lmem=8 * CENTRES, expect={middle: centres})
