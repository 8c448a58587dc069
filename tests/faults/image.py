"""Places in images, and images that were altered."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from golden_model.isa.table import identify
from sw.kernel.vxbin import encode, load
from tests.faults.fault import AlteredFooter, Place
from tests.regression.images import Images

_SEARCHED = 1000  # instructions behind the symbol


class NoSuchPlaceError(LookupError):
    """The image does not hold the place that a fault names."""


def address_of(images: Images, place: Place) -> int:
    """Address of the instruction.

    Raises:
        NoSuchPlaceError: no such symbol, or not so many instructions of that mnemonic behind it.
    """
    path = images.kernels[0].path
    module = load(path)
    start = symbol_address(path, place.symbol)
    left = place.index
    for address in range(start, min(start + 4 * _SEARCHED, module.min_vma + len(module.image)), 4):
        offset = address - module.min_vma
        instruction = identify(int.from_bytes(module.image[offset : offset + 4], "little"))
        if instruction is not None and instruction.name == place.mnemonic:
            if left == 0:
                return address
            left -= 1
    raise NoSuchPlaceError(f"{path}: fewer than {place.index + 1} {place.mnemonic} behind {place.symbol}")


def symbol_address(path: Path, name: str) -> int:
    """Value of a symbol of the ELF file beside a `.vxbin`. Raises NoSuchPlaceError if it has none of that name."""
    with path.with_suffix(".elf").open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if isinstance(section, SymbolTableSection):
                for symbol in section.get_symbol_by_name(name) or ():
                    return int(symbol["st_value"])
    raise NoSuchPlaceError(f"{path.with_suffix('.elf')}: no symbol {name}")


def alter_footer(images: Images, change: AlteredFooter, folder: Path) -> Images:
    """A copy of a shared image, in `folder`, whose footer names another address for one kernel.

    The footer is written as asked, valid or not.
    """
    original = images.kernels[0].path
    module = load(original)
    base = 0 if change.symbol is None else symbol_address(original, change.symbol)
    entries = [
        replace(entry, pc=base + change.offset) if entry.name == change.kernel else entry for entry in module.entries
    ]
    if list(module.entries) == entries:
        raise NoSuchPlaceError(f"{original} names no kernel {change.kernel}, or names that address already")
    folder.mkdir(parents=True, exist_ok=True)
    copy = folder / original.name
    copy.write_bytes(encode(module.min_vma, module.max_vma, module.image, entries))
    shutil.copyfile(original.with_suffix(".elf"), copy.with_suffix(".elf"))
    return images.relocated(copy)
