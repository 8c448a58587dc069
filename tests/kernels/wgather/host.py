"""Host program of wgather."""

import numpy as np

from sw.runtime import LaunchError
from tests.regression.host import Minimum, Need, Session, Sizes, kernel_test


@kernel_test(sizes=Sizes(3, 16, 256), needs=(Need.SIMT,), minimum=Minimum())
def wgather(t: Session) -> None:
    """WGATHER from every source lane and transposes in groups of four lanes, N warps."""
    lanes = t.device.config.hardware.num_threads
    if lanes < 4:
        raise LaunchError(f"THREADS={lanes}: WGATHER works in groups of four lanes, so this test needs at least 4")
    threads = np.arange(t.size * lanes)
    base, place = 1000 * threads, threads % 4
    gathered = []
    for source in range(4):
        distance = (place - source) % 4
        source_base = 1000 * (threads - place + source)
        gathered.append(np.where(distance == 0, base, source_base + distance))
    # Row j of a group's matrix is thread j's four words; afterwards thread i holds column i.
    groups = (base[:, None] + np.arange(4)).reshape(-1, 4, 4)
    dst, tp = t.output(np.uint32, 4 * threads.size, "dst"), t.output(np.uint32, 4 * threads.size, "tp")
    expect = {
        dst: np.stack(gathered, 1).astype(np.uint32).reshape(-1),
        tp: groups.transpose(0, 2, 1).astype(np.uint32).reshape(-1),
    }
    t.launch("wgather", [dst, tp], grid=t.size, block=lanes, expect=expect)
