"""The kernel library on the golden model: bit for bit what the same sources compute on the host."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from config import HardwareConfig
from golden_model import Machine
from sw.kernel.vxcc import compile_kernel
from tests.library.host import FUNCTIONS, PAIR_FUNCTIONS, HostLibrary
from tests.unit.vxcc_image import source

Words = npt.NDArray[np.uint32]

_HARDWARE = HardwareConfig(ext_f=True)
_COUNT = 1536  # of each function: 16 threads a block
_HEAD = """
#include <cmath>
struct args_t { uint32_t which; uint64_t a; uint64_t b; uint64_t out; };
"""
_KERNEL = """
__kernel void k(const args_t *args) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  %s x = ((const %s *)(uintptr_t)args->a)[i], y = ((const %s *)(uintptr_t)args->b)[i];
  %s *out = (%s *)(uintptr_t)args->out + i;
  switch (args->which) {
%s  }
}
"""


def _build(folder: Path, kind: str, bodies: list[str], hardware: HardwareConfig = _HARDWARE) -> Path:
    cases = "".join(f"  case {index}: *out = {body}; break;\n" for index, body in enumerate(bodies))
    text = _HEAD + _KERNEL % (kind, kind, kind, kind, kind, cases)
    return compile_kernel([source(folder, text)], None, hardware, cache_dir=folder / "cache").vxbin


def _run(image: Path, which: int, a: np.ndarray, b: np.ndarray, hardware: HardwareConfig = _HARDWARE) -> np.ndarray:
    out = np.zeros_like(a)
    result = Machine(hardware, tier="fast").load(image).launch("k", len(a) // 16, 16, [np.uint32(which), a, b, out])
    assert result.findings == ()
    return out


def _inputs(seed: int) -> npt.NDArray[np.float32]:
    """All exponents, the special values, and a share near 1."""
    random = np.random.default_rng(seed)
    bits = random.integers(0, 1 << 32, _COUNT, dtype=np.uint32)
    special = [0, 1, 0x7FFFFF, 0x800000, 0x3F800000, 0x3F7FFFFF, 0x42B17218, 0x7F7FFFFF, 0x7F800000, 0x7FC00000]
    bits[: 2 * len(special)] = [*special, *(value | 0x80000000 for value in special)]
    bits[_COUNT // 2 :] = random.uniform(-20, 20, _COUNT - _COUNT // 2).astype(np.float32).view(np.uint32)
    return bits.view(np.float32)


def _same(found: np.ndarray, expected: np.ndarray) -> bool:
    """Bit for bit, but a NaN is a NaN: only RISC-V fixes its bits."""
    word = np.uint32 if found.dtype == np.float32 else np.uint64
    return bool(np.all((found.view(word) == expected.view(word)) | (np.isnan(found) & np.isnan(expected))))


def test_float_functions_compute_what_they_compute_on_the_host(tmp_path: Path) -> None:
    library = ctypes.CDLL(str(HostLibrary(tmp_path).floats))
    bodies = [f"{name}f(x)" for name in FUNCTIONS] + [f"{name}f(x, y)" for name in PAIR_FUNCTIONS]
    image = _build(tmp_path, "float", bodies)
    x, y = _inputs(1), _inputs(2)[::-1].copy()
    for index, name in enumerate((*FUNCTIONS, *PAIR_FUNCTIONS)):
        function = library[name + "f"]
        function.restype = ctypes.c_float
        function.argtypes = [ctypes.c_float] * (2 if name in PAIR_FUNCTIONS else 1)
        pairs = zip(x, y, strict=True)
        host = [function(a, b) if name in PAIR_FUNCTIONS else function(a) for a, b in pairs]
        found = _run(image, index, x, y)
        assert _same(found, np.array(host, np.float32)), name


_ROUNDINGS: list[tuple[str, Callable[[np.ndarray], np.ndarray]]] = [
    ("floorf(x)", np.floor),
    ("ceilf(x)", np.ceil),
    ("truncf(x)", np.trunc),
    ("rintf(x)", np.rint),
    ("nearbyintf(x)", np.rint),
    ("roundf(x)", lambda x: np.copysign(np.floor(np.abs(x.astype(np.float64)) + 0.5), x).astype(np.float32)),
    ("sqrtf(x)", np.sqrt),
    ("fabsf(x)", np.abs),
    ("std::exp(0.0f) * floor(x)", np.floor),
]


def test_roundings_that_the_pass_makes_in_place(tmp_path: Path) -> None:
    """Halves, neighbours of whole numbers and of 2^23 among them."""
    halves = np.arange(-384, 384, dtype=np.float32) / 2
    x = np.concatenate([halves, np.nextafter(halves[:384], np.float32(1e9)), _inputs(3)[:384]])
    x[-8:] = [2.0**22 + 0.5, 2.0**23, 2.0**23 - 0.5, -(2.0**23) + 0.5, 0.49999997, -0.49999997, 2.0**31, -0.0]
    image = _build(
        tmp_path,
        "float",
        [body for body, _ in _ROUNDINGS] + ["[](float (*volatile f)(float), float v) { return f(v); }(floorf, x)"],
    )
    with np.errstate(invalid="ignore", over="ignore"):
        for index, (body, expected) in enumerate(_ROUNDINGS):
            assert _same(_run(image, index, x, x), expected(x)), body
        assert _same(_run(image, len(_ROUNDINGS), x, x), np.floor(x)), "a pointer to floorf"


@pytest.mark.parametrize("zicond", [True, False], ids=["zicond", "plain"])
def test_double_in_a_kernel_is_the_host_s(zicond: bool, tmp_path: Path) -> None:
    hardware = HardwareConfig(ext_f=True, ext_zicond=zicond)
    random = np.random.default_rng(4)
    a = random.integers(0, 1 << 64, _COUNT, dtype=np.uint64).view(np.float64)
    a[: _COUNT // 2] = random.uniform(-1e6, 1e6, _COUNT // 2)
    b = np.roll(a, 1)
    bodies = [
        "x + y",
        "x - y",
        "x * y",
        "x / y",
        "sqrt(x)",
        "floor(x)",
        "(double)(float)x",
        "(double)(int32_t)fmin(1e9, fmax(x, -1e9))",
    ]
    bodies += ["x < y ? x : y", "(double)(int64_t)fmin(1e18, fmax(x, -1e18))"]
    image = _build(tmp_path, "double", bodies, hardware)
    with np.errstate(all="ignore"):
        expected = [a + b, a - b, a * b, a / b, np.sqrt(a), np.floor(a), a.astype(np.float32).astype(np.float64)]
        expected += [
            np.trunc(np.fmin(1e9, np.fmax(a, -1e9))),
            np.where(a < b, a, b),
            np.trunc(np.fmin(1e18, np.fmax(a, -1e18))),
        ]
    expected[7] += 0.0  # an integer has no negative zero
    expected[9] += 0.0
    for index, (body, wanted) in enumerate(zip(bodies, expected, strict=True)):
        assert _same(_run(image, index, a, b, hardware), wanted), body
