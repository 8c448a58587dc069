"""A linked image opened for inspection: symbols, words, sections."""

from __future__ import annotations

import io
import struct
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from config import EntryGeneration, HardwareConfig
from sw.kernel.vxbin import Vxbin, load
from sw.kernel.vxcc import compile_kernel
from sw.kernel.vxcc.driver import DEFAULT_CACHE

KERNELS = Path(__file__).parents[1] / "kernels"
MULTIKERNEL = KERNELS / "multikernel" / "kernel.cpp"


@dataclass(frozen=True)
class Built:
    """A module with the ELF file that it came from."""

    module: Vxbin
    elf: ELFFile
    symbols: dict[str, int]

    def word(self, address: int) -> int:
        """The instruction word at an address, read from the `.vxbin`."""
        at = address - self.module.min_vma
        (value,) = struct.unpack("<I", self.module.image[at : at + 4])
        return int(value)

    def words(self, symbol: str, count: int) -> list[int]:
        return [self.word(self.symbols[symbol] + 4 * index) for index in range(count)]

    def section(self, name: str) -> tuple[int, int]:
        """(address, size) of a section."""
        found = self.elf.get_section_by_name(name)
        assert found is not None, f"no section {name}"
        return int(found["sh_addr"]), int(found["sh_size"])


def build_image(
    *sources: Path,
    entry: EntryGeneration = EntryGeneration.CTA_ENTRY,
    hardware: HardwareConfig | None = None,
    kernel: str | None = None,
    opt: str = "3",
) -> Built:
    """Compile (or find in the cache) and open. Sources outside the project have a cache that pytest removes."""
    inside = sources[0].is_relative_to(KERNELS)
    cache = DEFAULT_CACHE if inside else sources[0].parent.parent / "vxcc-cache"
    done = compile_kernel(sources, None, hardware, entry, opt, kernel=kernel, cache_dir=cache)
    elf = ELFFile(io.BytesIO(done.elf.read_bytes()))
    table = elf.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    xlen = 32 if hardware is None else hardware.xlen
    return Built(load(done.vxbin, xlen), elf, {item.name: int(item["st_value"]) for item in table.iter_symbols()})


def source(folder: Path, text: str, name: str = "kernel.cpp") -> Path:
    """Write a kernel source that includes vx_spawn2.h."""
    path = folder / name
    path.write_text(f"#include <vx_spawn2.h>\n{text}\n")
    return path
