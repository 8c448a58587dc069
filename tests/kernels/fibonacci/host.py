"""Host program of fibonacci."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

RECURSIVE = 12


@kernel_test(
    sizes=Sizes(6, 40, 47),
    needs=(Need.SIMT,),
    legacy=True,
    minimum=Minimum(Exercise(pred_exits=30), fixed="one block a core: the legacy library starts warps itself"),
)
def fibonacci(t: Session) -> None:
    """A stand-alone program: recursion in one lane, loops of unequal length in N tasks."""
    numbers = [0, 1]
    while len(numbers) < max(t.size, RECURSIVE):
        numbers.append(numbers[-1] + numbers[-2])
    values = np.array(numbers, np.uint32)
    recursive, iterative = t.output(np.uint32, RECURSIVE, "recursive"), t.output(np.uint32, t.size, "iterative")
    args: list[Argument] = [u32(t.size), recursive, iterative]
    t.launch_legacy("fibonacci", args, expect={recursive: values[:RECURSIVE], iterative: values[: t.size]})
