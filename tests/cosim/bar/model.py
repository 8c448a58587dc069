"""Builds `vx_pcie_gpu` with the host's driver in C++ into one library, and gives its functions to Python."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import re
import subprocess
from collections.abc import Mapping
from ctypes import POINTER, c_char_p, c_int, c_uint32, c_uint64, c_void_p
from dataclasses import dataclass, field
from pathlib import Path

from config import HardwareConfig
from golden_model.device.sequences import layout
from hw.tb.build.toolchain import Toolchain

HERE = Path(__file__).parent
REPO = HERE.parents[2]
RTL = REPO / "hw" / "rtl"
DRIVER = tuple(HERE / name for name in ("driver.cpp", "device.h", "memory.h"))
BUILDS = REPO / "build" / "bar-tests"
AT_ONCE = 1 << 14  # choices and messages that one call hands out; the longest transfer of a sequence has 257 pieces


class Event(ctypes.Structure):
    """One cycle of `device_event`."""

    _fields_ = (("cycle", c_uint64), ("bits", c_uint32), ("pad", c_uint32))


class Message(ctypes.Structure):
    """One MSI-X message."""

    _fields_ = (("cycle", c_uint64), ("addr", c_uint64), ("vector", c_uint32), ("data", c_uint32))


_SIGNATURES: Mapping[str, tuple[object, tuple[object, ...]]] = {
    "vx_new": (c_void_p, (c_uint64, c_char_p)),
    "vx_delete": (None, (c_void_p,)),
    "vx_cycle": (c_uint64, (c_void_p,)),
    "vx_device_cycles": (c_uint64, (c_void_p,)),
    "vx_busy": (c_int, (c_void_p,)),
    "vx_set_function": (None, (c_void_p, c_int, c_int)),
    "vx_set_latency": (None, (c_void_p, c_int)),
    "vx_host_open": (None, (c_void_p, c_int)),
    "vx_host_budget": (None, (c_void_p, c_uint64)),
    "vx_host_fails": (None, (c_void_p, c_uint64, c_uint64)),
    "vx_memory_fails": (None, (c_void_p, c_uint64, c_uint64)),
    "vx_sink_ready": (None, (c_void_p, c_int)),
    "vx_shown_vector": (c_int, (c_void_p,)),
    "vx_response": (c_uint32, (c_void_p,)),
    "vx_run_until_still": (c_int, (c_void_p, c_int)),
    "vx_host_read": (None, (c_void_p, c_uint64, c_char_p, c_uint64)),
    "vx_host_write": (None, (c_void_p, c_uint64, c_char_p, c_uint64)),
    "vx_peek": (None, (c_void_p, c_int, c_uint64, c_char_p, c_uint64)),
    "vx_run": (None, (c_void_p, c_int)),
    "vx_run_until_idle": (c_int, (c_void_p, c_int, c_int)),
    "vx_ctl_write": (c_int, (c_void_p, c_uint32, c_uint32, c_uint32)),
    "vx_ctl_read": (c_int, (c_void_p, c_uint32, c_uint32, POINTER(c_uint32))),
    "vx_vram_write": (c_int, (c_void_p, c_uint32, c_char_p, c_uint32, c_uint32)),
    "vx_vram_read": (c_int, (c_void_p, c_uint32, c_char_p, c_uint32, c_uint32)),
    "vx_piece_is_read": (c_int, (c_void_p,)),
    "vx_access_cycle": (c_uint64, (c_void_p,)),
    "vx_settle": (c_uint64, (c_void_p, POINTER(Event), POINTER(Message), c_int)),
}


@dataclass(frozen=True)
class Variant:
    """What one library is made of.

    Attributes:
        rtl: root of the sources; a copy with changes in it is how tests are seen failing.
        strict: STRICT_MAP, bus errors instead of private memory.
        core_faults: CORE_FAULTS; without it the fault ports of the cores are not looked at.
        optimize: level of the C++ compiler; models that only run for a moment are built faster with less.
    """

    rtl: Path = RTL
    hardware: HardwareConfig = field(default_factory=HardwareConfig)
    strict: bool = False
    core_faults: bool = True
    optimize: int = 2

    def parameters(self) -> list[str]:
        """Options for Verilator."""
        values = {"VRAM_SIZE": f"64'h{layout.VRAM_SIZE:x}", "STRICT_MAP": f"1'b{self.strict:d}"}
        values["CORE_FAULTS"] = f"1'b{self.core_faults:d}"
        return [f"-G{name}={value}" for name, value in values.items()]

    def sources(self) -> list[Path]:
        """Everything, packages first."""
        packages = sorted(self.rtl.rglob("*_pkg.sv"), key=lambda path: (path.name != "vx_pkg.sv", path))
        return [*packages, *sorted(path for path in self.rtl.rglob("*.sv") if path not in packages)]


@dataclass(frozen=True)
class Library:
    """A loaded library: its functions (driver.cpp) and what it is made of."""

    functions: ctypes.CDLL
    variant: Variant


def build(variant: Variant | None = None) -> Library:
    """The library of a device that command sequences are written for; built once per contents of its sources.

    Raises AssertionError with the tool's output if it cannot be built.
    """
    variant = variant or Variant()
    tools = Toolchain.find()
    text = f"{tools.versions()} {variant.hardware.key()} {variant.parameters()} -O{variant.optimize}"
    digest = hashlib.sha256(text.encode())
    for path in (*variant.sources(), *sorted(variant.rtl.rglob("*.svh")), Path(__file__)):
        digest.update(path.name.encode() + path.read_bytes())
    folder = BUILDS / digest.hexdigest()[:16]
    driver = hashlib.sha256(b"".join(path.read_bytes() for path in DRIVER)).hexdigest()[:8]
    library = folder / f"libbar-{driver}.so"
    BUILDS.mkdir(parents=True, exist_ok=True)
    with (BUILDS / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").is_file():
            folder.mkdir(exist_ok=True)
            _build_model(tools, variant, folder)
            (folder / "complete").touch()
        if not library.is_file():
            _build_driver(tools, variant, folder, library)
    loaded = ctypes.CDLL(str(library))
    for name, (result, arguments) in _SIGNATURES.items():
        function = getattr(loaded, name)
        function.restype, function.argtypes = result, arguments
    return Library(loaded, variant)


def _build_model(tools: Toolchain, variant: Variant, folder: Path) -> None:
    verilate = [
        *(str(tools.verilator), "--cc", "--assert", "-Wno-fatal", "-O3", "--x-assign", "fast", "--x-initial", "unique"),
        *("--no-timing", "--prefix", "Vtop", "--top-module", "vx_pcie_gpu", "-Mdir", str(folder), f"-I{variant.rtl}"),
        *(*variant.parameters(), "-CFLAGS", "-fPIC"),
        *(f"-D{name}={value}" for name, value in sorted(variant.hardware.verilog_defines().items())),
        *(str(path) for path in variant.sources()),
    ]
    _execute(verilate, tools)
    cache = [f"OBJCACHE={tools.ccache}"] if tools.ccache else []
    level = f"-O{variant.optimize}"
    flags = [*cache, f"OPT_FAST={level}", f"OPT_GLOBAL={level}", "CFG_CXXFLAGS_PCH_I=-include"]
    _execute([tools.make, "-C", str(folder), "-f", "Vtop.mk", "-j2", *flags, "libVtop.a", "libverilated.a"], tools)


def _build_driver(tools: Toolchain, variant: Variant, folder: Path, library: Path) -> None:
    include = tools.verilator_root / "include"
    if not include.is_dir():
        include = tools.verilator_root / "share" / "verilator" / "include"
    temporary = folder / "libbar.tmp"
    includes = [f"-I{path}" for path in (folder, include, include / "vltstd")]
    link = [
        *(tools.cxx, "-shared", "-fPIC", "-O2", "-std=c++20", f"-DVX_BANKS={variant.hardware.axi_num_banks}"),
        *(*includes, str(HERE / "driver.cpp"), "-o", str(temporary)),
        *("-Wl,--whole-archive", str(folder / "libVtop.a"), "-Wl,--no-whole-archive", str(folder / "libverilated.a")),
        *("-pthread", "-latomic"),
    ]
    _execute(link, tools)
    temporary.rename(library)


def _execute(command: list[str], tools: Toolchain) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())
    if result.returncode != 0:
        output = re.sub(r"%Warning.*\n", "", result.stdout + result.stderr)[-4000:]
        raise AssertionError(f"vx_pcie_gpu could not be built: {' '.join(command[:2])} …\n{output}")
