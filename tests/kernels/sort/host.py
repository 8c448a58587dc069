"""Host program of sort."""

import numpy as np

from tests.regression.host import Exercise, Minimum, Session, Sizes, kernel_test, u32


@kernel_test(sizes=Sizes(18, 125, 512), minimum=Minimum(Exercise(splits=2000)))
def sort(t: Session) -> None:
    """Rank of each element by comparing it with all others; many are equal."""
    src = t.random(np.int32, t.size, -20, 20)
    dst = t.output(np.int32, t.size)
    t.launch("sort", [u32(t.size), t.input(src, "src"), dst], threads=t.size, expect={dst: np.sort(src)})
