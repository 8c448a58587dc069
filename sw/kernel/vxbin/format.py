"""Byte layout of a `.vxbin` file (docs/reference/vortex.md §7.1); no validation here.

    0        min_vma u64 | 8 max_vma u64 | 16 image[B] | names[S] | N x entry | N u32 | "VXSYMTAB"

The part after the image is the footer and is present only if there are kernel symbols. All numbers are little-endian.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

HEADER = struct.Struct("<QQ")  # min_vma, max_vma
ENTRY = struct.Struct("<IHHQ")  # name_off, name_len, pad, pc
FOOTER_MAGIC = b"VXSYMTAB"
HEADER_SIZE = HEADER.size
ENTRY_SIZE = ENTRY.size
TRAILER_SIZE = 4 + len(FOOTER_MAGIC)  # number of entries and the magic
MAX_NAME_BYTES = 0xFFFF


@dataclass(frozen=True)
class Entry:
    """One kernel symbol of the footer: its name (at most 65535 bytes of UTF-8) and the address of its entry."""

    name: str
    pc: int


def encode(min_vma: int, max_vma: int, image: bytes, entries: Sequence[Entry] = ()) -> bytes:
    """Lay out a file; without entries there is no footer. Values are written as given, valid or not."""
    header = HEADER.pack(min_vma, max_vma)
    if not entries:
        return header + image
    blob = bytearray()
    table = bytearray()
    for entry in entries:
        name = entry.name.encode("utf-8")
        table += ENTRY.pack(len(blob), len(name), 0, entry.pc)
        blob += name
    return header + image + bytes(blob) + bytes(table) + struct.pack("<I", len(entries)) + FOOTER_MAGIC
