"""Which functions are kernels, and how each entry generation exports them (docs/reference/vortex.md §6.2, §6.3).

`__kernel` of vx_spawn2.h puts a function in a section of its own kind; the object file tells the rest. The exported
symbol `__vx_kentry_<name>` is

    cta_entry   an alias of the function, made by the linker
    s11         a stub in `.vx_entry` that loads s11 and jumps to the prologue
    direct      absent: the one kernel of the image is called `kernel_main`
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elftools.elf.elffile import ELFFile

from config import EntryGeneration
from sw.kernel.elf_functions import function_symbols
from sw.kernel.vxcc.errors import SourceError

KERNEL_SECTION = ".text.vx_kernel"
DIRECT_NAME = "kernel_main"


def find_kernels(objects: Sequence[Path]) -> list[str]:
    """Names of the kernels that these object files define, in file order and then by address. Raises SourceError."""
    names: list[str] = []
    for path in objects:
        with path.open("rb") as handle:
            for name in _kernels_of(ELFFile(handle)):
                if name in names:
                    raise SourceError(f"kernel {name} is defined in two source files; one image needs distinct names")
                names.append(name)
    return names


def _kernels_of(elf: ELFFile) -> list[str]:
    found = [
        (symbol.section, symbol.value, symbol.name)
        for symbol in function_symbols(elf)
        if not symbol.local and elf.get_section(symbol.section).name == KERNEL_SECTION
    ]
    return [name for _, _, name in sorted(found)]


def direct_kernel(kernels: Sequence[str], chosen: str | None) -> str:
    """The kernel of a `direct` image: `chosen`, or the only one, or `kernel_main`. Raises SourceError."""
    if chosen is not None:
        if chosen not in kernels:
            raise SourceError(f"there is no kernel {chosen}; the sources define {', '.join(kernels)}")
        return chosen
    if DIRECT_NAME in kernels:
        return DIRECT_NAME
    if len(kernels) == 1:
        return kernels[0]
    raise SourceError(
        f"an image of generation direct holds one kernel and the sources define {', '.join(kernels)}: "
        "choose one with --kernel"
    )


def export_flags(entry: EntryGeneration, kernels: Sequence[str], chosen: str | None) -> list[str]:
    """Linker flags that export the kernels. Raises SourceError."""
    if entry is EntryGeneration.CTA_ENTRY:
        return [f"--defsym=__vx_kentry_{name}={name}" for name in kernels]
    if entry is EntryGeneration.DIRECT:
        name = direct_kernel(kernels, chosen)
        return [] if name == DIRECT_NAME else [f"--defsym={DIRECT_NAME}={name}"]
    return []


def stub_source(kernels: Sequence[str]) -> str:
    """Assembly of the stubs of generation s11: twelve bytes for each kernel."""
    lines = ["    .option norvc", "    .option norelax"]
    for name in kernels:
        symbol = f"__vx_kentry_{name}"
        lines += [
            f'    .section .vx_entry.{name}, "ax", @progbits',
            "    .p2align 2",
            f"    .globl {symbol}",
            f"    .type {symbol}, @function",
            f"{symbol}:",
            f"    lla s11, {name}",
            "    j __vx_cta_entry",
            f"    .size {symbol}, . - {symbol}",
        ]
    return "\n".join(lines) + "\n"
