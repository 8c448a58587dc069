"""The only reader of `.vxbin` files: strict, every rule of docs/reference/vortex.md §7.4 as its own error."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from sw.kernel.vxbin import errors
from sw.kernel.vxbin.format import ENTRY, ENTRY_SIZE, FOOTER_MAGIC, HEADER, HEADER_SIZE, TRAILER_SIZE, Entry

USER_BASE = 0x1_0000
PAGE_TABLE_BASE = 0xF000_0000
_PAGE_TABLE_SIZE = {32: 1 << 23, 64: 1 << 25}
_STACK_BASE = {32: 0xFFFF_0000, 64: 0x1_FFFF_0000}
_STARTUP = {32: 0x8000_0000, 64: 0x1_8000_0000}


@dataclass(frozen=True)
class MemoryLayout:
    """What of the address space an image must leave alone (docs/reference/vortex.md §1.4). Sizes are bytes.

    `stack_base` is also the start of the local memory aperture; None takes the default of `xlen`.
    """

    xlen: int = 32
    harts: int = 16
    stack_base: int | None = None
    stack_log2_size: int = 13
    lmem_log_size: int = 14
    virtual_memory: bool = False
    compressed: bool = False

    @property
    def stack_top(self) -> int:
        return _STACK_BASE[self.xlen] if self.stack_base is None else self.stack_base


@dataclass(frozen=True)
class Vxbin:
    """A module that passed every rule.

    Attributes:
        min_vma: address of the first image byte.
        max_vma: end (exclusive) of the range to reserve; bytes after the image are zero at load.
        image: bytes for addresses min_vma ... min_vma + len(image) - 1.
        kernels: entry address by name, including the `main` that §7.3 adds.
        has_footer: whether the file names its kernels; without a footer the only kernel is `main` at min_vma.
        entries: the kernels exactly as the footer lists them.
        warnings: sentences about what is legal but unusual.
    """

    min_vma: int
    max_vma: int
    image: bytes
    kernels: dict[str, int]
    has_footer: bool
    entries: tuple[Entry, ...] = ()
    warnings: tuple[str, ...] = ()


def load(
    source: str | Path | bytes,
    xlen: int = 32,
    harts: int = 16,
    *,
    layout: MemoryLayout | None = None,
    startup_addr: int | None = None,
) -> Vxbin:
    """Read and validate a file (a path) or its content (bytes).

    Args:
        source: file name or content.
        xlen: 32 or 64; ignored if `layout` is given.
        harts: lanes of the whole processor, whose stacks must stay free; ignored if `layout` is given.
        layout: the complete memory layout.
        startup_addr: agreed start address; another one is only a warning. None takes the default of xlen.

    Raises:
        VxbinFormatError: a subclass per rule, naming file offset and value.
        VxbinFileError: the file cannot be read.
    """
    place = layout or MemoryLayout(xlen=xlen, harts=harts)
    if place.xlen not in _STARTUP:
        raise ValueError(f"xlen={place.xlen}: must be 32 or 64")
    data = source if isinstance(source, bytes) else _read(Path(source))
    if len(data) < HEADER_SIZE:
        raise errors.TruncatedHeaderError(
            f"the file has {len(data)} bytes, its header alone needs {HEADER_SIZE}", offset=0, value=len(data)
        )
    min_vma, max_vma = HEADER.unpack_from(data)
    _check_range(min_vma, max_vma, place)
    has_footer = data.endswith(FOOTER_MAGIC)
    image_size, entries = _read_footer(data) if has_footer else (len(data) - HEADER_SIZE, ())
    _check_image(min_vma, max_vma, image_size)
    _check_pcs(data, min_vma, image_size, entries, place)
    expected = _STARTUP[place.xlen] if startup_addr is None else startup_addr
    warnings = () if min_vma == expected else (f"min_vma {min_vma:#x} is not the agreed start address {expected:#x}",)
    return Vxbin(
        min_vma=min_vma,
        max_vma=max_vma,
        image=data[HEADER_SIZE : HEADER_SIZE + image_size],
        kernels=_symbols(min_vma, has_footer, entries),
        has_footer=has_footer,
        entries=entries,
        warnings=warnings,
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise errors.VxbinFileError(f"{path} cannot be read: {error.strerror}") from error


def _symbols(min_vma: int, has_footer: bool, entries: tuple[Entry, ...]) -> dict[str, int]:
    if not has_footer:
        return {"main": min_vma}
    kernels = {entry.name: entry.pc for entry in entries}
    if len(kernels) == 1 and "main" not in kernels:
        # Upstream maps this alias to min_vma, the prologue, which would then call itself for ever (§7.3).
        kernels["main"] = entries[0].pc
    return kernels


def _check_range(min_vma: int, max_vma: int, place: MemoryLayout) -> None:
    limit = 1 << place.xlen
    if max_vma <= min_vma:
        raise errors.EmptyRangeError(f"max_vma {max_vma:#x} is not above min_vma {min_vma:#x}", offset=8, value=max_vma)
    if max_vma > limit:
        raise errors.RangeOverflowError(
            f"max_vma {max_vma:#x} lies outside the {place.xlen}-bit address space", offset=8, value=max_vma
        )
    if min_vma < USER_BASE:
        raise errors.BelowUserBaseError(
            f"min_vma {min_vma:#x} lies below {USER_BASE:#x}: address 0 and the I/O window are there",
            offset=0,
            value=min_vma,
        )
    top = place.stack_top
    stacks = top - (place.harts << place.stack_log2_size)
    lmem_end = top + (1 << place.lmem_log_size)
    tables_end = PAGE_TABLE_BASE + _PAGE_TABLE_SIZE[place.xlen]
    regions: list[tuple[type[errors.VxbinFormatError], str, int, int]] = [
        (errors.OverlapsStacksError, f"the stacks of {place.harts} harts", stacks, top),
        (errors.OverlapsLmemError, "the local memory aperture", top, lmem_end),
    ]
    if place.virtual_memory:
        regions.append((errors.OverlapsPageTablesError, "the page tables", PAGE_TABLE_BASE, tables_end))
    for kind, what, start, end in regions:
        if min_vma < end and start < max_vma:
            raise kind(
                f"the range {min_vma:#x}..{max_vma:#x} overlaps {what} at {start:#x}..{end:#x}", offset=8, value=max_vma
            )


def _read_footer(data: bytes) -> tuple[int, tuple[Entry, ...]]:
    """Return the size of the image and the entries, in file order."""
    size = len(data)
    if size < HEADER_SIZE + TRAILER_SIZE:
        raise errors.FooterTruncatedError(
            f"the file ends with VXSYMTAB but has only {size} bytes, less than header and footer",
            offset=size - len(FOOTER_MAGIC),
            value=size,
        )
    count_at = size - TRAILER_SIZE
    (count,) = struct.unpack_from("<I", data, count_at)
    available = size - HEADER_SIZE - TRAILER_SIZE
    if count * ENTRY_SIZE > available:
        raise errors.FooterCountError(
            f"the footer announces {count} entries of {ENTRY_SIZE} bytes, but only {available} bytes lie before it",
            offset=count_at,
            value=count,
        )
    table_at = count_at - count * ENTRY_SIZE
    blob_limit = available - count * ENTRY_SIZE
    raw = [ENTRY.unpack_from(data, table_at + index * ENTRY_SIZE) for index in range(count)]
    for index, (name_off, name_len, _, _) in enumerate(raw):
        if name_off + name_len > blob_limit:
            raise errors.NameOutsideBlobError(
                f"the name of entry {index} ends at byte {name_off + name_len} of a name blob of at most {blob_limit}",
                offset=table_at + index * ENTRY_SIZE,
                value=name_off,
            )
    blob_size = max((name_off + name_len for name_off, name_len, _, _ in raw), default=0)
    blob_at = table_at - blob_size
    seen: dict[bytes, int] = {}
    entries: list[Entry] = []
    for index, (name_off, name_len, pad, pc) in enumerate(raw):
        name = data[blob_at + name_off : blob_at + name_off + name_len]
        at = table_at + index * ENTRY_SIZE
        entries.append(Entry(_checked_name(name, index, at, blob_at + name_off, seen), pc))
        if pad != 0:
            raise errors.PadNotZeroError(f"the padding of entry {index} is not zero", offset=at + 6, value=pad)
    return blob_at - HEADER_SIZE, tuple(entries)


def _checked_name(name: bytes, index: int, entry_at: int, name_at: int, seen: dict[bytes, int]) -> str:
    if not name:
        raise errors.EmptyNameError(f"entry {index} has an empty name", offset=entry_at + 4, value=0)
    if b"\0" in name:
        raise errors.NameWithNulError(f"the name of entry {index} contains a NUL", offset=name_at, value=name)
    try:
        text = name.decode("utf-8")
    except UnicodeDecodeError as error:
        raise errors.NameNotUtf8Error(
            f"the name of entry {index} is not UTF-8", offset=name_at + error.start, value=name
        ) from error
    if name in seen:
        raise errors.DuplicateNameError(
            f"entry {index} repeats the name {text!r} of entry {seen[name]}", offset=entry_at, value=name
        )
    seen[name] = index
    return text


def _check_image(min_vma: int, max_vma: int, image_size: int) -> None:
    if image_size == 0:
        raise errors.EmptyImageError("the file holds no image, so there is no code", offset=HEADER_SIZE, value=0)
    if min_vma + image_size > 1 << 64:
        raise errors.RangeOverflowError(
            f"the image of {image_size} bytes at {min_vma:#x} ends outside the address space", offset=0, value=min_vma
        )
    if image_size > max_vma - min_vma:
        raise errors.ImageTooLargeError(
            f"the image has {image_size} bytes, the range {min_vma:#x}..{max_vma:#x} only {max_vma - min_vma}",
            offset=8,
            value=max_vma,
        )


def _check_pcs(data: bytes, min_vma: int, image_size: int, entries: tuple[Entry, ...], place: MemoryLayout) -> None:
    table_at = len(data) - TRAILER_SIZE - len(entries) * ENTRY_SIZE
    end = min_vma + image_size
    alignment = 2 if place.compressed else 4
    for index, entry in enumerate(entries):
        at = table_at + index * ENTRY_SIZE + 8
        if not min_vma <= entry.pc < end:
            raise errors.PcOutsideImageError(
                f"kernel {entry.name!r} starts at {entry.pc:#x}, outside the image {min_vma:#x}..{end:#x}",
                offset=at,
                value=entry.pc,
            )
        if entry.pc % alignment:
            raise errors.PcMisalignedError(
                f"kernel {entry.name!r} starts at {entry.pc:#x}, not a multiple of {alignment}",
                offset=at,
                value=entry.pc,
            )
