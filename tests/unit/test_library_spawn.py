"""Legacy images: start-up, the spread of work over warps and cores, serial calls, the exit code."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from config import HardwareConfig
from golden_model import Machine
from sw.kernel.vxcc import SourceError, compile_kernel
from tests.unit.vxcc_image import source

_TEXT = """#include <vx_spawn.h>
struct args_t { uint32_t dimension; uint32_t grid[3]; uint32_t block[3]; uint32_t pad; uint64_t out; uint64_t order; };
struct constructed { int value; constructed() : value(vx_warp_id() * 1000 + 77) {} };
static constructed once;
static void body(const args_t *__UNIFORM__ args) {
  uint32_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  uint32_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  uint32_t *out = (uint32_t *)(uintptr_t)args->out + block * blockDim.x * blockDim.y * blockDim.z + thread;
  if (thread & 1) *out += 1000000 + block; else *out += 1 + block;
  if (args->block[0] * args->block[1] * args->block[2] > 1) __syncthreads();
  *out += once.value;
}
int main() {
  const args_t *args = (const args_t *)csr_read(VX_CSR_MSCRATCH);
  return 40 + vx_spawn_threads(args->dimension, args->grid, args->block, (vx_kernel_func_cb)body, args);
}
"""
_SHAPES = [
    (1, (10, 9, 9), (1, 9, 9)),  # axes beyond the dimension count as 1
    (1, (50, 1, 1), (1, 1, 1)),
    (1, (3, 1, 1), (1, 1, 1)),
    (2, (7, 5, 1), (1, 1, 1)),
    (1, (9, 1, 1), (16, 1, 1)),
    (1, (20, 1, 1), (3, 1, 1)),
    (1, (7, 1, 1), (5, 1, 1)),
    (3, (3, 2, 2), (2, 3, 2)),
]


def _hardware(cores: int, lanes: int = 4) -> HardwareConfig:
    return HardwareConfig(ext_f=True, ext_a=True, ext_simt_full=True, num_cores=cores, num_threads=lanes)


@pytest.mark.parametrize("cores", [1, 2])
def test_every_thread_of_every_block_runs_once(cores: int, tmp_path: Path) -> None:
    hardware = _hardware(cores)
    image = compile_kernel([source_of(tmp_path, _TEXT)], None, hardware, cache_dir=tmp_path / "cache")
    assert image.kernels == {"main": hardware.startup_addr}
    for dimension, grid, block in _SHAPES:
        blocks, threads = int(np.prod(grid[:dimension])), int(np.prod(block[:dimension]))
        out = np.zeros(blocks * threads + 16, np.uint32)
        words = [np.uint32(value) for value in (dimension, *grid, *block, 0)]
        machine = Machine(hardware, tier="fast")
        result = machine.load(image.vxbin).launch("main", args=[*words, out, np.uint64(0)])
        assert result.findings == ()
        thread, of = np.arange(blocks * threads) % threads, np.arange(blocks * threads) // threads
        expected = np.where(thread & 1, 1_000_000, 1) + of + 77
        assert out.tolist() == [*expected, *[0] * 16], (dimension, grid, block)


def test_a_block_that_does_not_fit_is_refused_by_the_library(tmp_path: Path) -> None:
    text = """#include <vx_spawn.h>
static void body(void *) {}
int main() {
  uint32_t grid = 1, block = 17;
  uint32_t *out = *(uint32_t **)csr_read(VX_CSR_MSCRATCH);
  out[0] = (uint32_t)vx_spawn_threads(1, &grid, &block, body, 0);
  block = 16;
  out[1] = (uint32_t)vx_spawn_threads(1, &grid, &block, body, 0);
  return 0;
}
"""
    hardware, out = _hardware(1), np.full(2, 9, np.uint32)
    image = compile_kernel([source_of(tmp_path, text)], None, hardware, cache_dir=tmp_path / "cache")
    assert Machine(hardware, tier="fast").load(image.vxbin).launch("main", args=[out]).findings == ()
    assert out.tolist() == [0xFFFFFFFF, 0]


def test_serial_calls_lanes_in_order_and_alone(tmp_path: Path) -> None:
    text = """#include <vx_serial.h>
struct args_t { uint64_t out; };
struct job_t { uint32_t *out; uint32_t value; };
static void one(void *argument) {
  const job_t *job = (const job_t *)argument;
  uint32_t at = job->out[0];
  job->out[++at] = job->value << 8 | vx_active_threads();
  job->out[0] = at;
}
__kernel void k(const args_t *args) {
  job_t job = {(uint32_t *)(uintptr_t)args->out, threadIdx.x};
  if (threadIdx.x != 2) vx_serial(one, &job);
}
"""
    hardware, out = _hardware(1, 8), np.zeros(9, np.uint32)
    image = compile_kernel([source(tmp_path, text)], None, hardware, cache_dir=tmp_path / "cache")
    assert Machine(hardware, tier="fast").load(image.vxbin).launch("k", 1, 8, [out]).findings == ()
    assert out.tolist() == [7, *(lane << 8 | 1 << lane for lane in range(8) if lane != 2), 0]


def test_neither_kernel_nor_main_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"no function is marked __kernel, and there is no main\(\)"):
        compile_kernel([source_of(tmp_path, "int f() { return 1; }")], cache_dir=tmp_path / "cache")


def source_of(folder: Path, text: str) -> Path:
    """A source that includes what it says and nothing else."""
    path = folder / "legacy.cpp"
    path.write_text(text)
    return path
