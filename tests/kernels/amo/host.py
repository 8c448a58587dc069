"""Host program of amo: a launch for each sub-test."""

from functools import partial, reduce

import numpy as np
from numpy.typing import NDArray

from sw.runtime import Buffer
from tests.regression.expectation import Array, Judge
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, kernel_test, u32

ROUNDS, LINE_WORDS = 3, 16
SHARED_WORDS = 16
COUNTERS = (0, 7, 8, 9)  # every thread takes numbers from a counter
NAMES = (
    "amoadd", "amoor", "amoand", "amoxor", "amomax", "amominu", "amoswap", "lr/sc", "amoadd.aqrl", "lr.aq/sc.rl",
    "reduction", "critical section", "self-consistency",
)  # fmt: skip
CRITICAL, CONSISTENCY, SWAP = 11, 12, 6

Words = NDArray[np.uint32]


def start(test: int) -> Words:
    """What the shared words hold before a sub-test."""
    words = np.zeros(SHARED_WORDS, np.uint32)
    words[0] = {2: 0xFFFFFFFF, 4: 0x80000000, 5: 0xFFFFFFFF}.get(test, 0)
    return words


def finish(test: int, threads: int, block: int, lanes: int) -> Words:
    """What they hold afterwards; word 0 of the swap test depends on the order and stays as it was."""
    words = start(test)
    index = np.arange(threads)
    bits = [1 << (own + step) % 32 for own in range(threads) for step in range(ROUNDS)]
    if test in COUNTERS:
        words[0] = threads * ROUNDS
    elif test == 1:
        words[0] = reduce(lambda a, b: a | b, bits)
    elif test == 2:
        words[0] = 0xFFFFFFFF & ~reduce(lambda a, b: a | b, bits)
    elif test == 3:
        words[0] = reduce(lambda a, b: a ^ b, bits)
        words[1] = reduce(lambda a, b: a ^ b, [own for own in range(threads) for _ in range(ROUNDS)])
    elif test == 4:
        words[0] = ((threads - 1) * 3 + ROUNDS - 1 - 40) & 0xFFFFFFFF
    elif test == 5:
        words[0] = 0x80000000
    elif test == 10:
        for group in range(8):
            words[2 + group] = ROUNDS * index[index // block % 8 == group].sum()
    elif test == CRITICAL:
        words[1] = ROUNDS * np.count_nonzero(index % block % lanes == 0)
    return words


@kernel_test(
    sizes=Sizes(14, 60, 500),
    needs=(Need.ATOMICS,),
    minimum=Minimum(Exercise(splits=40, pred_exits=200, atomics=600), one_core=("splits",)),  # of the critical section
    counts_vary=["amo"],
    timing="the order of atomics: what a thread gets back, and the last value of the swap test",
)
def amo(t: Session) -> None:
    """Every atomic, LR/SC loops, a critical section and self-consistency, N threads, a launch each."""
    hardware = t.device.config.hardware
    block, lanes = hardware.core_threads, hardware.num_threads
    for test, name in enumerate(NAMES):
        if test == CRITICAL and hardware.total_cores > 1:
            continue  # the counter in the section is read by plain loads, and caches of several cores aren't coherent
        shared = t.input(start(test), f"shared words of {name}")
        lines = np.arange(t.size * LINE_WORDS, dtype=np.uint32).reshape(t.size, LINE_WORDS)
        private = t.input(lines, f"lines of {name}")
        out = t.output(np.uint32, t.size, f"out of {name}")
        after = lines.copy()
        if test == CONSISTENCY:
            after[:, 0] += (ROUNDS * (np.arange(t.size) + 1)).astype(np.uint32)
        expect: dict[Buffer, Array] = {private: after}
        judges: dict[Buffer, Judge] = {}
        numbers = np.arange(t.size * ROUNDS, dtype=np.uint64)
        if test in COUNTERS:
            # Each number from the counter goes to exactly one thread, so the sum of all is known.
            total = int(numbers.sum())
            judges[out] = partial(_judge_sum, total)
        elif test == SWAP:
            judges = dict.fromkeys((shared, out), _judge_later)
        else:
            expect[out] = np.zeros(t.size, np.uint32)
        if test != SWAP:
            expect[shared] = finish(test, t.size, block, lanes)
        args: list[Argument] = [u32(test), u32(t.size), u32(ROUNDS), shared, private, out]
        t.launch("amo", args, threads=t.size, expect=expect, judge=judges)
        if test == SWAP:
            _check_swaps(t, t.read(out, np.dtype(np.uint32)), int(t.read(shared, np.dtype(np.uint32))[0]))


def _judge_sum(total: int, found: Array) -> str:
    seen = int(found.astype(np.uint64).sum())
    return "" if seen == total else f"the numbers that threads took add up to {seen}, not {total}"


def _judge_later(found: Array) -> str:
    """Both buffers are judged together, by `_check_swaps`."""
    return ""


def _check_swaps(t: Session, out: Array, last: int) -> None:
    """What was put in, came out or is still there: everything cancels in an exclusive or."""
    put = [own * 64 + step + 1 for own in range(t.size) for step in range(ROUNDS)]
    rest = reduce(lambda a, b: a ^ b, [*put, *(int(word) for word in out), last])
    t.check("swapped values", rest == 0 and last in put, f"exclusive or of all values {rest:#x}, last value {last}")
