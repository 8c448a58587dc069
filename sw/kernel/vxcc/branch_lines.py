"""Source lines of the branches of an object file, for people whose build was refused for one of them."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from sw.kernel.elf_functions import function_symbols
from sw.kernel.vxcc.toolchain import run_tool

# Line numbers of an object file are still full of relocations, which the linker alone knows how to apply. Nothing
# moves, nothing is dropped, and what is missing stays missing.
_LINK = ("-static", "--no-relax", "--no-gc-sections", "--unresolved-symbols=ignore-all", "--entry=0", "--no-warnings")


@dataclass(frozen=True, order=True)
class SourceLine:
    """A file, without its folders, and a line in it."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def branch_lines(lld: Path, target: Path, function: str, offsets: Sequence[int]) -> Counter[SourceLine]:
    """How many of the instructions at `offsets` bytes into a function are of which line; unknown lines are left out."""
    with tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image.elf"
        if run_tool(lld, [*_LINK, str(target), "-o", str(image)]).status != 0:
            return Counter()
        with image.open("rb") as handle:
            elf = ELFFile(handle)
            starts = [symbol.value for symbol in function_symbols(elf) if symbol.name == function]
            if len(starts) != 1:
                return Counter()
            table = _line_table(elf)
    found = (_line_at(table, starts[0] + offset) for offset in offsets)
    return Counter(line for line in found if line is not None)


def _line_table(elf: ELFFile) -> list[tuple[int, int, SourceLine]]:
    """Address ranges with their line; 0 stands for an instruction of no line."""
    ranges: list[tuple[int, int, SourceLine]] = []
    if not elf.has_dwarf_info():
        return ranges
    dwarf = elf.get_dwarf_info()
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        before = None
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            if before is not None and not before.end_sequence:
                name = program["file_entry"][before.file - 1].name.decode("utf-8", errors="replace")
                ranges.append((before.address, state.address, SourceLine(Path(name).name, before.line)))
            before = state
    return ranges


def _line_at(table: Sequence[tuple[int, int, SourceLine]], address: int) -> SourceLine | None:
    return next((line for start, end, line in table if start <= address < end and line.line > 0), None)
