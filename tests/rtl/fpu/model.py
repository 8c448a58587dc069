"""Builds `fpu_bench` with the C++ loop into one library, and gives its functions to Python."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import importlib.util
import re
import subprocess
from ctypes import POINTER, c_char_p, c_int, c_int32, c_size_t, c_uint32, c_uint64
from pathlib import Path

from hw.tb.build.toolchain import Toolchain

HERE = Path(__file__).parent
REPO = HERE.parents[2]
FPU = REPO / "hw" / "rtl" / "fpu"
BUILDS = REPO / "build" / "fpu-tests"
CAMPAIGN_LANES, TEST_LANES = 8, 3  # many make vectors cheap, few make the build cheap
_SOURCES = ("driver.cpp", "operands.cpp", "oracle.cpp")
_FIRST = 8


class Job(ctypes.Structure):
    """What one run does: `op` and `mode` of -1 mean any; `gap` and `stall` are of 256."""

    _fields_ = (
        ("op", c_int32),
        ("mode", c_int32),
        ("vectors", c_uint64),
        ("seed", c_uint64),
        ("gap", c_uint32),
        ("stall", c_uint32),
    )


class Difference(ctypes.Structure):
    """One vector whose result or flags are wrong."""

    op: int
    mode: int
    a: int
    expected: int
    found: int
    b: int
    c: int
    expected_flags: int
    found_flags: int
    _fields_ = (
        ("op", c_int32),
        ("mode", c_int32),
        ("a", c_uint64),
        ("expected", c_uint64),
        ("found", c_uint64),
        ("b", c_uint32),
        ("c", c_uint32),
        ("expected_flags", c_uint32),
        ("found_flags", c_uint32),
    )


class Outcome(ctypes.Structure):
    """What came of a run; see driver.cpp."""

    vectors: int
    differences: int
    cycles: int
    waited: int
    disorder: int
    violations: int
    hung: int
    flags_seen: int
    first: ctypes.Array[Difference]
    _fields_ = (
        ("vectors", c_uint64),
        ("differences", c_uint64),
        ("cycles", c_uint64),
        ("waited", c_uint64),
        ("disorder", c_uint32),
        ("violations", c_uint32),
        ("hung", c_uint32),
        ("flags_seen", c_uint32),
        ("first", Difference * _FIRST),
    )

    @property
    def clean(self) -> bool:
        return not (self.differences or self.disorder or self.violations or self.hung)


def oracle_path() -> Path:
    """Shared object with SoftFloat's C functions, of the pinned package `softfloatpy`."""
    spec = importlib.util.find_spec("softfloatpy._core")
    assert spec is not None and spec.origin is not None, "the package softfloatpy is not installed; run `make setup`"
    return Path(spec.origin)


def build(rtl: Path = FPU, int_width: int = 32, lanes: int = TEST_LANES) -> ctypes.CDLL:
    """The library, its oracle loaded; built once per contents of its sources.

    SoftFloat's shared object is an extension module, so its symbols of Python must be there: the loop runs inside this
    process.

    Args:
        rtl: folder of the unit; a copy with a change in it is how a test is seen failing.
        int_width: bits of an integer register.
        lanes: at least 3.

    Raises AssertionError with the tool's output if it cannot be built.
    """
    tools = Toolchain.find()
    verilog = [rtl / "vx_fpu_pkg.sv", *sorted(rtl.glob("*.sv")), HERE / "fpu_bench.sv"]
    verilog = list(dict.fromkeys(verilog))
    digest = hashlib.sha256(f"{tools.versions()} {lanes} {int_width}".encode())
    for path in (*verilog, *sorted(HERE.glob("*.cpp")), *sorted(HERE.glob("*.h")), Path(__file__)):
        digest.update(path.name.encode() + path.read_bytes())
    folder = BUILDS / digest.hexdigest()[:16]
    library = folder / "libfpu.so"
    BUILDS.mkdir(parents=True, exist_ok=True)
    with (BUILDS / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not library.is_file():
            folder.mkdir(exist_ok=True)
            _build(tools, verilog, int_width, lanes, folder, library)
    loaded = ctypes.CDLL(str(library))
    loaded.fpu_oracle.argtypes = (c_char_p, c_char_p, c_size_t)
    loaded.fpu_oracle.restype = None
    loaded.fpu_run.argtypes = (POINTER(Job), POINTER(Outcome))
    loaded.fpu_run.restype = None
    loaded.fpu_expected.argtypes = (
        *(c_int, c_int, c_uint64, c_uint32, c_uint32),
        *(POINTER(c_uint64), POINTER(c_uint32)),
    )
    loaded.fpu_expected.restype = None
    message = ctypes.create_string_buffer(500)
    loaded.fpu_oracle(str(oracle_path()).encode(), message, len(message))
    assert not message.value, f"{oracle_path()} is no oracle: {message.value.decode()}"
    return loaded


def run(library: ctypes.CDLL, job: Job) -> Outcome:
    outcome = Outcome()
    library.fpu_run(ctypes.byref(job), ctypes.byref(outcome))
    return outcome


def _build(tools: Toolchain, verilog: list[Path], int_width: int, lanes: int, folder: Path, library: Path) -> None:
    verilate = [
        *(str(tools.verilator), "--cc", "--assert", "-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "unique"),
        *("--no-timing", "--output-split", "0", "--prefix", "Vtop", "--top-module", "fpu_bench", "-Mdir", str(folder)),
        *(f"-GLANES={lanes}", f"-GINT_WIDTH={int_width}", "-CFLAGS", "-fPIC -DVL_USER_STOP"),
        *(str(path) for path in verilog),
    ]
    _execute(verilate, tools)
    cache = [f"OBJCACHE={tools.ccache}"] if tools.ccache else []
    flags = [*cache, f"OPT_FAST={'-O1' if lanes == TEST_LANES else '-O3'}", "OPT_GLOBAL=-O1", "VM_PARALLEL_BUILDS=0"]
    _execute([tools.make, "-C", str(folder), "-f", "Vtop.mk", "-j2", *flags, "libVtop.a", "libverilated.a"], tools)
    include = tools.verilator_root / "include"
    temporary = folder / "libfpu.tmp"
    link = [
        *(tools.cxx, "-shared", "-fPIC", "-O2", "-std=c++20", f"-DFPU_LANES={lanes}", f"-DFPU_INT_WIDTH={int_width}"),
        *("-DVL_USER_STOP", f"-I{folder}", f"-I{HERE}", *(f"-isystem{path}" for path in (include, include / "vltstd"))),
        *(str(HERE / name) for name in _SOURCES),
        *("-o", str(temporary), str(folder / "libVtop.a"), str(folder / "libverilated.a"), "-pthread", "-ldl"),
    ]
    _execute(link, tools)
    temporary.rename(library)


def _execute(command: list[str], tools: Toolchain) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())
    if result.returncode != 0:
        output = re.sub(r"%Warning.*\n", "", result.stdout + result.stderr)[-4000:]
        raise AssertionError(f"fpu_bench could not be built: {' '.join(command[:2])} …\n{output}")
