"""Where command sequences put things, so that whatever they do has one right result.

Programs and page 0 are never overwritten, so a launch at any address that a sequence can name either runs a program
or fetches a zero word.
"""

from __future__ import annotations

from golden_model.device.config import TABLE_BASE
from golden_model.device.image_table import TableEntry

VRAM_SIZE = TABLE_BASE + 0x8000  # smaller than the window, so that accesses past its end exist

CODE_OFFSET = 0x4002  # in VRAM: deliberately not congruent with its vma
RAW_CODE_OFFSET = 0x4800  # the same programs for raw launches
CODE_PAGES = range(0x4000, 0x5000)
CODE_VMA = 0x8000_0000
ARGS_OFFSET = 0x6003
ARGS_VMA = 0x0001_0000
ARGS_SIZE = 0x35  # ends inside a memory block, private bytes follow
RAW_ARGS = 0x00F0
SCRATCH = range(0x0001_1000, 0x0002_0000)  # VRAM that copies may overwrite
RELEASE = range(0x0002_1000, 0x0002_2000)  # VRAM that releases may overwrite: a transfer there would race with them
VRAM_FAILS = range(0x0003_0000, 0x0003_1000)  # VRAM that answers with bus errors
HOST = range(0x0000_0007_1234_0000, 0x0000_0007_1236_0000)  # host memory that DMA may use
HOST_RELEASE = range(HOST.start - 0x1000, HOST.start)
HOST_FAILS = range(HOST.stop, HOST.stop + 0x1000)  # answers with bus errors


def good_table(code_size: int, args_offset: int = ARGS_OFFSET) -> list[TableEntry]:
    """The table under which every program runs."""
    return [TableEntry(ARGS_VMA, args_offset, ARGS_SIZE), TableEntry(CODE_VMA, CODE_OFFSET, code_size)]
