"""64-bit division of kernels against Python's integers, at the edges and at random."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from config import HardwareConfig
from golden_model import Machine
from sw.kernel.vxcc import compile_kernel
from tests.unit.vxcc_image import source

_MASK = (1 << 64) - 1
_TEXT = """
struct args_t { uint64_t a; uint64_t b; uint64_t out; };
__kernel void k(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  auto a = (const uint64_t *)(uintptr_t)args->a;
  auto b = (const uint64_t *)(uintptr_t)args->b;
  auto out = (uint64_t *)(uintptr_t)args->out + 4 * i;
  out[0] = a[i] / b[i];
  out[1] = a[i] % b[i];
  out[2] = (uint64_t)((int64_t)a[i] / (int64_t)b[i]);
  out[3] = (uint64_t)((int64_t)a[i] % (int64_t)b[i]);
}
"""


def _signed(value: int) -> int:
    return value - (1 << 64) if value >> 63 else value


def _expected(a: int, b: int) -> list[int]:
    sa, sb = _signed(a), _signed(b)
    if b == 0:  # as the instructions of the M extension
        return [_MASK, a, _MASK, a]
    quotient = abs(sa) // abs(sb) * (1 if (sa < 0) == (sb < 0) else -1)
    return [a // b, a % b, quotient & _MASK, (sa - quotient * sb) & _MASK]


def test_division(tmp_path: Path) -> None:
    edges = [0, 1, 2, 3, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 63) - 1, 1 << 63, (1 << 63) + 1, _MASK - 1, _MASK]
    pairs = [(a, b) for a in edges for b in edges]
    random = np.random.default_rng(11)
    while len(pairs) % 16 or len(pairs) < 320:
        shifts = random.integers(0, 64, 2)
        a, b = (
            int(value) >> int(shift)
            for value, shift in zip(random.integers(0, 1 << 64, 2, np.uint64), shifts, strict=True)
        )
        pairs.append((a, b))
    dividends = np.array([pair[0] for pair in pairs], np.uint64)
    divisors = np.array([pair[1] for pair in pairs], np.uint64)
    out = np.zeros((len(pairs), 4), np.uint64)
    image = compile_kernel([source(tmp_path, _TEXT)], cache_dir=tmp_path / "cache").vxbin
    machine = Machine(HardwareConfig(), tier="fast")
    result = machine.load(image).launch("k", len(pairs) // 16, 16, [dividends, divisors, out])
    assert result.findings == ()
    assert out.tolist() == [_expected(*pair) for pair in pairs]
