"""Host program of async_gbarrier."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32


@kernel_test(
    sizes=Sizes(1, 1, 1),
    needs=(Need.SIMT, Need.CORES),
    knobs={"CORES": "2"},
    minimum=Minimum(
        Exercise(barriers=40), fixed="a global barrier needs every warp of every core in it at once: one block a warp"
    ),
)
def async_gbarrier(t: Session) -> None:
    """Values go from core to core around two global barriers; N times, one launch each."""
    hardware = t.device.config.hardware
    groups, lanes = hardware.total_cores * hardware.num_warps, hardware.num_threads
    index = np.arange(groups * lanes, dtype=np.uint32)
    before = 7 * index + 1
    for _ in range(t.size):
        pre, post, wrong = (t.output(np.uint32, index.size, name) for name in ("pre", "post", "wrong"))
        args: list[Argument] = [u32(hardware.total_cores), u32(groups), u32(lanes), pre, post, wrong]
        expect = {pre: before, post: before[::-1] ^ np.uint32(0x5555), wrong: np.zeros_like(index)}
        t.launch("async_gbarrier", args, grid=groups, block=lanes, expect=expect)
