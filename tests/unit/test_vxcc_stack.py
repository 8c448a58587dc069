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


_POINTER = """
struct args_t { uint64_t out; };
typedef uint32_t (*function_t)(uint32_t);
__attribute__((noinline)) static uint32_t big(uint32_t n) {
  volatile uint32_t array[%d];
  array[n & 63] = n;
  return array[blockIdx.y];
}
__attribute__((noinline)) static uint32_t small(uint32_t n) { return n + blockIdx.y; }
%s
__kernel void k(const args_t *args) {
  volatile uint32_t own[900];
  own[blockIdx.x & 63] = blockIdx.x;
  *(uint32_t *)(uintptr_t)args->out = %s(own[blockIdx.y]);
}
"""
_TABLE = "static function_t volatile table[] = {small, big};"
_IN_CODE = "static volatile function_t chosen;"


@pytest.mark.parametrize(
    ("declared", "call"),
    [(_TABLE, "table[blockIdx.z & 1]"), (_IN_CODE, "(chosen = blockIdx.z ? big : small, chosen)")],
    ids=["table", "code"],
)
@pytest.mark.parametrize("optimise", ["0", "2"])
def test_a_call_through_a_pointer_may_reach_what_is_pointed_at(
    declared: str, call: str, optimise: str, tmp_path: Path
) -> None:
    compile_kernel([source(tmp_path, _POINTER % (900, declared, call))], cache_dir=tmp_path / "cache", opt=optimise)
    with pytest.raises(ImageError, match=r"a lane has 8192: k \(\d+ bytes\) → big\(.*\) \(\d+ bytes\);"):
        compile_kernel(
            [source(tmp_path, _POINTER % (1200, declared, call))], cache_dir=tmp_path / "cache", opt=optimise
        )
