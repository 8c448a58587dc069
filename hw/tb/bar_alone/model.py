"""Builds the stand-alone model of the BAR device: `vx_pcie_gpu` with small cores, driven by cocotb.

Kept under build/models by the contents of everything that goes in, like the models of the full testbench.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import subprocess
from pathlib import Path

import cocotb_tools.config

from config import HardwareConfig
from golden_model.device import DeviceConfig
from golden_model.device.sequences import layout
from hw.tb.build.model import MODELS, BuildError, Model
from hw.tb.build.spec import RTL
from hw.tb.build.toolchain import Toolchain

HERE = Path(__file__).parent
TOP = "vx_bar_bench"
EXECUTABLE = "sim_cocotb"  # where `Model.executable` looks
# Small cores: every path of the device, the least to simulate.
HARDWARE = HardwareConfig(num_warps=2, num_threads=2)
VRAM_SIZE = layout.VRAM_SIZE  # ends inside the window, so that accesses past its end exist
_OUTPUT = 4000


def build_bar_model(hardware: HardwareConfig = HARDWARE, rtl: Path = RTL) -> Model:
    """The model for `hardware`, built if nobody has yet; parallel callers wait for the one that builds.

    Args:
        rtl: root of the design's sources; a copy with a change in it is how a test is seen failing.

    Raises:
        BuildError: a step failed; nothing half-built stays.
        ToolError: a tool is missing.
    """
    tools = Toolchain.find()
    sources = _sources(rtl)
    digest = hashlib.sha256(f"{tools.versions()} {hardware.key()}".encode())
    for path in (*sources, *sorted(rtl.rglob("*.svh")), Path(__file__)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    key = f"bar-{hardware.label()}-{digest.hexdigest()[:20]}"
    folder = MODELS / key
    MODELS.mkdir(parents=True, exist_ok=True)
    with (MODELS / f"{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / EXECUTABLE).is_file():
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
            try:
                _build(tools, hardware, rtl, sources, folder)
            except BuildError:
                shutil.rmtree(folder, ignore_errors=True)
                raise
    return Model(key, folder)


def _sources(rtl: Path) -> list[Path]:
    packages = sorted(rtl.rglob("*_pkg.sv"), key=lambda path: (path.name != "vx_pkg.sv", path))
    modules = sorted(path for path in rtl.rglob("*.sv") if path not in packages)
    return [HERE / "public.vlt", *packages, *modules, HERE / f"{TOP}.sv"]


def _build(tools: Toolchain, hardware: HardwareConfig, rtl: Path, sources: list[Path], folder: Path) -> None:
    libs = cocotb_tools.config.libs_dir
    work = folder / "verilog"
    verilate = [
        *(str(tools.verilator), "--cc", "--exe", "--vpi", "--assert", "-Wno-fatal", "-O3", "--timescale", "1ns/1ns"),
        *("--output-split", "60000"),  # small files: two compilers share them, and a cache finds more
        *("--x-assign", "unique", "--x-initial", "unique", "--prefix", "Vtop", "--top-module", TOP),
        *("-Mdir", str(work), "-o", str(folder / EXECUTABLE), f"-I{rtl}"),
        *("-LDFLAGS", f"-Wl,-rpath,{libs} -L{libs} -lcocotbvpi_verilator"),
        f"-GVRAM_SIZE=64'h{VRAM_SIZE:x}",
        *(f"-D{name}={value}" for name, value in sorted(hardware.verilog_defines().items())),
        str(cocotb_tools.config.share_dir / "lib" / "verilator" / "verilator.cpp"),
        *(str(path) for path in sources),
    ]
    _run("Verilator", verilate, tools)
    flags = ["OPT_FAST=-O1", "OPT_GLOBAL=-O1", "CFG_CXXFLAGS_PCH_I=-include"]
    _run("the C++ compiler", [tools.make, "-C", str(work), "-f", "Vtop.mk", "-j2", *flags], tools)
    for path in work.iterdir():  # what is left is for reading
        if path.suffix in {".o", ".a", ".gch", ".d"}:
            path.unlink()


def _run(what: str, command: list[str], tools: Toolchain) -> None:
    result = subprocess.run(command, capture_output=True, text=True, check=False, env=tools.environment())
    if result.returncode != 0:
        lines = [line for line in (result.stdout + result.stderr).splitlines() if not line.startswith("%Warning")]
        tail = "\n".join(lines)[-_OUTPUT:]
        raise BuildError(f"{what} failed on the BAR device alone with exit code {result.returncode}:\n{tail}")


def device_config(hardware: HardwareConfig = HARDWARE) -> DeviceConfig:
    """The device of the model."""
    return DeviceConfig(hardware, vram_size=VRAM_SIZE)
