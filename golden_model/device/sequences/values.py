"""Values that a sequence writes: edges first, and nothing that would make the outcome depend on timing."""

from __future__ import annotations

from golden_model.device.config import BAR2_SIZE
from golden_model.device.registers import BY_NAME, WORD
from golden_model.device.sequences import layout, programs
from golden_model.device.sequences.programs import Program

WORDS = (0, 1, 2, 3, 4, 0xF, 0x10, 0xFFFF, 0x8000_0000, 0xFFFF_FFFF, 0x5555_5555)
DIMS = (0, 1, 1, 2, 3, 4, 16, 17, 0x1_0000, 0xFFFF_FFFF)
SIZES = (1, 1, 2, 3, 4, 5, 8, 31, 32, 63, 64, 65, 127, 128, 200)
TOO_BIG = (BAR2_SIZE, 0xFFFF_FFFF)
DCRS = (0x000, 0x001, 0x002, 0x010, 0x016, 0x019, 0x023, 0x024, 0x02F, 0x030, 0x031, 0xFFF)


def _kernel_addresses() -> tuple[int, ...]:
    """Addresses that run a program, are refused, or fetch a zero word."""
    placed = [
        programs.place(program, base) for program in Program for base in (layout.CODE_VMA, layout.RAW_CODE_OFFSET)
    ]
    return (0, 2, 0x100, 0xC000_0000, *(kernel for _, kernel in placed))


_ARGUMENTS = (0, 2, layout.RAW_ARGS, layout.ARGS_VMA, 0x2_0000)
_SMALL_OR_TOO_BIG = (0, *SIZES, 0x800, *TOO_BIG)

VALUES: dict[str, tuple[int, ...]] = {
    "KERNEL_ADDR_LO": _kernel_addresses(),
    "KERNEL_ADDR_HI": (0, 1, 0x8000_0000, 0x8000_0001),
    "STARTUP_ADDR_LO": (0, 2, *_kernel_addresses()),
    "STARTUP_ADDR_HI": (0, 0, 1),
    "KERNEL_ARGS_LO": _ARGUMENTS,
    "KERNEL_ARGS_HI": (0, 0, 1),
    "DMA_SRC_LO": (layout.SCRATCH.start, layout.SCRATCH.start + 1, layout.HOST.start & WORD),
    "DMA_SRC_HI": (0, layout.HOST.start >> 32),
    "DMA_DST_LO": (layout.SCRATCH.start, layout.SCRATCH.start + 1, layout.HOST.start & WORD),
    "DMA_DST_HI": (0, layout.HOST.start >> 32),
    "DMA_SIZE": _SMALL_OR_TOO_BIG,
    "RELEASE_ADDR_LO": (layout.RELEASE.start, layout.RELEASE.start + 3, layout.HOST_RELEASE.start & WORD, WORD),
    "RELEASE_ADDR_HI": (0, layout.HOST_RELEASE.start >> 32, WORD),
    "RAISE": (0, 1, 2, 3, 4, 15, 16, WORD),
    "DCR_ADDR": DCRS,
    "DCR_DATA": (0, 1, 20),
}
assert set(VALUES) <= set(BY_NAME)
