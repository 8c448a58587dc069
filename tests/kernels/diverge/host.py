"""Host program of diverge: the same steps, one point at a time, in plain Python integers."""

from collections.abc import Callable

import numpy as np

from tests.regression.host import Exercise, Minimum, Session, Sizes, kernel_test, u32

DEPTH = 8
# What each open level of the nest does to the value, on the way down; ~ is the innermost.
STEPS: tuple[Callable[[int], int], ...] = (
    lambda v: v + 1,
    lambda v: v * 3,
    lambda v: v - 7,
    lambda v: v ^ 0x55,
    lambda v: v + 1000,
    lambda v: v * 5,
    lambda v: v - 11,
    lambda v: ~v,
)


def nest(value: int, path: int, depth: int) -> int:
    """The nested branches: levels are entered while the bits of `path` are set."""
    entered = 0
    while entered < depth and path >> entered & 1:
        value = STEPS[entered](value)
        entered += 1
    if entered == 0:
        return value - 2
    return value + 40 if entered == 2 else value


def point(src: list[int], i: int, depth: int) -> int:
    """Result of thread `i`."""
    value = src[i]
    if value < 0:
        value = -value
    elif value < 64:
        value += src[-1 - i]
    elif value < 128:
        value -= 3
    for step in range(i % 5):
        if np.fmod(value, 3) == 2:
            continue
        value += step
        if value > 400:
            break
    choice = i % 6
    if choice == 0:
        value = (value + 10) * 2
    elif choice == 1:
        value *= 2
    elif choice == 2:
        value -= 100
    elif choice == 4:
        value ^= 0x33
    else:
        value += 5
    value += 17 if value & 1 else -17
    other = src[(i + 1) % len(src)]
    return nest(max(value, other) - 2 * min(value, other), src[i] & 0xFFFFFFFF, depth)


@kernel_test(sizes=Sizes(16, 64, 512), minimum=Minimum(Exercise(splits=150, pred_exits=30)))
def diverge(t: Session) -> None:
    """Ifs, loops of unequal length, switch, selects and eight nested branches."""
    src = t.random(np.int32, t.size, -256, 512)
    values = src.tolist()
    expected = np.array([point(values, i, DEPTH) for i in range(t.size)], np.int32)
    dst = t.output(np.int32, t.size)
    t.launch("diverge", [u32(t.size), u32(DEPTH), t.input(src, "src"), dst], threads=t.size, expect={dst: expected})
