"""Names of code addresses in the images of a run, both ways."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from golden_model.diagnosis.sources import SourceError, SourceMap

_PLACE = re.compile(r"(?P<name>[A-Za-z_.$][\w.$]*)(?:\+(?P<offset>0[xX][0-9a-fA-F]+|\d+))?$")


class Names:
    """Symbols of some ELF files. Files that cannot be read are left out: a picture must not fail for lack of names."""

    def __init__(self, elves: Iterable[Path] = ()) -> None:
        self._maps: list[SourceMap] = []
        for path in elves:
            try:
                self._maps.append(SourceMap.from_elf(path))
            except SourceError:
                continue

    def symbol(self, address: int) -> str:
        """`function+0x10`; the bare address where no function is known."""
        for known in self._maps:
            place = known.locate(address)
            if place.function is not None:
                return f"{place.function}+{place.offset:#x}" if place.offset else place.function
        return f"{address:#010x}"

    def line(self, address: int) -> str:
        """`file:line`, empty where unknown."""
        for known in self._maps:
            place = known.locate(address)
            if place.file is not None:
                return f"{place.file}:{place.line}"
        return ""

    def address(self, place: str | int) -> int:
        """Address of `0x80000040`, `sgemm` or `sgemm+0x40`.

        Raises:
            ValueError: no such symbol, or no such spelling.
        """
        if isinstance(place, int):
            return place
        if place[:1].isdigit():
            try:
                return int(place, 0)
            except ValueError:
                raise ValueError(f"pc {place!r}: write an address, a symbol, or symbol+offset") from None
        match = _PLACE.match(place)
        if match is None:
            raise ValueError(f"pc {place!r}: write an address, a symbol, or symbol+offset")
        starts = {name: start for known in self._maps for start, _, name in known.functions}
        if match["name"] not in starts:
            known_names = ", ".join(sorted(starts)[:20]) or "none: the run folder holds no ELF file"
            raise ValueError(f"pc {place!r}: there is no symbol {match['name']!r}; known: {known_names}")
        return starts[match["name"]] + int(match["offset"] or "0", 0)
