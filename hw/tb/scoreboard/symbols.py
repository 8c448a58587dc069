"""Function and source line of a code address, from the ELF file of an image; read only when a report needs it."""

from __future__ import annotations

import bisect
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from golden_model.follow.explain import SourceLocation


class ElfSymbols:
    """Symbols of one ELF file. A file that cannot be read has none: a report must not fail for the lack of names."""

    def __init__(self, path: Path) -> None:
        self._functions: list[tuple[int, str]] = []
        self._lines: list[tuple[int, str]] = []
        try:
            with path.open("rb") as file:
                elf = ELFFile(file)
                self._functions = _functions(elf)
                self._lines = _lines(elf)
        except (OSError, ELFError):
            return

    def locate(self, address: int) -> SourceLocation:
        """Symbol with offset and `file:line`; None where unknown."""
        at = bisect.bisect_right(self._functions, (address, "\U0010ffff")) - 1
        symbol = None
        if at >= 0:
            start, name = self._functions[at]
            symbol = name if start == address else f"{name}+{address - start:#x}"
        at = bisect.bisect_right(self._lines, (address, "\U0010ffff")) - 1
        return SourceLocation(symbol, self._lines[at][1] if at >= 0 and self._lines[at][1] else None)


def _functions(elf: ELFFile) -> list[tuple[int, str]]:
    found = []
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            found += [
                (int(symbol["st_value"]), str(symbol.name))
                for symbol in section.iter_symbols()
                if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF"
            ]
    return sorted(found)


def _lines(elf: ELFFile) -> list[tuple[int, str]]:
    if not elf.has_dwarf_info():
        return []
    found: list[tuple[int, str]] = []
    dwarf = elf.get_dwarf_info()
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        files = program["file_entry"]
        first = 0 if program["version"] >= 5 else 1
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            index = state.file - first
            name = files[index].name.decode(errors="replace") if 0 <= index < len(files) else "?"
            # The end of a sequence belongs to no line.
            found.append((int(state.address), "" if state.end_sequence else f"{name}:{state.line}"))
    return sorted(found)
