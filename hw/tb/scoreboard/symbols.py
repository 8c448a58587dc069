"""Function and source line of a code address, from the ELF file of an image; read only when a report needs it."""

from __future__ import annotations

from pathlib import Path

from golden_model.diagnosis.sources import SourceError, SourceMap
from golden_model.follow.explain import SourceLocation


class ElfSymbols:
    """Symbols of one ELF file. A file that cannot be read has none: a report must not fail for the lack of names."""

    def __init__(self, path: Path) -> None:
        try:
            self._sources = SourceMap.from_elf(path)
        except SourceError:
            self._sources = SourceMap()

    def locate(self, address: int) -> SourceLocation:
        """Symbol with offset and `file:line`; None where unknown."""
        place = self._sources.locate(address)
        symbol = place.function if not place.offset else f"{place.function}+{place.offset:#x}"
        return SourceLocation(symbol, f"{place.file}:{place.line}" if place.file is not None else None)
