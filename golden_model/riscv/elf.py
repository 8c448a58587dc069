"""Reading a linked RISC-V ELF: what goes where, and the address of `tohost`."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from elftools.common.exceptions import ELFError, ELFParseError
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

START = 0x8000_0000
_RISCV = "EM_RISCV"


class ElfError(ValueError):
    """An ELF that cannot be run; one sentence."""


@dataclass(frozen=True)
class Segment:
    """A loaded range, in the shape that `Machine.load_image` wants."""

    min_vma: int
    max_vma: int  # end of the zero-filled part
    image: bytes
    kernels: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Program:
    """A program that starts at 0x80000000."""

    name: str
    xlen: int
    segments: tuple[Segment, ...]
    tohost: int | None  # address of the symbol, if the program has it


def load(path: Path) -> Program:
    """Read an ELF. Raises ElfError with the file and what is wrong with it."""
    try:
        with path.open("rb") as file:
            elf = ELFFile(file)
            if elf["e_machine"] != _RISCV:
                raise ElfError(f"{path} is an ELF for {elf['e_machine']}, not for RISC-V")
            segments = tuple(_segments(elf, path))
            program = Program(path.name, elf.elfclass, segments, _symbol(elf, "tohost"))
    except OSError as error:
        raise ElfError(f"{path} cannot be read: {error.strerror or error}") from None
    except (ELFError, ELFParseError, AssertionError, UnicodeDecodeError, ValueError, KeyError) as error:
        if isinstance(error, ElfError):
            raise
        raise ElfError(f"{path} is no ELF that can be read: {error}") from None
    if not any(s.min_vma <= START < s.min_vma + len(s.image) for s in program.segments):
        where = ", ".join(f"{s.min_vma:#x} … {s.max_vma:#x}" for s in program.segments) or "nothing"
        raise ElfError(f"{path}: execution starts at {START:#x}, where nothing is loaded (loaded: {where})")
    return program


def _segments(elf: ELFFile, path: Path) -> list[Segment]:
    found = []
    for part in elf.iter_segments():
        if part["p_type"] != "PT_LOAD" or not part["p_memsz"]:
            continue
        start, size = int(part["p_vaddr"]), int(part["p_memsz"])
        if start + size > 1 << elf.elfclass or size > 1 << 28 or part["p_filesz"] > size:
            raise ElfError(f"{path}: the segment at {start:#x} with {size:#x} bytes does not fit into memory")
        image = part.data()
        if len(image) != part["p_filesz"]:
            raise ElfError(f"{path} is cut off: the segment at {start:#x} has {len(image)} of {part['p_filesz']} bytes")
        found.append(Segment(start, start + size, image))
    return found


def _symbol(elf: ELFFile, name: str) -> int | None:
    for section in elf.iter_sections():
        if isinstance(section, SymbolTableSection):
            for symbol in section.get_symbol_by_name(name) or []:
                if symbol["st_shndx"] != "SHN_UNDEF":
                    return int(symbol["st_value"])
    return None
