"""The registers of BAR0 as data: the one place that the device model, a register model and the docs derive from.

Every row states what docs/reference/pcie_bar.md states: offset, access kind, width, reset, when a write is refused, and
which side effect a read or a write has. Behaviour is in the units that `Effect` names.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

MSIX_TABLE = 0xFE000
MSIX_PBA = 0xFF000
MSIX_VECTORS = 16
WORD = 0xFFFF_FFFF


class Access(Enum):
    """What a 32-bit access does to the stored bits."""

    RO = "R"  # a write is ignored
    RW = "RW"  # reads give what was written, masked
    WO = "W"  # a write has a side effect, reads give 0
    RW1C = "RW1C"  # writing 1 clears a bit
    W1C = "W1C"  # writing 1 clears a bit of another register; reads give 0


class Guard(Enum):
    """While what a write is refused with INVALID_CMD, changing nothing else."""

    NONE = "never"
    LAUNCH = "while BUSY"
    DMA = "while DMA BUSY"


class Effect(Enum):
    """Side effects beyond storing; the value is the sentence for the docs."""

    NONE = ""
    CONTROL = "RESET returns the device to its power-on state"
    CLEAR_ERROR = "clears error bits; ERROR of GLOBAL_STATUS follows"
    ENABLE_INTERRUPT = "raises the vectors of pending sources that become enabled"
    ACKNOWLEDGE = "clears bits of IRQ_STATUS"
    DISPATCH = "starts the launch"
    DCR = "starts a DCR access"
    DMA = "starts a transfer if START is set"
    CLEAR_OVERFLOW = "clears the overflow flag"
    POP_TOKEN = "a read takes one token"
    RAISE = "raises an MSI-X vector"
    MSIX = "unmasking a vector with its pending bit set sends its message"


@dataclass(frozen=True)
class Field:
    """Bits of a register; `one_shot` bits act when written as 1 and read as 0."""

    name: str
    lsb: int
    width: int
    meaning: str = ""
    one_shot: bool = False

    @property
    def mask(self) -> int:
        return ((1 << self.width) - 1) << self.lsb

    @property
    def bits(self) -> str:
        """`[lsb]` or `[msb:lsb]`."""
        return f"[{self.lsb}]" if self.width == 1 else f"[{self.lsb + self.width - 1}:{self.lsb}]"


@dataclass(frozen=True)
class Register:
    """One 32-bit register of BAR0.

    Attributes:
        writable: bits that a write stores (RW), clears (RW1C, W1C) or hands to the side effect (WO).
        readable: bits that can ever read as 1.
        reset: value after power-on and RESET; None when it is constant and follows from the build.
        guard: when a write is refused.
        effect: side effect of a write (of a read for POP_TOKEN).
        volatile: the device changes it without a write to it.
    """

    name: str
    offset: int
    access: Access
    meaning: str
    writable: int = WORD
    readable: int = WORD
    reset: int | None = 0
    guard: Guard = Guard.NONE
    effect: Effect = Effect.NONE
    volatile: bool = False
    fields: tuple[Field, ...] = ()


def _constant(name: str, offset: int, meaning: str, reset: int | None = None, *fields: Field) -> Register:
    return Register(name, offset, Access.RO, meaning, writable=0, reset=reset, fields=fields)


def _status(name: str, offset: int, meaning: str, *fields: Field, reset: int = 0, readable: int = WORD) -> Register:
    if fields:
        readable = sum(field.mask for field in fields)
    return Register(
        name, offset, Access.RO, meaning, writable=0, readable=readable, reset=reset, volatile=True, fields=fields
    )


def _stored(name: str, offset: int, meaning: str, guard: Guard = Guard.NONE, mask: int = WORD) -> Register:
    return Register(name, offset, Access.RW, meaning, writable=mask, readable=mask, guard=guard)


def _halves(name: str, offset: int, meaning: str, guard: Guard = Guard.NONE) -> list[Register]:
    return [
        _stored(f"{name}_LO", offset, f"{meaning}, bits 31:0", guard),
        _stored(f"{name}_HI", offset + 4, f"{meaning}, bits 63:32", guard),
    ]


def _axes(name: str, offset: int, meaning: str, guard: Guard = Guard.NONE) -> list[Register]:
    return [_stored(f"{name}_{axis}", offset + 4 * i, f"{meaning}, {axis}", guard) for i, axis in enumerate("XYZ")]


_SOURCES = (
    Field("KERNEL_DONE", 0, 1),
    Field("DMA_DONE", 1, 1),
    Field("ERROR", 2, 1),
    Field("DOORBELL", 3, 1),
)
_ERRORS = (
    Field("INVALID_CMD", 0, 1),
    Field("VRAM_FAULT", 1, 1),
    Field("KERNEL_FAULT", 2, 1),
    Field("DMA_FAULT", 3, 1),
)


def _rows() -> Iterator[Register]:
    yield _constant("DEV_ID", 0x0000, "identification", 0x4750_5055)
    yield _constant("DEV_VERSION", 0x0004, "version", 0x0001_0000)
    yield _constant(
        "DEV_CAPS", 0x0008, "shape", None, Field("CORES", 0, 8), Field("WARPS", 8, 8), Field("THREADS", 16, 8)
    )
    yield _constant("VRAM_SIZE_LO", 0x000C, "bytes of VRAM, bits 31:0")
    yield _constant("VRAM_SIZE_HI", 0x0010, "bytes of VRAM, bits 63:32")
    yield _constant(
        "DEV_CAPS2",
        0x0014,
        "more of the shape",
        None,
        Field("LMEM_LOG_SIZE", 0, 8, "log2 of local memory bytes"),
        Field("XLEN", 8, 8),
        Field("CLUSTERS", 16, 8),
        Field("TABLE_ENTRIES", 24, 8, "image table entries supported"),
    )
    yield _constant("ISA_FLAGS_LO", 0x0018, "standard extensions")
    yield _constant("ISA_FLAGS_HI", 0x001C, "further extensions")
    yield Register(
        "GLOBAL_CTRL",
        0x0100,
        Access.RW,
        "enable and reset",
        writable=0x3,
        readable=0x1,
        effect=Effect.CONTROL,
        fields=(Field("ENABLE", 0, 1, "launches are allowed"), Field("RESET", 1, 1, "back to power-on", one_shot=True)),
    )
    yield _status(
        "GLOBAL_STATUS", 0x0104, "state", Field("READY", 0, 1), Field("BUSY", 1, 1), Field("ERROR", 2, 1), reset=0x1
    )
    yield Register(
        "ERROR_STATUS",
        0x0108,
        Access.RW1C,
        "what went wrong",
        writable=0xF,
        readable=0xF,
        effect=Effect.CLEAR_ERROR,
        volatile=True,
        fields=_ERRORS,
    )
    yield Register(
        "IRQ_ENABLE",
        0x0200,
        Access.RW,
        "sources that raise their vector",
        writable=0xF,
        readable=0xF,
        effect=Effect.ENABLE_INTERRUPT,
        fields=_SOURCES,
    )
    yield _status("IRQ_STATUS", 0x0204, "sources that have occurred, enabled or not", *_SOURCES)
    yield Register(
        "IRQ_ACK",
        0x0208,
        Access.W1C,
        "clears IRQ_STATUS",
        writable=0xF,
        readable=0,
        effect=Effect.ACKNOWLEDGE,
        fields=_SOURCES,
    )
    yield from _halves("KERNEL_ADDR", 0x0300, "kernel entry; bit 63 is VORTEX_MODE_FLAG", Guard.LAUNCH)
    yield from _halves("KERNEL_ARGS", 0x0308, "device address of the argument block", Guard.LAUNCH)
    yield from _axes("GRID_DIM", 0x0310, "blocks", Guard.LAUNCH)
    yield from _axes("BLOCK_DIM", 0x031C, "threads", Guard.LAUNCH)
    yield _stored("SHARED_MEM_SIZE", 0x0328, "bytes of local memory per block", Guard.LAUNCH)
    yield Register("DISPATCH", 0x0330, Access.WO, "any value starts the launch", readable=0, effect=Effect.DISPATCH)
    yield from _halves("MAX_CYCLES", 0x0340, "watchdog in device cycles, 0 = none")
    yield from _halves("STARTUP_ADDR", 0x0350, "PC at which a fresh warp starts, 0 = KERNEL_ADDR")
    yield from _axes("CLUSTER_DIM", 0x0358, "CTAs per cluster, 0 = 1")
    yield _status("LAUNCH_ID", 0x0370, "launches accepted since power-on or RESET")
    yield _status("FAULT_KIND", 0x0380, "why the last launch was ended, 0 = it was not", Field("KIND", 0, 4))
    yield _status("FAULT_ADDR_LO", 0x0384, "memory address of the fault, bits 31:0")
    yield _status("FAULT_ADDR_HI", 0x0388, "memory address of the fault, bits 63:32")
    yield _status("FAULT_PC_LO", 0x038C, "PC of the fault, bits 31:0")
    yield _status("FAULT_PC_HI", 0x0390, "PC of the fault, bits 63:32")
    yield _status(
        "FAULT_WARP",
        0x0394,
        "who faulted",
        Field("WARP", 0, 8),
        Field("CORE", 8, 8),
        Field("MASK", 16, 16, "low lanes of the mask"),
    )
    yield _stored("DCR_ADDR", 0x03A0, "DCR address", mask=0xFFF)
    yield _stored("DCR_DATA", 0x03A4, "value to write, or tag of a read")
    yield Register(
        "DCR_CTRL",
        0x03A8,
        Access.RW,
        "DCR access",
        writable=0x3,
        readable=0x300,
        effect=Effect.DCR,
        volatile=True,
        fields=(
            Field("WRITE", 0, 1, one_shot=True),
            Field("READ", 1, 1, one_shot=True),
            Field("BUSY", 8, 1),
            Field("VALID", 9, 1, "DCR_RSP holds the response"),
        ),
    )
    yield _status("DCR_RSP", 0x03AC, "response of the last DCR read")
    yield from _halves("DMA_SRC", 0x0400, "source: host address or VRAM offset", Guard.DMA)
    yield from _halves("DMA_DST", 0x0408, "destination: VRAM offset or host address", Guard.DMA)
    yield _stored("DMA_SIZE", 0x0410, "bytes", Guard.DMA)
    yield Register(
        "DMA_CTRL",
        0x0414,
        Access.RW,
        "transfer",
        writable=0x7,
        readable=0x6,
        guard=Guard.DMA,
        effect=Effect.DMA,
        fields=(
            Field("START", 0, 1, one_shot=True),
            Field("DIRECTION", 1, 1, "0 host to VRAM, 1 VRAM to host"),
            Field("IRQ_ENABLE", 2, 1, "completion sets DMA_DONE"),
        ),
    )
    yield _status("DMA_STATUS", 0x0418, "transfer", Field("BUSY", 0, 1), Field("COMPLETE", 1, 1), Field("ERROR", 2, 1))
    yield Register(
        "DB_STATUS",
        0x0600,
        Access.RW1C,
        "doorbell queue",
        writable=0x8000_0000,
        readable=0x8000_FFFF,
        effect=Effect.CLEAR_OVERFLOW,
        volatile=True,
        fields=(Field("TOKENS", 0, 16, "tokens waiting"), Field("OVERFLOW", 31, 1, "a token was lost")),
    )
    yield Register(
        "DB_POP",
        0x0604,
        Access.RO,
        "takes one token; all ones when empty",
        writable=0,
        reset=WORD,
        effect=Effect.POP_TOKEN,
        volatile=True,
    )
    yield from _halves("RELEASE_ADDR", 0x0610, "where a launch that ends well writes")
    yield from _halves("RELEASE_PAYLOAD", 0x0618, "what it writes")
    yield Register(
        "RELEASE_CTRL",
        0x0620,
        Access.RW,
        "release on completion",
        writable=0xF,
        readable=0xF,
        fields=(
            Field("ENABLE", 0, 1),
            Field("WIDE", 1, 1, "64-bit payload"),
            Field("TIMESTAMP", 2, 1, "8-byte timestamp 8 bytes above"),
            Field("APERTURE", 3, 1, "0 VRAM, 1 host memory"),
        ),
    )
    yield Register("RAISE", 0x0624, Access.WO, "raises that vector", readable=0, effect=Effect.RAISE)
    for vector in range(MSIX_VECTORS):
        at = MSIX_TABLE + 16 * vector
        address, data = f"address of vector {vector}'s message", f"data of vector {vector}'s message"
        yield _stored(f"MSIX{vector}_ADDR_LO", at, f"{address}, bits 31:2", mask=0xFFFF_FFFC)
        yield _stored(f"MSIX{vector}_ADDR_HI", at + 4, f"{address}, bits 63:32")
        yield _stored(f"MSIX{vector}_DATA", at + 8, data)
        yield Register(
            f"MSIX{vector}_CTRL",
            at + 12,
            Access.RW,
            f"control of vector {vector}",
            writable=1,
            readable=1,
            reset=1,
            effect=Effect.MSIX,
            fields=(Field("MASK", 0, 1),),
        )
    yield _status("MSIX_PBA_LO", MSIX_PBA, "pending bits of vectors 31:0", readable=(1 << MSIX_VECTORS) - 1)
    yield _status("MSIX_PBA_HI", MSIX_PBA + 4, "pending bits of vectors 63:32", readable=0)


REGISTERS: tuple[Register, ...] = tuple(_rows())
BY_OFFSET: dict[int, Register] = {register.offset: register for register in REGISTERS}
BY_NAME: dict[str, Register] = {register.name: register for register in REGISTERS}


def register(name: str) -> Register:
    """Row by name. Raises KeyError."""
    return BY_NAME[name]


def markdown() -> str:
    """The table for the docs: one row a register, MSI-X entries of one vector only."""
    lines = [
        "| offset | name | access | reset | writable | refused | fields and meaning |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]
    for row in REGISTERS:
        if row.name.startswith("MSIX") and row.offset < MSIX_PBA and not row.name.startswith("MSIX0_"):
            continue
        reset = "build" if row.reset is None else f"{row.reset:#x}"
        fields = ", ".join(f"{field.bits} {field.name}" for field in row.fields)
        text = "; ".join(part for part in (row.meaning, fields, row.effect.value) if part)
        cells = (f"{row.offset:#07x}", row.name, row.access.value, reset, f"{row.writable:#x}", row.guard.value, text)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
