"""The kernel library on the host: a sample of what `python -m tests.library` tries in full."""

from __future__ import annotations

import ctypes
import math
from pathlib import Path

import numpy as np
import pytest

from config import HardwareConfig
from sw.kernel.elf_functions import function_symbols
from sw.kernel.vxcc.support import library_index
from tests.library.host import FUNCTIONS, HostLibrary
from tests.unit.vxcc_image import build_image, source

# A prime, so that all exponents and all low bits are met; 2^32 / 65537 inputs.
_STEP = 65537
INF, NAN = math.inf, math.nan
_TINY = 2.0**-149


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> HostLibrary:
    return HostLibrary(tmp_path_factory.mktemp("library"))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_error_of_a_sample(name: str, library: HostLibrary) -> None:
    found = library.accuracy(name, _STEP)
    assert found.inputs >= 65535
    assert found.wrong == 0, f"{name}f({found.first_wrong}) is of the wrong kind"
    assert 0.3 < found.ulp <= 1.5, f"{name}f({found.worst}) errs by {found.ulp} ULP"


@pytest.mark.parametrize(("name", "bound"), [("pow", 1.5), ("atan2", 1.5), ("hypot", 1.5), ("fmod", 0.0)])
def test_error_of_random_pairs(name: str, bound: float, library: HostLibrary) -> None:
    found = library.pair_accuracy(name, 100_000, seed=3)
    assert found.inputs >= 100_000
    assert found.wrong == 0, f"{name}f({found.first_wrong}) is of the wrong kind"
    assert found.ulp <= bound, f"{name}f({found.worst}) errs by {found.ulp} ULP"


def test_double_is_bit_exact(library: HostLibrary) -> None:
    assert library.double_differences(100_000, seed=9) == ""


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("exp", (-INF,), 0.0), ("exp", (89.0,), INF), ("exp", (_TINY,), 1.0), ("log", (0.0,), -INF),
        ("log", (-0.0,), -INF), ("log", (-1.0,), NAN), ("log", (INF,), INF), ("log", (1.0,), 0.0),
        ("sin", (-0.0,), -0.0), ("sin", (INF,), NAN), ("sin", (_TINY,), _TINY), ("cos", (-INF,), NAN),
        ("tanh", (-INF,), -1.0), ("tanh", (-0.0,), -0.0), ("atan2", (-0.0, 1.0), -0.0), ("atan2", (NAN, 1.0), NAN),
        ("hypot", (INF, NAN), INF), ("hypot", (3e38, 4e-38), 3e38), ("hypot", (3.0, 4.0), 5.0),
        ("hypot", (_TINY, 0.0), _TINY), ("fmod", (5.5, -2.0), 1.5), ("fmod", (-5.5, 2.0), -1.5),
        ("fmod", (1.0, 0.0), NAN), ("fmod", (INF, 2.0), NAN), ("fmod", (3.0, INF), 3.0),
        ("fmod", (_TINY * 7, _TINY * 3), _TINY), ("fdim", (3.0, 1.0), 2.0), ("fdim", (1.0, 3.0), 0.0),
    ],
)  # fmt: skip
def test_special_values(name: str, arguments: tuple[float, ...], expected: float, library: HostLibrary) -> None:
    function = getattr(ctypes.CDLL(str(library.floats)), name + "f")
    function.restype = ctypes.c_float
    function.argtypes = [ctypes.c_float] * len(arguments)
    found, wanted = function(*arguments), ctypes.c_float(expected).value
    if math.isnan(wanted):
        assert math.isnan(found)
    else:
        assert (found, math.copysign(1, found)) == (wanted, math.copysign(1, wanted))


def test_scaling_and_parts(library: HostLibrary) -> None:
    """Against double arithmetic, which holds every intermediate result exactly and rounds once."""
    opened = ctypes.CDLL(str(library.floats))
    functions = {name: opened[name] for name in ("ldexpf", "frexpf", "modff")}
    for function in functions.values():
        function.restype = ctypes.c_float
    random = np.random.default_rng(12)
    values = random.integers(0, 0x7F800000, 4000, dtype=np.uint32).view(np.float32) * random.choice([-1, 1], 4000)
    values[:8] = [0.0, -0.0, 1.0, _TINY, 2.0**-126, 1.5, -2.5, 2.0**24]
    for value, exponent in zip(values.tolist(), random.integers(-290, 290, 4000).tolist(), strict=True):
        x = ctypes.c_float(value)
        with np.errstate(over="ignore", under="ignore"):
            assert functions["ldexpf"](x, exponent) == float(np.float32(math.ldexp(value, exponent))), (value, exponent)
        part, power = ctypes.c_float(), ctypes.c_int()
        assert (functions["frexpf"](x, ctypes.byref(power)), power.value) == math.frexp(value)
        assert (functions["modff"](x, ctypes.byref(part)), part.value) == math.modf(value)


def test_the_index_names_every_function_of_the_library(tmp_path: Path) -> None:
    """What `support.py` reads in the sources is what the objects define."""
    calls = sorted(set(library_index()) - {"memcpy", "memmove", "memset", "memcmp", "strlen", "__cxa_atexit"})
    text = "".join(f'extern "C" char {name}_ __asm__("{name}");\n' for name in calls)
    uses = ", ".join(f"&{name}_" for name in calls)
    body = f"{text}__kernel void k(char **p) {{ static char *const all[] = {{{uses}}}; p[0] = all[threadIdx.x]; }}"
    built = build_image(source(tmp_path, body), hardware=HardwareConfig(ext_f=True, ext_a=True, ext_simt_full=True))
    defined = {symbol.name for symbol in function_symbols(built.elf) if not symbol.local}
    assert set(calls) <= defined
