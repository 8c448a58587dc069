"""Which entry generation an image was built for; the file does not say, the code does.

Recipe of docs/reference/vortex.md §12.3, extended by the tail of the dispatch window.
"""

from __future__ import annotations

import struct
from enum import Enum

from sw.kernel.vxbin.loader import Vxbin

_SCAN_BYTES = 256
_CSRR_A0_MSCRATCH = 0x3400_2573
_JALR_RA_S11 = 0x000D_80E7
_WSYNC = 0x0000_700B
_TMC_ZERO = 0x0000_000B


class Generation(Enum):
    """Entry generations (docs/reference/vortex.md §12.1); the values are those of the ENTRY knob where it has one."""

    CTA_ENTRY = "cta_entry"
    S11 = "s11"
    DIRECT = "direct"
    LEGACY = "legacy"
    UNKNOWN = "unknown"


def detect_generation(module: Vxbin) -> Generation:
    """Recognise the generation from the first 256 bytes of the image and from the code at the footer's addresses."""
    words = _words(module.image[:_SCAN_BYTES])
    if module.entries and all(_is_stub(module, entry.pc) for entry in module.entries):
        return Generation.S11
    if any(_reads_csr(word, 0xCE1) for word in words):
        return Generation.CTA_ENTRY
    if any(word & 0xFE00_707F == 0x0000_100B for word in words):
        return Generation.LEGACY
    for index, word in enumerate(words):
        if word != _CSRR_A0_MSCRATCH:
            continue
        tail = words[index + 1 : index + 4]
        if tail == [_JALR_RA_S11, _WSYNC, _TMC_ZERO]:
            return Generation.S11
        if len(tail) >= 2 and tail[0] & 0xFFF == 0x0EF and tail[1] == _TMC_ZERO:
            return Generation.DIRECT
    return Generation.UNKNOWN


def _words(code: bytes) -> list[int]:
    return [word for (word,) in struct.iter_unpack("<I", code[: len(code) & ~3])]


def _reads_csr(word: int, csr: int) -> bool:
    return word & 0x7F == 0x73 and word >> 12 & 7 == 2 and word >> 20 == csr


def _is_stub(module: Vxbin, pc: int) -> bool:
    """Whether `lla s11, kernel` (auipc s11; addi s11, s11) followed by a jump stands at `pc`."""
    offset = pc - module.min_vma
    code = _words(module.image[offset : offset + 12])
    return len(code) == 3 and code[0] & 0xFFF == 0xD97 and code[1] & 0xF_FFFF == 0xD_8D93 and code[2] & 0xFFF == 0x06F
