"""Legacy images: the program is `main()`, and software starts the warps (docs/reference/vortex.md §6.4)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from elftools.elf.elffile import ELFFile

from sw.kernel.elf_functions import function_symbols


def defines_main(objects: Iterable[Path]) -> bool:
    """Whether one of the object files has a function `main`."""
    for path in objects:
        with path.open("rb") as handle:
            if any(symbol.name == "main" for symbol in function_symbols(ELFFile(handle))):
                return True
    return False
