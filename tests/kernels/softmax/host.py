"""Host program of softmax."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

COLUMNS = 8


@kernel_test(sizes=Sizes(6, 62, 512), needs=(Need.FLOAT,), minimum=Minimum(Exercise(splits=1)))
def softmax(t: Session) -> None:
    """Softmax of N rows of eight floats."""
    rows = t.floats(t.size * COLUMNS, -4, 4).reshape(t.size, COLUMNS)
    shifted = (rows - rows.max(axis=1, keepdims=True)).astype(np.float64)
    exponentials = np.exp(shifted).astype(np.float32)
    total = np.zeros(t.size, np.float32)
    for column in range(COLUMNS):
        total = total + exponentials[:, column]
    src, dst = t.input(rows, "src"), t.output(np.float32, rows.size)
    args: list[Argument] = [u32(t.size), u32(COLUMNS), src, dst]
    expect = {src: exponentials, dst: (exponentials / total[:, None]).reshape(-1)}
    t.launch("softmax", args, threads=t.size, expect=expect, ulp=10)
