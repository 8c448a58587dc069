"""Shape of one BAR device, and the fixed numbers of its page (docs/reference/pcie_bar.md)."""

from __future__ import annotations

from dataclasses import dataclass, field

from config import ConfigError, HardwareConfig

VENDOR_ID = 0x1234
DEVICE_ID = 0x1337

BAR0_SIZE = 1 << 20
BAR2_SIZE = 64 << 20
BAR4_SIZE = 64 << 10

TABLE_BASE = 0x03FF_0000
TABLE_REGION = BAR2_SIZE - TABLE_BASE
MEMORY_BLOCK = 64  # bytes of one memory access of the cores
VORTEX_MODE_FLAG = 1 << 63

_PAGE = 4096


@dataclass(frozen=True)
class DeviceConfig:
    """What a build decides.

    Attributes:
        hardware: the cores behind the BARs.
        vram_size: bytes of VRAM, a multiple of 4096, at most the 64 MiB window.
        table_entries: image table entries that the remapper holds, 64 … 255.
        strict_map: the cores get bus errors where no entry maps, instead of private memory.
        core_faults: the cores report faults; without, only bus errors end a launch, and of one only kind and block are
            known. A warp that faults then ends like any other.
        dma_piece: bytes at whose multiples (of the host address) the DMA engine ends a piece, see `DmaTransfer`.

    Raises ConfigError for a shape that cannot exist.
    """

    hardware: HardwareConfig = field(default_factory=HardwareConfig)
    vram_size: int = BAR2_SIZE
    table_entries: int = 64
    strict_map: bool = False
    core_faults: bool = True
    dma_piece: int = MEMORY_BLOCK

    def __post_init__(self) -> None:
        if not _PAGE <= self.vram_size <= BAR2_SIZE or self.vram_size % _PAGE:
            raise ConfigError(
                f"vram_size={self.vram_size:#x}: must be a multiple of {_PAGE:#x} up to the window of {BAR2_SIZE:#x}"
            )
        if not 64 <= self.table_entries <= 255:
            raise ConfigError(f"table_entries={self.table_entries}: must be between 64 and 255 (DEV_CAPS2 has 8 bits)")
        if self.hardware.total_cores > 255:
            raise ConfigError(f"{self.hardware.total_cores} cores: DEV_CAPS and FAULT_WARP count at most 255")
        if self.dma_piece < 4 or self.dma_piece & (self.dma_piece - 1) or self.dma_piece > _PAGE:
            raise ConfigError(f"dma_piece={self.dma_piece}: must be a power of two between 4 and {_PAGE}")
