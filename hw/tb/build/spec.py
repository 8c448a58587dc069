"""What a model is made of: sources, configuration and options, and the key that names the result."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from config import HardwareConfig
from golden_model.records import layout
from hw.tb.agents.axi import policy
from hw.tb.build.external import CoreSources
from hw.tb.top import abi

REPO = Path(__file__).resolve().parents[3]
TB = REPO / "hw" / "tb"
RTL = REPO / "hw" / "rtl"

CPP_SOURCES = (
    TB / "agents" / "axi" / "responder.cpp",
    TB / "probes" / "probe.cpp",
    TB / "top" / "capi.cpp",
    TB / "top" / "core_monitor.cpp",
    TB / "top" / "device_side.cpp",
    TB / "top" / "force.cpp",
    TB / "top" / "harness.cpp",
    TB / "top" / "host_side.cpp",
    TB / "top" / "mailbox.cpp",
    TB / "top" / "waves.cpp",
)
# Delays mean nothing, because C++ owns the clock; a module of the device that a core declares too is no mere warning.
FOREIGN_OPTIONS = ("--no-timing", "-Werror-MODDUP")
# Functions that foreign cores expect of their surroundings; linked with these only.
FOREIGN_SYMBOLS = TB / "top" / "foreign_symbols.cpp"
MAINS = {"cocotb": TB / "top" / "main_cocotb.cpp", "bare": TB / "top" / "main_bare.cpp"}
# What a foreign core needs of the in-tree sources: the BAR device and its cells.
_BESIDE_A_CORE = ("pcie", "lib")
CPP_INCLUDES = (TB / "top", TB / "agents" / "axi", TB / "probes")


class ModelKind(Enum):
    """`FAST` has neither waves nor forceable signals; `DEBUG` has both and is several times slower."""

    FAST = "fast"
    DEBUG = "debug"


@dataclass(frozen=True)
class ModelSpec:
    """One model to build. Equal specs with equal sources give the same key.

    Attributes:
        rtl: folder of the design's sources. A copy with a patch in it gives another key, so seeded faults need no
            option of their own.
        probes: False leaves the probes out (a core without trace wires, or a measurement of their cost).
        fault_ports: False for a core without the optional `fault_*` outputs.
        device: False leaves the BAR device out. Sources without a folder `pcie` have none, whatever this says.
        quick: compiled with -O1 and without link-time optimisation: built in less time, runs longer. For models that
            run a few small programs once.
        extra_args: more Verilator arguments.
        core: a foreign core instead of the one in `rtl`; the BAR device still comes from `rtl`.
    """

    hardware: HardwareConfig = field(default_factory=HardwareConfig)
    kind: ModelKind = ModelKind.FAST
    probes: bool = True
    fault_ports: bool = True
    device: bool = True
    rtl: Path = RTL
    quick: bool = False
    extra_args: tuple[str, ...] = ()
    core: CoreSources | None = None

    @classmethod
    def of_core(cls, core: CoreSources, hardware: HardwareConfig, *, device: bool) -> ModelSpec:
        """A model of a foreign core; `hardware` has its id width."""
        return cls(hardware, probes=bool(core.bind), fault_ports=core.fault_ports, device=device, core=core)

    @property
    def has_device(self) -> bool:
        """The BAR device is in the model."""
        return self.device and (self.rtl / "pcie").is_dir()

    def rtl_files(self) -> list[Path]:
        """Every SystemVerilog file of the design, packages first and in dependency order, then modules by path.

        Beside a foreign core only what the BAR device and the probes need.
        """
        packages = [self.rtl / name for name in ("vx_pkg.sv", "vx_trace_pkg.sv")]
        if self.core is not None and not self.probes:
            packages = packages[: int(self.has_device)]
        known = set(packages)
        files = sorted(
            path
            for path in self.rtl.rglob("*.sv")
            if path not in known and (self.has_device or path.parent.name != "pcie")
        )
        if self.core is not None:
            theirs = {path.resolve() for path in self.core.verilog}
            needed = {self.rtl / name for name in _BESIDE_A_CORE if self.has_device}
            files = [path for path in files if path.parent in needed and path.name != "vx_pcie_gpu.sv"]
            files = [path for path in files if path.resolve() not in theirs]
            packages = [path for path in packages if path.resolve() not in theirs]
        others = [path for path in files if path.stem.endswith("_pkg")]
        modules = [path for path in files if path not in others]
        return [*(path for path in packages if path.is_file()), *others, *modules]

    def verilog_sources(self) -> list[Path]:
        """Files for the command line of Verilator, in order; modules that the top does not reach are dropped there."""
        sources = [TB / "top" / "public.vlt"]
        if self.core is not None:
            sources += self.core.verilog
        elif self.kind is ModelKind.DEBUG:
            sources.append(TB / "build" / "forceable.vlt")
        sources += [*self.rtl_files(), TB / "top" / "vx_tb_device.sv", TB / "top" / "vx_tb_top.sv"]
        if self.probes:
            sources.append(TB / "probes" / "vx_probe.sv")
            sources += [TB / "probes" / "vx_probe_bind.sv"] if self.core is None else self.core.bind
        return sources

    def verilator_args(self) -> list[str]:
        """Options that shape the generated model; sources and output folder are added by the build."""
        defines = dict(self.hardware.verilog_defines())
        if not self.fault_ports:
            defines["VX_TB_NO_FAULT_PORTS"] = "1"
        if not self.has_device:
            defines["VX_TB_NO_DEVICE"] = "1"
        if self.core is not None:
            defines["VX_TB_DUT"] = self.core.top
        args = [
            "--cc",
            "--vpi",
            "--prefix",
            "Vtop",
            "--top-module",
            "vx_tb_top",
            "--timescale",
            "1ns/1ns",
            "--assert",
            "-O3",
            # Registers without reset hold random values, so that nothing works by the luck of a zero.
            "--x-assign",
            "unique",
            "--x-initial",
            "unique",
            "-Wno-fatal",
            "-CFLAGS",
            "-std=c++20",
            "-CFLAGS",
            "-DVL_USER_STOP",  # our own vl_stop: assertions count, they don't end the process
            "-CFLAGS",
            "-DVL_TIME_CONTEXT",
            *(f"+incdir+{folder}" for folder in self._include_folders()),
            *(f"-D{name}={value}" for name, value in sorted(defines.items())),
        ]
        if self.kind is ModelKind.DEBUG:
            args += ["--trace-fst", "--trace-structs"]
        if self.core is not None:
            args = [*args[:1], *self.core.verilator_args(), *FOREIGN_OPTIONS, *args[1:]]
        return [*args, *self.extra_args]

    def _include_folders(self) -> list[Path]:
        # Last our own: the harness itself needs vx_config.svh, whoever wrote the core.
        return [
            *sorted({self.rtl, *(path.parent for path in self.rtl.rglob("*.svh"))}),
            *([] if self.rtl == RTL else [RTL]),
            TB / "top",
        ]

    def generated_headers(self) -> dict[str, str]:
        """C++ headers of this model: file name -> text."""
        hardware = self.hardware
        memory_size = 1 << min(hardware.axi_addr_width, 40)
        shape = (
            "// Generated from the hardware configuration; do not edit.\n"
            "#pragma once\n#include <cstdint>\nnamespace vx {\n"
            f"constexpr uint32_t kXlen = {hardware.xlen};\n"
            f"constexpr uint32_t kNumCores = {hardware.total_cores};\n"
            f"constexpr uint32_t kNumWarps = {hardware.num_warps};\n"
            f"constexpr uint32_t kNumBanks = {hardware.axi_num_banks};\n"
            f"constexpr uint64_t kMemorySize = {memory_size:#x}ull;\n"  # of the cores; VRAM lies behind it
            f"constexpr uint32_t kAddressWidth = {hardware.axi_addr_width};\n"
            f"constexpr bool kHasDevice = {str(self.has_device).lower()};\n"
            "}  // namespace vx\n"
        )
        return {
            "records.h": layout.cpp_header(hardware.num_threads),
            "abi.h": abi.cpp_header(),
            "policy.h": policy.cpp_header(),
            "shape.h": shape,
        }

    def key(self, versions: str) -> str:
        """Name of the result: hash over contents of all sources, configuration, options and tool versions."""
        digest = hashlib.sha256()

        def add(text: str) -> None:
            digest.update(text.encode())
            digest.update(b"\0")

        add(versions)
        add(self.hardware.key())
        if self.quick:
            add("quick")
        if self.core is not None:
            add(self.core.text())
        add(f"{self.kind.value} probes={self.probes} faults={self.fault_ports} {' '.join(self.extra_args)}")
        files = [
            *self.verilog_sources(),
            *sorted(self.rtl.rglob("*.svh")),
            *CPP_SOURCES,
            *MAINS.values(),
            RTL / "vx_config.svh",
        ]
        files += sorted(header for folder in CPP_INCLUDES for header in folder.glob("*.h"))
        files += sorted((TB / "top").glob("*.svh"))
        files.append(TB / "build" / "model.py")
        if self.core is not None:
            files += [FOREIGN_SYMBOLS, *self.core.content_files()]
        for path in files:
            add(self._relative(path))
            digest.update(path.read_bytes())
        for name, text in sorted(self.generated_headers().items()):
            add(name)
            add(text)
        name = f"{self.core.top}-" if self.core is not None else ""
        return f"{name}{self.hardware.label()}-{self.kind.value}-{digest.hexdigest()[:20]}"

    def _relative(self, path: Path) -> str:
        """Path without the part that differs between two checkouts."""
        for base in (self.rtl, RTL, REPO):
            if path.is_relative_to(base):
                return str(path.relative_to(base))
        return path.name
