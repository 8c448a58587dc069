"""Host program of blas: each kernel of the library once, on data of its own, in an order that follows from the seed."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from tests.kernels.arithmetic import Floats, fma
from tests.regression.host import Argument, Exercise, Minimum, Need, Session, Sizes, f32, kernel_test, u32

ALPHA, BETA = np.float32(1.5), np.float32(-0.75)


class Data(NamedTuple):
    """A matrix and two vectors: before a kernel, or what it makes of them."""

    a: Floats
    x: Floats
    y: Floats


def block_sums(values: Floats, block: int) -> Floats:
    """Sum of each block, halves added to halves as the kernels do."""
    blocks = -(-values.size // block)
    sums = np.pad(values, (0, blocks * block - values.size)).reshape(blocks, block)
    while sums.shape[1] > 1:
        half = sums.shape[1] // 2
        sums = sums[:, :half] + sums[:, half:]
    return sums.reshape(-1)


def into_a(d: Data, values: Floats) -> Data:
    """`values` at the start of the matrix."""
    return d._replace(a=np.concatenate([values, d.a.reshape(-1)[values.size :]]).reshape(d.a.shape))


def product(d: Data) -> Floats:
    total = np.zeros(d.a.shape[0], np.float32)
    for column in range(d.a.shape[1]):
        total = fma(d.a[:, column], np.full_like(total, d.x[column]), total)
    return total


def solved(d: Data) -> Floats:
    x, n = np.zeros(d.x.size, np.float32), d.x.size
    for row in range(n - 1, -1, -1):
        rest = d.y[row : row + 1]
        for column in range(row + 1, n):
            rest = fma(-d.a[row, column : column + 1], x[column : column + 1], rest)
        x[row] = rest[0] / d.a[row, row]
    return x


def full(value: np.float32, like: Floats) -> Floats:
    return np.full_like(like, value)


LIBRARY: dict[str, Callable[[Data, int], Data]] = {
    "scopy": lambda d, block: d._replace(y=d.x),
    "sswap": lambda d, block: d._replace(x=d.y, y=d.x),
    "sscal": lambda d, block: d._replace(x=d.x * ALPHA),
    "saxpy": lambda d, block: d._replace(y=fma(full(ALPHA, d.x), d.x, d.y)),
    "sdot": lambda d, block: into_a(d, block_sums(d.x * d.y, block)),
    "sasum": lambda d, block: into_a(d, block_sums(np.abs(d.x), block)),
    "isamax": lambda d, block: d._replace(y=np.abs(d.a).argmax(axis=1).astype(np.float32)),
    "sgemv": lambda d, block: d._replace(y=fma(full(ALPHA, d.y), product(d), BETA * d.y)),
    "sger": lambda d, block: d._replace(a=fma((ALPHA * d.x)[:, None] + 0 * d.a, d.y[None, :] + 0 * d.a, d.a)),
    "strsv": lambda d, block: d._replace(x=solved(d)),
}
KERNELS = tuple(LIBRARY)


@kernel_test(
    kernels=KERNELS,
    sizes=Sizes(6, 21, 64),
    needs=(Need.FLOAT,),
    minimum=Minimum(Exercise(splits=20, barriers=40, lmem=30)),
)
def blas(t: Session) -> None:
    """Ten kernels of one image: vectors of N, matrices of N x N."""
    t.expect_different_handles(KERNELS)
    t.expect_no_kernel("sgemm")
    block = t.device.config.hardware.core_threads
    for kernel in sorted(KERNELS, key=lambda name: (hash_of(name, t.seed), name)):
        matrix = t.floats(t.size**2, -1).reshape(t.size, t.size)
        if kernel == "strsv":
            matrix = matrix + np.float32(t.size) * np.eye(t.size, dtype=np.float32)
        before = Data(matrix, t.floats(t.size, -1), t.floats(t.size, -1))
        after = LIBRARY[kernel](before, block)
        buffers = [t.input(array, f"{name} of {kernel}") for name, array in before._asdict().items()]
        args: list[Argument] = [u32(t.size), u32(t.size), f32(float(ALPHA)), f32(float(BETA)), *buffers]
        threads = t.size**2 if kernel == "sger" else t.size
        grid = -(-threads // block)
        expect = dict(zip(buffers, after, strict=True))
        t.launch(kernel, args, grid=grid, block=block, lmem=4 * block, expect=expect, ulp=6)


def hash_of(name: str, seed: int) -> int:
    """Some number that differs from name to name and from seed to seed."""
    total = sum((seed + 3) ** i * ord(letter) for i, letter in enumerate(name))
    return int(total % 9973)
