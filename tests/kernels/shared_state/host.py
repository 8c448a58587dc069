"""Host program of shared_state."""

import numpy as np

from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32

KERNELS = ("prime_k", "sum_k", "calls_k", "mixed_k")
PRIMES = np.array([2, 3, 5, 7, 11, 13, 17, 19], np.uint32)
SEED, SMALL = 0x1234, 7


def called(value: int, times: int) -> int:
    for _ in range(times):
        value = (value * 5 + SMALL) & 0xFFFFFFFF
    return value


@kernel_test(kernels=KERNELS, sizes=Sizes(21, 125, 1000), minimum=Minimum(Exercise(splits=4, pred_exits=50)))
def shared_state(t: Session) -> None:
    """Four kernels share two constructors, of which one needs the other, and thread-local data."""
    t.expect_different_handles(KERNELS)
    index = np.arange(t.size)
    sums = np.cumsum(PRIMES, dtype=np.uint32)
    place = index & 7
    expected = {
        "prime_k": PRIMES[place],
        "sum_k": sums[place] - PRIMES[7 - place],
        "calls_k": np.array([called(SEED, i % 5) ^ (i % 5) << 24 for i in range(t.size)], np.uint32),
        "mixed_k": (PRIMES[place] * 5 + SMALL + index + 1 + sums[3]).astype(np.uint32),
    }
    for kernel in t.order(KERNELS):
        dst = t.output(np.uint32, t.size, f"dst of {kernel}")
        args: list[Argument] = [u32(t.size), dst]
        t.launch(kernel, args, threads=t.size, expect={dst: expected[kernel]})
