"""What one instruction is: encoding, operands, assembler syntax and semantics, together in one value."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from config import HardwareConfig
from golden_model.isa.bits import Xlen
from golden_model.isa.operands import OPERANDS, Operand

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp

# Semantics of a whole warp instruction: reads and writes the warp, tells the step what it did.
Executor = Callable[["Warp", "Decoded", "Step"], None]

# Semantics of one lane of a computation: (first operand, second operand, width) -> result, any int; the executor cuts
# it to XLEN bits. Kept to plain expressions so that a compiled tier can be generated from the same function.
LaneFunction = Callable[[int, int, Xlen], int]


# Semantics of one lane of a floating-point operation: (a, b, c, rounding mode) -> (result, flags).
FloatFunction = Callable[[int, int, int, int], tuple[int, int]]

# Where a shuffle takes its value from: (lane, b, m, c) -> source lane, negative or out of the segment: none.
SourceFunction = Callable[[int, int, int, int], int]


class Unit(Enum):
    """Group of instructions, for reports and coverage."""

    ALU = "alu"
    MULDIV = "muldiv"
    BRANCH = "branch"
    LOAD = "load"
    STORE = "store"
    FENCE = "fence"
    CSR = "csr"
    SIMT = "simt"
    ATOMIC = "atomic"
    FLOAT = "float"


class Extension(Enum):
    """When an encoding is legal."""

    I = "i"  # noqa: E741 - the extension's name
    M = "m"
    ZICOND = "zicond"
    VORTEX = "vortex"
    A = "a"
    F = "f"
    SIMT_FULL = "simt-full"  # the rest of the Vortex extension, which not every core has
    PACKED = "packed"  # packed loads: only with SIMT_FULL and F

    def enabled(self, config: HardwareConfig) -> bool:
        if self is Extension.M:
            return config.ext_m
        if self is Extension.ZICOND:
            return config.ext_zicond
        if self is Extension.A:
            return config.ext_a
        if self is Extension.F:
            return config.ext_f
        if self is Extension.SIMT_FULL:
            return config.ext_simt_full
        if self is Extension.PACKED:
            return config.ext_packed and config.ext_simt_full and config.ext_f
        return True


_OPERAND_IN_SYNTAX = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class Instruction:
    """One row of the instruction table.

    `mask` selects the fixed bits, `match` gives their value; every bit outside `mask` belongs to an operand. `syntax`
    names operands in assembler order, e.g. `{rd}, {imm}({rs1})`.
    """

    name: str
    mask: int
    match: int
    syntax: str
    unit: Unit
    execute: Executor
    extension: Extension = Extension.I
    lane: LaneFunction | None = None
    size: int = 0  # bytes of a memory access
    signed: bool = False  # loads: extend the sign
    xlens: tuple[int, ...] = (32, 64)
    float_lane: FloatFunction | None = None
    source: SourceFunction | None = None
    operands: tuple[Operand, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = _OPERAND_IN_SYNTAX.findall(self.syntax)
        object.__setattr__(self, "operands", tuple(OPERANDS[name] for name in names))
        if self.match & ~self.mask:
            raise ValueError(f"{self.name}: match {self.match:#x} has bits outside mask {self.mask:#x}")

    def matches(self, word: int) -> bool:
        return word & self.mask == self.match


def r_type(opcode: int, funct3: int, funct7: int) -> tuple[int, int]:
    """(mask, match) of an instruction fixed by opcode, funct3 and funct7."""
    return 0xFE00707F, funct7 << 25 | funct3 << 12 | opcode


def i_type(opcode: int, funct3: int) -> tuple[int, int]:
    """(mask, match) of an instruction fixed by opcode and funct3."""
    return 0x0000707F, funct3 << 12 | opcode


def u_type(opcode: int) -> tuple[int, int]:
    """(mask, match) of an instruction fixed by its opcode alone."""
    return 0x0000007F, opcode
