"""ELF -> `.vxbin`, byte for byte by the five rules of docs/reference/vortex.md §7.2."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Symbol, SymbolTableSection

from sw.kernel.vxbin.errors import VxbinBuildError, VxbinFileError
from sw.kernel.vxbin.format import MAX_NAME_BYTES, Entry, encode

KENTRY_PREFIX = "__vx_kentry_"
MAX_IMAGE_BYTES = 1 << 28  # a larger gap between sections is a mistake, not a program
_EM_RISCV = 243


def build(elf_path: str | Path, out_path: str | Path) -> bytes:
    """Convert a file; the output appears complete or not at all. Returns what was written.

    Raises:
        VxbinFileError: a file cannot be read or written.
        VxbinBuildError: the ELF file cannot become a `.vxbin`.
    """
    source, target = Path(elf_path), Path(out_path)
    data = build_from_elf(read_file(source), str(source))
    write_atomically(target, data)
    return data


def read_file(path: Path) -> bytes:
    """Content of a file. Raises VxbinFileError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise VxbinFileError(f"{path} cannot be read: {error.strerror}") from error


def write_atomically(target: Path, data: bytes) -> None:
    """Write a file so that it appears complete or not at all. Raises VxbinFileError."""
    partial: Path | None = None
    try:
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as handle:
            partial = Path(handle.name)
            handle.write(data)
        partial.chmod(0o666 & ~_umask())
        partial.replace(target)
    except OSError as error:
        if partial is not None:
            partial.unlink(missing_ok=True)
        raise VxbinFileError(f"{target} cannot be written: {error.strerror}") from error


def build_from_elf(content: bytes, name: str = "the ELF file") -> bytes:
    """Convert the content of an ELF file; `name` is only for messages. Raises VxbinBuildError."""
    try:
        elf = ELFFile(io.BytesIO(content))
        if elf["e_machine"] not in ("EM_RISCV", _EM_RISCV):
            raise VxbinBuildError(f"{name} is an ELF file for {elf['e_machine']}, not for RISC-V")
        return _convert(elf, name)
    except (ELFError, UnicodeDecodeError, KeyError, ValueError, AttributeError, OverflowError) as error:
        if isinstance(error, VxbinBuildError):
            raise
        raise VxbinBuildError(f"{name} is not a usable ELF file: {error or type(error).__name__}") from error


def _convert(elf: ELFFile, name: str) -> bytes:
    loads = [segment for segment in elf.iter_segments() if segment["p_type"] == "PT_LOAD"]
    if not loads:
        raise VxbinBuildError(f"{name} has no LOAD segment, so there is nothing to load")
    symbols = [symbol for table in _symbol_tables(elf) for symbol in table.iter_symbols()]
    min_vma = min(int(segment["p_vaddr"]) for segment in loads)
    top = max(int(segment["p_vaddr"]) + int(segment["p_memsz"]) for segment in loads)
    edata, end = (_defined(symbols, wanted, name) for wanted in ("_edata", "_end"))
    image = _flat_image(elf, name)
    padded = edata - min_vma
    if padded > MAX_IMAGE_BYTES:
        raise VxbinBuildError(f"_edata {edata:#x} of {name} is {padded:#x} bytes above the image's start {min_vma:#x}")
    image += bytes(max(0, padded - len(image)))
    return encode(min_vma, max(top, end), image, _entries(symbols, name))


def _symbol_tables(elf: ELFFile) -> list[SymbolTableSection]:
    """The symbol tables in the order in which `readelf -s` prints them."""
    tables = [section for section in elf.iter_sections() if isinstance(section, SymbolTableSection)]
    return sorted(tables, key=lambda table: table["sh_type"] != "SHT_DYNSYM")


def _defined(symbols: list[Symbol], wanted: str, name: str) -> int:
    for symbol in symbols:
        if symbol.name == wanted and symbol["st_shndx"] != "SHN_UNDEF":
            return int(symbol["st_value"])
    raise VxbinBuildError(f"{name} defines no symbol {wanted}: link it with sw/kernel/scripts/link32.ld")


def _flat_image(elf: ELFFile, name: str) -> bytes:
    """All bytes with file content, by virtual address, gaps zero; like `objcopy -O binary` where LMA equals VMA."""
    pieces = [
        (int(section["sh_addr"]), section.data())
        for section in elf.iter_sections()
        if section["sh_flags"] & SH_FLAGS.SHF_ALLOC and section["sh_type"] != "SHT_NOBITS" and section["sh_size"] > 0
    ]
    if elf.num_sections() == 0:
        pieces = [(int(part["p_vaddr"]), part.data()) for part in elf.iter_segments() if part["p_type"] == "PT_LOAD"]
    pieces = [(address, data) for address, data in pieces if data]
    if not pieces:
        raise VxbinBuildError(f"{name} has no section with content to load")
    base = min(address for address, _ in pieces)
    size = max(address + len(data) for address, data in pieces) - base
    if size > MAX_IMAGE_BYTES:
        raise VxbinBuildError(
            f"the sections of {name} spread over {size:#x} bytes from {base:#x}, more than an image holds"
        )
    image = bytearray(size)
    for address, data in pieces:
        image[address - base : address - base + len(data)] = data
    return bytes(image)


def _entries(symbols: list[Symbol], name: str) -> list[Entry]:
    """Every `__vx_kentry_<n>` in table order, whatever its kind; `kernel_main` becomes `main`, first name wins."""
    entries: dict[str, Entry] = {}
    for symbol in symbols:
        if not symbol.name.startswith(KENTRY_PREFIX):
            continue
        kernel = symbol.name.removeprefix(KENTRY_PREFIX)
        kernel = "main" if kernel == "kernel_main" else kernel
        if "�" in kernel or len(kernel.encode("utf-8")) > MAX_NAME_BYTES:
            raise VxbinBuildError(
                f"{name}: kernel name {kernel[:40]!r} is not UTF-8 or longer than {MAX_NAME_BYTES} bytes"
            )
        entries.setdefault(kernel, Entry(kernel, int(symbol["st_value"])))
    return list(entries.values())


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
