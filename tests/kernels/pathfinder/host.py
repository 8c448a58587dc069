"""Host program of pathfinder: one launch a row."""

import numpy as np

from tests.regression.host import Exercise, Minimum, Session, Sizes, kernel_test, u32

ROWS = 8


@kernel_test(sizes=Sizes(14, 61, 1000), minimum=Minimum(Exercise(splits=2 * (ROWS - 1))))
def pathfinder(t: Session) -> None:
    """Dynamic programming, a launch for each row, N columns; the two cost rows change their roles."""
    wall = t.random(np.int32, ROWS * t.size, 0, 10).reshape(ROWS, t.size)
    cost = wall[0]
    grid = t.input(wall, "wall")
    here, there = t.input(cost, "even row"), t.output(np.int32, t.size, "odd row")
    for row in range(1, ROWS):
        padded = np.pad(cost, 1, constant_values=np.iinfo(np.int32).max)
        cost = wall[row] + np.minimum(np.minimum(padded[:-2], padded[2:]), cost)
        t.launch("pathfinder", [u32(t.size), u32(row), grid, here, there], threads=t.size, expect={there: cost})
        here, there = there, here
