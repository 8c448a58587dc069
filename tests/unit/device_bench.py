"""A golden device with the handles that tests of the page's rules use."""

from __future__ import annotations

from dataclasses import dataclass, field

from golden_model.device import (
    AT_ONCE,
    TABLE_BASE,
    VORTEX_MODE_FLAG,
    WHEN_TOLD,
    Device,
    DeviceConfig,
    SparseHostMemory,
    TableEntry,
    Timing,
    encode_table,
)
from golden_model.isa.asm import assemble

# Offsets written out from docs/reference/pcie_bar.md, not taken from the model's own table.
GLOBAL_CTRL, GLOBAL_STATUS, ERROR_STATUS = 0x100, 0x104, 0x108
IRQ_ENABLE, IRQ_STATUS, IRQ_ACK = 0x200, 0x204, 0x208
KERNEL_ADDR, KERNEL_ARGS = 0x300, 0x308
GRID_DIM, BLOCK_DIM, SHARED_MEM_SIZE, DISPATCH = 0x310, 0x31C, 0x328, 0x330
MAX_CYCLES, STARTUP_ADDR, CLUSTER_DIM, LAUNCH_ID = 0x340, 0x350, 0x358, 0x370
FAULT_KIND, FAULT_ADDR, FAULT_PC, FAULT_WARP = 0x380, 0x384, 0x38C, 0x394
DCR_ADDR, DCR_DATA, DCR_CTRL, DCR_RSP = 0x3A0, 0x3A4, 0x3A8, 0x3AC
DMA_SRC, DMA_DST, DMA_SIZE, DMA_CTRL, DMA_STATUS = 0x400, 0x408, 0x410, 0x414, 0x418
DB_STATUS, DB_POP, RELEASE_ADDR, RELEASE_PAYLOAD, RELEASE_CTRL, RAISE = 0x600, 0x604, 0x610, 0x618, 0x620, 0x624
MSIX_TABLE, MSIX_PBA = 0xFE000, 0xFF000
READY, BUSY, ERROR = 1, 2, 4
INVALID_CMD, VRAM_FAULT, KERNEL_FAULT, DMA_FAULT = 1, 2, 4, 8
KERNEL_DONE, DMA_DONE, IRQ_ERROR, DOORBELL = 1, 2, 4, 8

CODE = 0x1_0000  # VRAM offset of the program in both modes
CODE_VMA = 0x8000_0000
ARGS = 0x2_0000
ARGS_VMA = 0x1_0000

# The last five instructions are the program: a reused warp starts over there.
STORE = "csrr t1, cta_entry\ncsrr a0, mscratch\nsw t1, 4(a0)\nnop\ntmc zero"
LOOP = "loop: j loop"
ILLEGAL = "nop\n.word 0"


@dataclass
class Bench:
    """One device."""

    timing: Timing = AT_ONCE
    config: DeviceConfig = field(default_factory=DeviceConfig)
    host: SparseHostMemory = field(default_factory=SparseHostMemory)

    def __post_init__(self) -> None:
        self.device = Device(self.config, self.host, self.timing)
        self.write(GLOBAL_CTRL, 1)

    def read(self, offset: int) -> int:
        return self.device.bar0_read(offset)

    def write(self, offset: int, value: int) -> None:
        self.device.bar0_write(offset, value)

    def write64(self, offset: int, value: int) -> None:
        self.write(offset, value & 0xFFFF_FFFF)
        self.write(offset + 4, value >> 32)

    def read64(self, offset: int) -> int:
        return self.read(offset + 4) << 32 | self.read(offset)

    @property
    def status(self) -> int:
        return self.read(GLOBAL_STATUS)

    @property
    def errors(self) -> int:
        return self.read(ERROR_STATUS)

    def refusals(self) -> list[str]:
        return [refusal.reason.name for refusal in self.device.refusals if refusal.reason is not None]

    def vectors(self) -> list[int]:
        return [message.vector for message in self.device.take_messages()]

    def unmask(self) -> None:
        """Every vector unmasked with its number as data, every source enabled."""
        for vector in range(16):
            at = MSIX_TABLE + 16 * vector
            self.write64(at, 0xFEE0_0000)
            self.write(at + 8, vector)
            self.write(at + 12, 0)
        self.write(IRQ_ENABLE, 0xF)

    # ------------------------------------------------------------------ launches

    def stage(self, program: str = STORE, vortex: bool = True, entries: list[TableEntry] | None = None) -> None:
        """Program, table and launch registers for one thread; DISPATCH is left to the test."""
        base = CODE_VMA if vortex else CODE
        self.device.bar2_write(CODE, assemble(program, base))
        if vortex:
            self.table(entries or [TableEntry(ARGS_VMA, ARGS, 0x100), TableEntry(CODE_VMA, CODE, 0x1000)])
        self.write64(KERNEL_ADDR, base | (VORTEX_MODE_FLAG if vortex else 0))
        self.write64(KERNEL_ARGS, ARGS_VMA if vortex else ARGS)
        for axis in range(3):
            self.write(GRID_DIM + 4 * axis, 1)
            self.write(BLOCK_DIM + 4 * axis, 1)

    def table(self, entries: list[TableEntry]) -> None:
        self.device.bar2_write(TABLE_BASE, encode_table(entries))

    def dispatch(self) -> None:
        self.write(DISPATCH, 1)

    def running(self, vortex: bool = True) -> None:
        """An endless launch in flight."""
        self.stage(LOOP, vortex)
        self.dispatch()
        assert self.status & BUSY

    def stored(self) -> int:
        """What STORE stored."""
        return int.from_bytes(self.device.bar2_read(ARGS + 4, 4), "little")

    def dma(self, to_host: bool, host: int, vram: int, size: int, irq: bool = True) -> None:
        self.write64(DMA_SRC, vram if to_host else host)
        self.write64(DMA_DST, host if to_host else vram)
        self.write(DMA_SIZE, size)
        self.write(DMA_CTRL, 1 | to_host << 1 | irq << 2)


def told(**config: int) -> Bench:
    """A bench whose device finishes nothing by itself."""
    return Bench(WHEN_TOLD, DeviceConfig(**config))  # type: ignore[arg-type]
