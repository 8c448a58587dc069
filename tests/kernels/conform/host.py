"""Host program of conform."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u64

TESTS = (
    "global memory", "local memory", "tmc", "pred", "divergence", "wspawn", "spawn tasks", "serial", "barrier", "tls",
    "vote", "shuffle",
)  # fmt: skip
SCRATCH = 256


@kernel_test(
    sizes=Sizes(1, 1, 1),
    needs=(Need.SIMT, Need.ONE_CORE),  # the legacy library divides tasks over all cores
    legacy=True,
    minimum=Minimum(
        Exercise(splits=10, pred_exits=10, barriers=8, lmem=20),
        fixed="one block a core: the legacy library starts warps itself",
    ),
)
def conform(t: Session) -> None:
    """A stand-alone program that tries twelve features of the machine and counts what is wrong with each."""
    errors = t.output(np.uint32, len(TESTS), "errors")
    scratch = t.device.alloc(4 * SCRATCH, "scratch")
    args: list[Argument] = [errors, u64(scratch.address)]
    t.launch_legacy("conform", args, expect={errors: np.zeros(len(TESTS), np.uint32)})
    for name, wrong in zip(TESTS, t.read(errors, np.dtype(np.uint32)), strict=True):
        t.check(name, int(wrong) == 0, f"{wrong} wrong words")
