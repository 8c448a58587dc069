"""Host program of wsync."""

import numpy as np

from tests.regression.expectation import Array
from tests.regression.host import Argument, Minimum, Session, Sizes, kernel_test, u32

LOADS, LINE_WORDS, RESULTS = 8, 16, 7


@kernel_test(
    sizes=Sizes(4, 64, 1024),
    minimum=Minimum(fixed="one warp, so that nothing else takes cycles between its two reads of the counter"),
    timing="cycles between two reads of MCYCLE; judged on a design, meaningless on the golden model",
)
def wsync(t: Session) -> None:
    """Cycles around WSYNC behind eight missing loads exceed those around nothing by more than 16, N - 1 times."""
    lanes = t.device.config.hardware.num_threads
    src = t.random(np.uint32, t.size * LOADS * LINE_WORDS, 0, 1 << 20)
    sums = src.reshape(-1, LINE_WORDS).sum(axis=0, dtype=np.uint32)[np.arange(lanes) % LINE_WORDS]
    results = t.output(np.uint32, lanes * RESULTS, "results")
    timed = t.device.backend_name in ("rtl", "cosim")

    def judge(found: Array) -> str:
        rows = found.reshape(lanes, RESULTS)
        if (rows[:, 0] != t.size).any() or (rows[:, 1] != sums).any():
            return f"iterations and sums are {rows[:, :2].tolist()}, expected {t.size} and {sums.tolist()}"
        if timed and rows[:, 2].any():
            worst = rows[rows[:, 2].argmax()]
            return (
                f"WSYNC did not wait for the loads in {worst[2]} of {t.size - 1} rounds: at least {worst[4]} cycles "
                f"with loads, up to {worst[3]} without"
            )
        return ""

    args: list[Argument] = [u32(lanes), u32(t.size), t.input(src, "src"), results]
    t.launch("wsync", args, grid=1, block=lanes, expect={}, judge={results: judge})
