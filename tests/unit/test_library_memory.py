"""Memory functions with other addresses, sizes and overlaps in every lane; atomics; 64-bit division without Zicond."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from config import HardwareConfig
from golden_model import Machine
from sw.kernel.vxcc import CompileError, compile_kernel
from tests.unit.vxcc_image import source

_ROOM = 128  # bytes of one thread


@pytest.mark.parametrize("zicond", [True, False], ids=["zicond", "plain"])
def test_copies_of_every_alignment(zicond: bool, tmp_path: Path) -> None:
    text = """#include <string.h>
struct args_t { uint32_t which; uint64_t plan; uint64_t data; };
__kernel void k(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t *plan = (const uint32_t *)(uintptr_t)args->plan + 3 * i;
  char *room = (char *)(uintptr_t)args->data + 128 * i;
  uint32_t to = plan[0], from = plan[1], size = plan[2];
  switch (args->which) {
  case 0: memmove(room + to, room + from, size); break;
  case 1: memcpy(room + 64 + to, room + from, size); break;
  case 2: memset(room + to, (int)(from + 200), size); break;
  case 3: room[127] = (char)(memcmp(room + to, room + from, size) < 0); room[126] = (char)strlen(room + to); break;
  }
}
"""
    hardware = HardwareConfig(ext_zicond=zicond)
    image = compile_kernel([source(tmp_path, text)], None, hardware, cache_dir=tmp_path / "cache")
    random = np.random.default_rng(6)
    threads = 256
    plan = random.integers(0, 28, (threads, 3), dtype=np.uint32)
    plan[:, 2] += random.integers(0, 9, threads, dtype=np.uint32)
    for which in range(4):
        data = random.integers(0 if which < 3 else 1, 3 if which == 3 else 256, (threads, _ROOM), dtype=np.uint8)
        data[:, 125] = 0
        found = data.copy()
        program = Machine(hardware, tier="fast").load(image.vxbin)
        assert program.launch("k", threads // 16, 16, [np.uint32(which), plan, found]).findings == ()
        for row, (to, start, size) in zip(data, plan.tolist(), strict=True):
            part = row[start : start + size].copy()
            if which == 0:
                row[to : to + size] = part
            elif which == 1:
                row[64 + to : 64 + to + size] = part
            elif which == 2:
                row[to : to + size] = (start + 200) & 255
            else:
                row[127] = row[to : to + size].tobytes() < part.tobytes()
                row[126] = row[to:].tobytes().index(0)
        assert (found == data).all(), which


def test_atomics_of_all_lanes_count(tmp_path: Path) -> None:
    text = """#include <vx_atomic.h>
struct args_t { uint64_t out; };
__kernel void k(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t *out = (uint32_t *)(uintptr_t)args->out;
  vx_atomic_add(&out[0], i);
  vx_atomic_max((int32_t *)&out[1], (int32_t)i - 70);
  vx_atomic_minu(&out[2], 1000 - i);
  vx_atomic_or(&out[3], 1u << (i & 31));
  __atomic_fetch_sub(&out[4], 2, __ATOMIC_SEQ_CST);
  uint32_t seen;
  do { seen = *(volatile uint32_t *)&out[5]; } while (vx_atomic_cas(&out[5], seen, seen + 3) != seen);
  vx_atomic_fadd((float *)&out[6], 0.5f);
  out[8 + i] = vx_atomic_swap(&out[7], i);
}
"""
    hardware = HardwareConfig(ext_f=True, ext_a=True, ext_simt_full=True)
    image = compile_kernel([source(tmp_path, text)], None, hardware, cache_dir=tmp_path / "cache")
    out = np.zeros(72, np.uint32)
    out[1], out[2], out[7] = 2**32 - 100, 5000, 64
    assert Machine(hardware, tier="fast").load(image.vxbin).launch("k", 4, 16, [out]).findings == ()
    assert out[:6].tolist() == [2016, 2**32 - 7, 937, 2**32 - 1, 2**32 - 128, 192]
    assert out[6:7].view(np.float32)[0] == 32.0
    assert sorted([*out[7:].tolist()]) == list(range(65)), "a chain of swaps hands on every value once"


def test_atomics_without_the_extension_say_so(tmp_path: Path) -> None:
    text = "#include <vx_atomic.h>\n__kernel void k(uint32_t *p) { vx_atomic_add(p, 1); }"
    with pytest.raises(CompileError, match="atomics need the A extension: ext_a of the hardware configuration"):
        compile_kernel([source(tmp_path, text)], hardware=HardwareConfig(ext_a=False), cache_dir=tmp_path / "cache")
