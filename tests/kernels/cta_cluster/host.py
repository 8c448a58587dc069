"""Host program of cta_cluster."""

import numpy as np

from sw.runtime import LaunchError
from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32

MEMBERS, SLOT = 2, 64


@kernel_test(sizes=Sizes(4, 24, 256), minimum=Minimum(Exercise(barriers=48, lmem=72)))
def cta_cluster(t: Session) -> None:
    """Clusters of two blocks read each other's local memory; N blocks."""
    hardware = t.device.config.hardware
    if t.size % MEMBERS or hardware.num_warps < MEMBERS:
        raise LaunchError(f"N={t.size}, WARPS={hardware.num_warps}: both must be at least one cluster of {MEMBERS}")
    lanes = hardware.num_threads
    cta = np.arange(t.size)
    peers = 100 * (cta // MEMBERS * MEMBERS * MEMBERS + MEMBERS * (MEMBERS - 1) // 2)
    sums = peers[:, None] + MEMBERS * np.arange(lanes) + (cta % MEMBERS << 24)[:, None]
    dst = t.output(np.uint32, t.size * lanes)
    args: list[Argument] = [u32(SLOT), dst]
    expect = {dst: sums.astype(np.uint32).reshape(-1)}
    t.launch("cta_cluster", args, grid=t.size, block=lanes, lmem=SLOT, cluster=MEMBERS, expect=expect)
