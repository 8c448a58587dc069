"""Flags of compiler and linker, from the hardware configuration and the entry generation.

Why each is there: docs/reference/vortex.md §6.6. No compressed code: the dispatch window has a fixed size. No jump
tables and no loop idioms: a table jump and a call of memset are control flow that no divergence pass can see through.
No tail duplication and no selects turned into branches: the back end must make no branch after the pass has run, which
the check of the object file (sw/kernel/divergence/check.py) holds it to.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from config import EntryGeneration, HardwareConfig
from sw.kernel.vxcc.errors import SourceError

KERNEL_ROOT = Path(__file__).resolve().parent.parent
REPO_ROOT = KERNEL_ROOT.parent.parent
INCLUDE_DIR = KERNEL_ROOT / "include"
SOURCE_DIR = KERNEL_ROOT / "src"
LIBRARY_DIR = KERNEL_ROOT / "lib"
SCRIPT_DIR = KERNEL_ROOT / "scripts"

# All but the first keep the back end from making or copying branches after the divergence pass has run.
_LLVM_OPTIONS = (
    "-disable-loop-idiom-all",
    "-tail-dup-placement=false",
    "-disable-tail-duplicate",
    "-disable-early-taildup",
    "-disable-cgp-select2branch",
    "-jump-is-expensive",
)

OPTIMISATION_LEVELS = ("0", "1", "2", "3", "s")

_ENTRY_DEFINE = {
    EntryGeneration.CTA_ENTRY: "VX_ENTRY_CTA_ENTRY",
    EntryGeneration.S11: "VX_ENTRY_S11",
    EntryGeneration.DIRECT: "VX_ENTRY_DIRECT",
}


def march(hardware: HardwareConfig) -> str:
    """`-march` value: exactly the extensions of the hardware, never compressed code."""
    single = "i"
    single += "m" if hardware.ext_m else ""
    single += "a" if hardware.ext_a else ""
    single += "f" if hardware.ext_f else ""
    single += "d" if hardware.ext_f and hardware.flen == 64 else ""
    suffix = "_zicsr_zifencei" + ("_zicond" if hardware.ext_zicond else "")
    return f"rv{hardware.xlen}{single}{suffix}"


def mabi(hardware: HardwareConfig) -> str:
    """`-mabi` value: floats travel in the widest floating-point registers there are."""
    base = "ilp32" if hardware.xlen == 32 else "lp64"
    if not hardware.ext_f:
        return base
    return base + ("d" if hardware.flen == 64 else "f")


def machine_flags(hardware: HardwareConfig) -> list[str]:
    """Flags for every file, assembly too, that know of the extensions but not of the shape of the hardware."""
    return [
        f"--target=riscv{hardware.xlen}-unknown-elf",
        f"-march={march(hardware)}",
        f"-mabi={mabi(hardware)}",
        "-mcmodel=medany",
        "-nostdlibinc",
        "-fno-color-diagnostics",
        "-g",
        "-gdwarf-4",
        f"-ffile-prefix-map={REPO_ROOT}=.",
        "-fdebug-compilation-dir=.",
        f"-I{INCLUDE_DIR}",
        "-DNDEBUG",
        "-D__VORTEX__",
    ]


def common_flags(hardware: HardwareConfig, entry: EntryGeneration, defines: Mapping[str, str]) -> list[str]:
    """Flags for every file of an image, assembly too."""
    flags = [*machine_flags(hardware), f"-D{_ENTRY_DEFINE[entry]}"]
    flags += [f"-D{name}={value}" for name, value in hardware.compiler_defines().items()]
    flags += [f"-D{name}={value}" for name, value in defines.items()]
    return flags


def language_flags(opt: str) -> list[str]:
    """Further flags for C and C++. Raises SourceError for an unknown optimisation level."""
    if opt not in OPTIMISATION_LEVELS:
        raise SourceError(f"-O{opt}: the optimisation level must be one of {', '.join(OPTIMISATION_LEVELS)}")
    return [
        f"-O{opt}",
        "-fstack-usage",
        "-Wall",
        "-Wextra",
        "-fno-exceptions",
        "-fno-asynchronous-unwind-tables",
        "-ffunction-sections",
        "-fdata-sections",
        "-fno-pic",
        "-ftls-model=local-exec",
        "-fno-jump-tables",
        "-fno-math-errno",
        *(word for option in _LLVM_OPTIONS for word in ("-mllvm", option)),
    ]


def cxx_flags() -> list[str]:
    """Further flags for C++ alone."""
    return ["-std=c++17", "-fno-rtti", "-fno-threadsafe-statics"]


def c_flags() -> list[str]:
    """Further flags for C alone."""
    return ["-std=c11"]


def library_flags(hardware: HardwareConfig) -> list[str]:
    """All flags for a C file of the library.

    The level is fixed, so that loops don't become slow when a kernel is compiled for debugging. Nothing is contracted,
    because the same sources are held against exact results on the host; and no function is taken for a known one,
    because these are the known ones.
    """
    return [
        *machine_flags(hardware),
        *language_flags("2"),
        *c_flags(),
        "-ffp-contract=off",
        "-fno-builtin",
        f"-I{LIBRARY_DIR}",
    ]


def own_files(*patterns: str) -> list[Path]:
    """Files of sw/kernel, for build keys, in a fixed order."""
    return [path for pattern in patterns for path in sorted(KERNEL_ROOT.glob(pattern)) if path.is_file()]


def link_script(hardware: HardwareConfig) -> Path:
    """The link script for this XLEN. Raises SourceError if there is none."""
    script = SCRIPT_DIR / f"link{hardware.xlen}.ld"
    if not script.is_file():
        raise SourceError(f"XLEN={hardware.xlen}: there is no link script {script.name}, so no image can be linked")
    return script


def link_flags(hardware: HardwareConfig) -> list[str]:
    """Flags of the linker, before objects."""
    return [
        "-static",
        "--gc-sections",
        "--discard-locals",
        "--build-id=none",
        "--orphan-handling=error",
        "--fatal-warnings",
        "--color-diagnostics=never",
        "-z",
        "max-page-size=4096",
        f"--defsym=STARTUP_ADDR={hardware.startup_addr:#x}",
        f"-L{SCRIPT_DIR}",
        "-T",
        str(link_script(hardware)),
    ]
