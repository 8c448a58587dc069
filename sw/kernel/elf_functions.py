"""Function symbols of an ELF file, and the symbols that it needs.

RISC-V object files carry a local label for each address difference that the linker may relax, thousands in a file of
twenty functions, and the table is read several times in a build. An object per label is what takes the time, so the
table is walked as raw entries and only functions are made into something.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

_ENTRY_32 = struct.Struct("<IIIBBH")  # name, value, size, info, other, section
_ENTRY_64 = struct.Struct("<IBBHQQ")  # name, info, other, section, value, size
_FUNCTION_TYPE = 2  # STT_FUNC
_FIRST_RESERVED_SECTION = 0xFF00  # SHN_LORESERVE: absolute and common symbols


@dataclass(frozen=True)
class FunctionSymbol:
    """A function that the file defines.

    Attributes:
        name: linker name.
        section: index of its section.
        value: address; in an object file the offset in the section. Bytes.
        size: bytes.
        local: whether other files cannot see it.
    """

    name: str
    section: int
    value: int
    size: int
    local: bool


def function_symbols(elf: ELFFile) -> Iterator[FunctionSymbol]:
    """Functions of the symbol table, in its order; none if the file has no table."""
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return
    names: bytes = table.stringtable.data()
    for name, info, section, value, size in _entries(table.data(), elf.elfclass):
        if info & 0xF == _FUNCTION_TYPE and 0 < section < _FIRST_RESERVED_SECTION:
            text = names[name : names.index(b"\0", name)].decode()
            yield FunctionSymbol(text, section, value, size, local=info >> 4 == 0)


def undefined_symbols(elf: ELFFile) -> set[str]:
    """Names that the file uses and does not define."""
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return set()
    names: bytes = table.stringtable.data()
    unknown = [name for name, _, section, _, _ in _entries(table.data(), elf.elfclass) if section == 0 and name]
    return {names[name : names.index(b"\0", name)].decode() for name in unknown}


def _entries(table: bytes, elf_class: int) -> Iterator[tuple[int, int, int, int, int]]:
    if elf_class == 32:
        for name, value, size, info, _, section in _ENTRY_32.iter_unpack(table):
            yield name, info, section, value, size
    else:
        for name, info, _, section, value, size in _ENTRY_64.iter_unpack(table):
            yield name, info, section, value, size
