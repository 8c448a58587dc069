"""Function and source line of a code address, and what the kernel allows, from the ELF file of an image.

A `.vxbin` carries neither symbols nor line numbers (docs/reference/vortex.md §7), so both come from the linked ELF.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, field
from pathlib import Path

from elftools.common.exceptions import DWARFError, ELFError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

ALLOWANCE_PREFIX = "__vx_allow."


class SourceError(ValueError):
    """An ELF file that cannot be used; one sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an address lies; None where it is not known."""

    function: str | None = None
    offset: int = 0  # bytes from the start of the function
    file: str | None = None  # as the compiler was told, without folders
    line: int = 0

    def __str__(self) -> str:
        symbol = "" if self.function is None else f"<{self.function}+{self.offset:#x}>"
        return f"{self.file}:{self.line} {symbol}".rstrip() if self.file is not None else symbol


@dataclass(slots=True)
class SourceMap:
    """Names of one image. An empty one knows nothing and is no error."""

    functions: list[tuple[int, int, str]] = field(default_factory=list)  # start, end (0: unknown), name
    lines: list[tuple[int, str, int]] = field(default_factory=list)  # start, file ("" behind a sequence), line
    marks: list[tuple[int, str]] = field(default_factory=list)  # address and kind of each VX_ALLOW

    @classmethod
    def from_elf(cls, path: Path) -> SourceMap:
        """Symbols and DWARF lines of an ELF file. Raises SourceError if it cannot be read as one."""
        try:
            with path.open("rb") as file:
                elf = ELFFile(file)
                functions, marks = _symbols(elf)
                return cls(functions, _lines(elf), marks)
        except OSError as error:
            raise SourceError(f"{path} cannot be read: {error.strerror}") from None
        except (ELFError, DWARFError, ValueError, KeyError, IndexError, AssertionError) as error:
            raise SourceError(f"{path} is no ELF file with readable symbols and lines: {error}") from None

    def locate(self, address: int) -> Place:
        """Function and line of an address."""
        function, offset = self._function(address)
        at = bisect.bisect_right(self.lines, (address, "\U0010ffff", 0)) - 1
        if at < 0 or not self.lines[at][1]:
            return Place(function, offset)
        return Place(function, offset, self.lines[at][1], self.lines[at][2])

    def _function(self, address: int) -> tuple[str | None, int]:
        at = bisect.bisect_right(self.functions, (address, 1 << 64, "")) - 1
        if at < 0:
            return None, 0
        start, end, name = self.functions[at]
        return (name, address - start) if end == 0 or address < end else (None, 0)


def find_elf(image: Path) -> Path | None:
    """The ELF file beside an image: the same name with `.elf`, or without a suffix."""
    candidates = (image.with_suffix(".elf"), image.with_suffix(""))
    return next((path for path in candidates if path.is_file() and _is_elf(path)), None)


def _is_elf(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _symbols(elf: ELFFile) -> tuple[list[tuple[int, int, str]], list[tuple[int, str]]]:
    functions, marks = [], []
    for section in elf.iter_sections():
        if not isinstance(section, SymbolTableSection):
            continue
        for symbol in section.iter_symbols():
            name, start, size = str(symbol.name), int(symbol["st_value"]), int(symbol["st_size"])
            if name.startswith(ALLOWANCE_PREFIX):
                marks.append((start, name.removeprefix(ALLOWANCE_PREFIX).split(".")[0].replace("_", "-")))
            elif symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_shndx"] != "SHN_UNDEF":
                functions.append((start, start + size if size else 0, name))
    return sorted(functions), sorted(marks)


def _lines(elf: ELFFile) -> list[tuple[int, str, int]]:
    if not elf.has_dwarf_info():
        return []
    found: list[tuple[int, str, int]] = []
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
            if state.end_sequence:
                found.append((int(state.address), "", 0))  # what follows belongs to no line
                continue
            index = state.file - first
            name = files[index].name.decode(errors="replace") if 0 <= index < len(files) else "?"
            found.append((int(state.address), name.rsplit("/", 1)[-1], int(state.line)))
    # A sequence may begin where another ends: the later entry of an address counts, and an end never hides a line.
    return sorted(found, key=lambda row: (row[0], row[1] != ""))
