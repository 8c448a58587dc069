"""Host program of format_limits: sixteen kernels whose names have 1 to 32768 bytes (docs/reference/vortex.md §7.1)."""

import numpy as np

from config import RunConfig
from tests.regression.host import Argument, Exercise, Minimum, Session, Sizes, kernel_test, u32

LENGTHS = tuple(1 << power for power in range(16))


def name_of(length: int) -> str:
    """A name of that many bytes; each is the beginning of the next."""
    return "k" * length


KERNELS = tuple(name_of(length) for length in LENGTHS)


def sources(config: RunConfig) -> dict[str, str]:
    """One file with all kernels: each adds a number of its own, in odd threads twice."""
    lines = [
        "#include <vx_spawn2.h>",
        "struct args_t { uint32_t count; uint32_t pad; uint64_t src, dst; };",
        "template <uint32_t Number> static void add(const args_t *__UNIFORM__ args) {",
        "  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;",
        "  if (i >= args->count) return;",
        "  uint32_t value = ((const uint32_t *)(uintptr_t)args->src)[i] + Number;",
        "  for (uint32_t round = 0; round < (i & 1); ++round) value = value * 3 + Number;",
        "  ((uint32_t *)(uintptr_t)args->dst)[i] = value;",
        "}",
    ]
    lines += [
        f"__kernel void {name}(const args_t *args) {{ add<{number}>(args); }}" for number, name in enumerate(KERNELS)
    ]
    return {"limits.cpp": "\n".join(lines) + "\n"}


@kernel_test(kernels=KERNELS, sizes=Sizes(7, 14, 100), generate=sources, minimum=Minimum(Exercise(splits=10)))
def format_limits(t: Session) -> None:
    """Sixteen kernels in one image, with names of 1 to 32768 bytes; each is the beginning of the next."""
    t.expect_different_handles(KERNELS)
    t.expect_no_kernel(name_of(9))
    src = t.random(np.uint32, t.size, 0, 1 << 20)
    source = t.input(src, "src")
    odd = np.arange(t.size) % 2 == 1
    for number, kernel in enumerate(KERNELS):
        dst = t.output(np.uint32, t.size, f"dst of kernel {number}")
        once = src + np.uint32(number)
        expected = np.where(odd, once * 3 + np.uint32(number), once).astype(np.uint32)
        args: list[Argument] = [u32(t.size), u32(0), source, dst]
        t.launch(kernel, args, threads=t.size, expect={dst: expected})
