"""Commands of a sequence: what a host wants, as the actions that it takes.

Every command stands for itself: leaving others out changes what it meets, never what it does. So a sequence can be
shrunk by deletion.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from golden_model.device.config import TABLE_BASE, VORTEX_MODE_FLAG
from golden_model.device.doorbell import DOORBELL_OFFSET
from golden_model.device.image_table import TableProblem, encode_table
from golden_model.device.registers import MSIX_TABLE, WORD, register
from golden_model.device.sequences import layout, programs
from golden_model.device.sequences.actions import (
    Action,
    AwaitDma,
    AwaitLaunch,
    ReadHost,
    ReadRegister,
    ReadVram,
    SetFunction,
    SetSink,
    WriteHost,
    WriteRegister,
    WriteVram,
)
from golden_model.device.sequences.programs import Program
from golden_model.device.sequences.tables import broken_table

Dims = tuple[int, int, int]
TABLE_ENTRIES = 64


def write_named(name: str, value: int) -> WriteRegister:
    """Write a register of BAR0 by name."""
    return WriteRegister(0, register(name).offset, value)


def write_wide(name: str, value: int) -> Iterator[WriteRegister]:
    """Write the two halves of a 64-bit register pair."""
    yield write_named(f"{name}_LO", value & WORD)
    yield write_named(f"{name}_HI", value >> 32)


@dataclass(frozen=True)
class Do:
    """One action by itself."""

    action: Action

    def actions(self) -> Iterator[Action]:
        yield self.action


@dataclass(frozen=True)
class Reset:
    """GLOBAL_CTRL.RESET, then ENABLE if wanted."""

    enable: bool = True

    def actions(self) -> Iterator[Action]:
        yield write_named("GLOBAL_CTRL", 2)
        if self.enable:
            yield write_named("GLOBAL_CTRL", 1)


@dataclass(frozen=True)
class Dispatch:
    """Stage programs and table, write every launch register, DISPATCH.

    Attributes:
        program: what runs.
        vortex: by the image table, else raw.
        table: None for a good one, else the rule that it breaks.
        release: RELEASE_CTRL; the address is `release_addr`.
        args_fail: the argument block is in VRAM that answers with bus errors.
        addr_bits: set in KERNEL_ADDR beyond what the program needs, to make it misaligned or too wide.
    """

    program: Program
    vortex: bool = True
    table: TableProblem | None = None
    grid: Dims = (1, 1, 1)
    block: Dims = (1, 1, 1)
    cluster: Dims = (0, 0, 0)
    lmem: int = 0
    max_cycles: int = 0
    with_args: bool = True
    release: int = 0
    release_addr: int = 0
    addr_bits: int = 0
    args_fail: bool = False

    def actions(self) -> Iterator[Action]:
        code = programs.code()
        if self.vortex:
            base, args, offset = layout.CODE_VMA, layout.ARGS_VMA, layout.CODE_OFFSET
            yield WriteVram(TABLE_BASE, self._table(len(code), programs.place(self.program, base)[0]))
        else:
            base, args, offset = layout.RAW_CODE_OFFSET, layout.RAW_ARGS, layout.RAW_CODE_OFFSET
            if self.args_fail:
                args = layout.VRAM_FAILS.start
        yield WriteVram(offset, code)
        startup, kernel = programs.place(self.program, base)
        yield from write_wide("KERNEL_ADDR", kernel | self.addr_bits | (VORTEX_MODE_FLAG if self.vortex else 0))
        yield from write_wide("STARTUP_ADDR", startup)
        yield from write_wide("KERNEL_ARGS", args if self.with_args else 0)
        yield from write_wide("MAX_CYCLES", self.max_cycles)
        for name, dims in (("GRID_DIM", self.grid), ("BLOCK_DIM", self.block), ("CLUSTER_DIM", self.cluster)):
            for axis, value in zip("XYZ", dims, strict=True):
                yield write_named(f"{name}_{axis}", value)
        yield write_named("SHARED_MEM_SIZE", self.lmem)
        yield from write_wide("RELEASE_ADDR", self.release_addr)
        yield from write_wide("RELEASE_PAYLOAD", 0x0123_4567_89AB_CDEF)
        yield write_named("RELEASE_CTRL", self.release)
        yield write_named("DISPATCH", 1)

    def _table(self, code_size: int, startup: int) -> bytes:
        good = layout.good_table(code_size, layout.VRAM_FAILS.start + 3 if self.args_fail else layout.ARGS_OFFSET)
        if self.table is None:
            return encode_table(good)
        return broken_table(self.table, good, startup, layout.VRAM_SIZE, TABLE_ENTRIES, 32)


@dataclass(frozen=True)
class Dma:
    """One transfer."""

    to_host: bool
    host: int
    vram: int
    size: int
    interrupt: bool = True

    def actions(self) -> Iterator[Action]:
        source, target = (self.vram, self.host) if self.to_host else (self.host, self.vram)
        yield from write_wide("DMA_SRC", source)
        yield from write_wide("DMA_DST", target)
        yield write_named("DMA_SIZE", self.size)
        yield write_named("DMA_CTRL", 1 | self.to_host << 1 | self.interrupt << 2)


@dataclass(frozen=True)
class ProgramVector:
    """Write one entry of the MSI-X table."""

    vector: int
    address: int
    data: int
    masked: bool

    def actions(self) -> Iterator[Action]:
        at = MSIX_TABLE + 16 * self.vector
        for index, value in enumerate((self.address & WORD, self.address >> 32, self.data, int(self.masked))):
            yield WriteRegister(0, at + 4 * index, value)


@dataclass(frozen=True)
class Doorbells:
    """Ring `count` times with tokens counting up from `first`."""

    first: int
    count: int = 1

    def actions(self) -> Iterator[Action]:
        for index in range(self.count):
            yield WriteRegister(4, DOORBELL_OFFSET, (self.first + index) & WORD)


@dataclass(frozen=True)
class PopDoorbells:
    """Take tokens, whether there are any or not."""

    count: int = 1

    def actions(self) -> Iterator[Action]:
        for _ in range(self.count):
            yield ReadRegister(0, register("DB_POP").offset)


@dataclass(frozen=True)
class Dcr:
    """A DCR access through the window; `command` goes to DCR_CTRL as it is."""

    command: int
    addr: int
    data: int

    def actions(self) -> Iterator[Action]:
        yield write_named("DCR_ADDR", self.addr)
        yield write_named("DCR_DATA", self.data)
        yield write_named("DCR_CTRL", self.command)


@dataclass(frozen=True)
class ClearErrors:
    """Clear every error bit and acknowledge every source."""

    def actions(self) -> Iterator[Action]:
        yield write_named("ERROR_STATUS", WORD)
        yield write_named("IRQ_ACK", WORD)


@dataclass(frozen=True)
class Observe:
    """Read everything that has no side effect."""

    def actions(self) -> Iterator[Action]:
        names = "GLOBAL_STATUS ERROR_STATUS IRQ_STATUS LAUNCH_ID FAULT_KIND FAULT_ADDR_LO FAULT_PC_LO DMA_STATUS"
        for name in (*names.split(), "DB_STATUS", "DCR_CTRL", "MSIX_PBA_LO"):
            yield ReadRegister(0, register(name).offset)


Command = Do | Reset | Dispatch | Dma | ProgramVector | Doorbells | PopDoorbells | Dcr | ClearErrors | Observe

__all__ = [
    "Action",
    "AwaitDma",
    "AwaitLaunch",
    "ClearErrors",
    "Command",
    "Dcr",
    "Dispatch",
    "Dma",
    "Do",
    "Doorbells",
    "Observe",
    "PopDoorbells",
    "ProgramVector",
    "ReadHost",
    "ReadRegister",
    "ReadVram",
    "Reset",
    "SetFunction",
    "SetSink",
    "WriteHost",
    "WriteRegister",
    "WriteVram",
]
