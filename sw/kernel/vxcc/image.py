"""Checks of a linked image that no linker makes: the dispatch window and the absence of compressed code."""

from __future__ import annotations

import io
import struct

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section, SymbolTableSection

from config import EntryGeneration
from sw.kernel.vxcc.errors import ImageError

_EF_RISCV_RVC = 1
_CSRR_S11_CTA_ENTRY = 0xCE10_2DF3
_CSRR_A0_MSCRATCH = 0x3400_2573
_JALR_RA_S11 = 0x000D_80E7
_WSYNC = 0x0000_700B
_TMC_ZERO = 0x0000_000B
_ANY_JAL_RA = -1  # stands for `jal ra, kernel_main`, whose distance differs

_WINDOWS = {
    EntryGeneration.CTA_ENTRY: [_CSRR_S11_CTA_ENTRY, _CSRR_A0_MSCRATCH, _JALR_RA_S11, _WSYNC, _TMC_ZERO],
    EntryGeneration.S11: [_CSRR_A0_MSCRATCH, _JALR_RA_S11, _WSYNC, _TMC_ZERO],
    EntryGeneration.DIRECT: [_CSRR_A0_MSCRATCH, _ANY_JAL_RA, _TMC_ZERO],
}


def check_image(elf_content: bytes, entry: EntryGeneration | None) -> None:
    """Raise ImageError if the image would not run: see the module's text and docs/reference/vortex.md §5.7.

    `entry` is None for a legacy image, which has no dispatch window.
    """
    elf = ELFFile(io.BytesIO(elf_content))
    if elf["e_flags"] & _EF_RISCV_RVC:
        raise ImageError("the image contains compressed instructions, which change the size of the dispatch window")
    symbols = symbol_values(elf)
    init = elf.get_section_by_name(".init")
    if init is None:
        raise ImageError("the image has no section .init, so it has no prologue")
    if symbols["_start"] != elf["e_entry"] or symbols["_start"] != init["sh_addr"]:
        raise ImageError(f"the entry point {elf['e_entry']:#x} is not the start of the image {init['sh_addr']:#x}")
    if entry is not None:
        _check_window(init, symbols, entry)


def _check_window(init: Section, symbols: dict[str, int], entry: EntryGeneration) -> None:
    start = symbols["__vx_window"]
    code = init.data()[start - init["sh_addr"] : symbols["__vx_window_end"] - init["sh_addr"]]
    words = [word for (word,) in struct.iter_unpack("<I", code)]
    expected = _WINDOWS[entry]
    fits = len(words) == len(expected) and all(
        word & 0xFFF == 0x0EF if wanted == _ANY_JAL_RA else word == wanted
        for word, wanted in zip(words, expected, strict=True)
    )
    if not fits:
        shown = " ".join(f"{word:08x}" for word in words)
        raise ImageError(f"the dispatch window at {start:#x} is not that of generation {entry.value}: {shown}")


def symbol_values(elf: ELFFile) -> dict[str, int]:
    """Values of all defined symbols by name."""
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        raise ImageError("the image has no symbol table")
    return {item.name: int(item["st_value"]) for item in table.iter_symbols() if item["st_shndx"] != "SHN_UNDEF"}
