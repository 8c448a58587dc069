"""Writing VRAM of which parts may answer with bus errors."""

from __future__ import annotations

from golden_model.device.config import MEMORY_BLOCK
from golden_model.memory import Memory
from golden_model.ranges import AddressRanges


def write_vram(vram: Memory, failing: AddressRanges, offset: int, data: bytes, to_the_end: bool = False) -> bool:
    """Write block by block; without `to_the_end` nothing more after a block that fails. Whether none failed.

    Of a block in which a byte to be written fails, nothing is written.
    """
    if not data:
        return True
    if not failing.overlaps(offset, len(data)):
        vram.write(offset, data)
        return True
    at = 0
    while at < len(data):
        size = min(len(data) - at, MEMORY_BLOCK - (offset + at) % MEMORY_BLOCK)
        if not failing.overlaps(offset + at, size):
            vram.write(offset + at, data[at : at + size])
        elif not to_the_end:
            break
        at += size
    return False
