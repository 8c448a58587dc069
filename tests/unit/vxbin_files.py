"""Small `.vxbin` files made by hand, for tests of everything that loads one."""

from __future__ import annotations

import struct
from pathlib import Path

BASE = 0x8000_0000
# csrr s11, CTA_ENTRY; csrr a0, MSCRATCH; jalr ra, s11; wsync; tmc x0; then kernels of one `ret` each
WINDOW = (0xCE10_2DF3, 0x3400_2573, 0x000D_80E7, 0x0000_700B, 0x0000_000B)
RET = 0x0000_8067


def write_vxbin(
    path: Path,
    kernels: tuple[str, ...] = ("add_k", "mul_k", "acc_k"),
    bss: int = 64,
    window: tuple[int, ...] = WINDOW,
) -> Path:
    """A `cta_entry` image whose kernels return at once; without names there is no footer."""
    words = [*window, *[RET] * max(1, len(kernels))]
    code = struct.pack(f"<{len(words)}I", *words)
    blob, table = b"", b""
    for index, name in enumerate(kernels):
        table += struct.pack("<IHHQ", len(blob), len(name), 0, BASE + 20 + 4 * index)
        blob += name.encode()
    footer = blob + table + struct.pack("<I", len(kernels)) + b"VXSYMTAB" if kernels else b""
    path.write_bytes(struct.pack("<QQ", BASE, BASE + len(code) + bss) + code + footer)
    return path
