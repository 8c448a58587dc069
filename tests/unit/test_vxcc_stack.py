"""Stack of a linked image: sizes along calls, and the refusal."""

from __future__ import annotations

from pathlib import Path

import pytest

from sw.kernel.vxcc import ImageError, compile_kernel
from tests.unit.vxcc_image import source

# Indices that are only known when the kernel runs keep the compiler from shrinking the arrays.
_HEAD = """
struct args_t { uint64_t out; };
#define NOINLINE __attribute__((noinline))
NOINLINE static uint32_t inner(volatile uint32_t *x) {
  volatile uint32_t big[%d];
  big[*x & 63] = *x;
  return big[blockIdx.y];
}
NOINLINE static uint32_t outer(uint32_t y) {
  volatile uint32_t big[%d];
  big[y & 63] = y;
  return inner(&big[blockIdx.y]);
}
__kernel void k(const args_t *args) { *(uint32_t *)(uintptr_t)args->out = outer(blockIdx.x); }
"""


def test_frames_along_a_chain_of_calls_count_together(tmp_path: Path) -> None:
    compile_kernel([source(tmp_path, _HEAD % (900, 900))], cache_dir=tmp_path / "cache")
    with pytest.raises(
        ImageError, match=r"a lane has 8192: k \(\d+ bytes\) → outer\(.*\) \(48\d\d bytes\) → inner\(.*\)"
    ):
        compile_kernel([source(tmp_path, _HEAD % (900, 1200))], cache_dir=tmp_path / "cache")


def test_recursion_counts_once(tmp_path: Path) -> None:
    text = """
struct args_t { uint64_t out; };
__attribute__((noinline)) static uint32_t r(uint32_t n) {
  volatile uint32_t big[1100];
  big[n & 63] = n;
  return n ? r(n - 1) + big[blockIdx.y] : 0;
}
__kernel void k(const args_t *args) { *(uint32_t *)(uintptr_t)args->out = r(blockIdx.x); }
"""
    compile_kernel([source(tmp_path, text)], cache_dir=tmp_path / "cache")
