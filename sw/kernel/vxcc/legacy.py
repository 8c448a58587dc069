"""Legacy images: the program is `main()`, and software starts the warps (docs/reference/vortex.md §6.4)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection


def defines_main(objects: Iterable[Path]) -> bool:
    """Whether one of the object files has a function `main`."""
    return any(_defines(path, "main") for path in objects)


def _defines(path: Path, name: str) -> bool:
    with path.open("rb") as handle:
        table = ELFFile(handle).get_section_by_name(".symtab")
        found = table.get_symbol_by_name(name) if isinstance(table, SymbolTableSection) else None
        return any(symbol["st_info"]["type"] == "STT_FUNC" for symbol in found or ())
