"""Images of 64 bits: linked by link64.ld, with its symbols and alignments."""

from __future__ import annotations

from pathlib import Path

import pytest

from config import HardwareConfig
from tests.unit.vxcc_image import build_image, source

_TEXT = """
#include <math.h>
#include <string.h>
struct args_t { uint64_t a; uint64_t out; };
thread_local volatile uint16_t small = 5;
thread_local volatile long long wide;
struct constructed { uint64_t value; constructed() : value(77 + vx_warp_id()) {} };
volatile constructed once;
char zeroed[3];
__kernel void k(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const double *a = (const double *)args->a;
  double *out = (double *)args->out;
  wide = (long long)once.value * small / (i + 1);
  if (a[i] < 3.0) out[i] = floor(a[i]) / a[i + 1] + (double)wide;
  memset(zeroed, (int)i, 3);
}
"""


@pytest.mark.parametrize("extra", [{}, {"ext_f": True, "flen": 64}], ids=["soft", "double"])
def test_image_of_64_bits(extra: dict[str, int | bool], tmp_path: Path) -> None:
    built = build_image(source(tmp_path, _TEXT), hardware=HardwareConfig(xlen=64, **extra))  # type: ignore[arg-type]
    assert built.elf.elfclass == 64
    symbols = built.symbols
    assert symbols["_start"] == 0x8000_0000 and symbols["k"] == built.module.kernels["k"]
    assert symbols["__tbss_size"] == 8 and symbols["__tbss_offset"] == 8  # .tdata padded to a word of eight bytes
    assert symbols["__tls_block_size"] == 16
    for name in ("__tdata_start", "__tbss_start", "__BSS_END__", "_end"):
        assert symbols[name] % 8 == 0, name
    assert symbols["__init_array_end"] - symbols["__init_array_start"] == 8
