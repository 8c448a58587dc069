"""Operand kinds: where an operand sits in the instruction word, which values it can hold, how it is written.

An operand is named in an instruction's syntax string by its kind, e.g. `{rd}, {imm}({rs1})`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from golden_model.isa.bits import sign_extend
from golden_model.isa.registers import (
    CSR_NAMES,
    CSR_NUMBERS,
    FLOAT_NAMES,
    FLOAT_NUMBERS,
    INTEGER_NAMES,
    INTEGER_NUMBERS,
    ROUNDING_NAMES,
    ROUNDING_NUMBERS,
)


class OperandError(ValueError):
    """An operand that the instruction cannot hold; the message says which values it can."""


class Kind(Enum):
    """What an operand means, hence how it is written."""

    INTEGER_REGISTER = "register"
    FLOAT_REGISTER = "float register"
    NUMBER = "number"
    OFFSET = "offset from this instruction"  # a label in assembler
    CSR = "CSR"
    ROUNDING = "rounding mode"


@dataclass(frozen=True, slots=True)
class Operand:
    """One operand field.

    `encode` takes the value to word bits, `decode` a word to the value. Values are what the semantics use: a register
    number, a sign-extended byte offset, for LUI/AUIPC the 20-bit number of the assembler.
    """

    name: str
    kind: Kind
    lowest: int
    highest: int
    step: int  # values are multiples of this
    encode: Callable[[int], int]
    decode: Callable[[int], int]

    def checked(self, value: int) -> int:
        """Word bits of `value`. Raises OperandError if it does not fit."""
        if not self.lowest <= value <= self.highest or value % self.step:
            multiple = f", a multiple of {self.step}" if self.step > 1 else ""
            raise OperandError(f"{self.name}={value} does not fit: must be {self.lowest} … {self.highest}{multiple}")
        return self.encode(value)

    def parse(self, text: str) -> int:
        """Value of one assembler operand. Raises OperandError; labels must have been replaced by numbers."""
        table = _NAMES.get(self.kind, {})
        key = text.strip().lower()
        if key in table:
            return table[key]
        if self.kind in (Kind.INTEGER_REGISTER, Kind.FLOAT_REGISTER):
            raise OperandError(f"{text.strip()!r} is no {self.kind.value}")
        try:
            return int(key, 0)
        except ValueError:
            raise OperandError(f"{text.strip()!r} is no {self.kind.value}") from None

    def format(self, value: int, pc: int | None, xlen: int) -> str:
        """Assembler spelling; an offset becomes the absolute target when `pc` is known."""
        if self.kind is Kind.INTEGER_REGISTER:
            return INTEGER_NAMES[value]
        if self.kind is Kind.FLOAT_REGISTER:
            return FLOAT_NAMES[value]
        if self.kind is Kind.CSR:
            return CSR_NAMES.get(value, f"{value:#x}")
        if self.kind is Kind.ROUNDING:
            return ROUNDING_NAMES.get(value, str(value))
        if self.kind is Kind.OFFSET and pc is not None:
            return f"{(pc + value) % (1 << xlen):#x}"
        return f"{value:#x}" if self is UPPER else str(value)


_NAMES: dict[Kind, dict[str, int]] = {
    Kind.INTEGER_REGISTER: INTEGER_NUMBERS,
    Kind.FLOAT_REGISTER: FLOAT_NUMBERS,
    Kind.CSR: CSR_NUMBERS,
    Kind.ROUNDING: ROUNDING_NUMBERS,
}


def _field(name: str, kind: Kind, low: int, width: int) -> Operand:
    top = (1 << width) - 1
    return Operand(name, kind, 0, top, 1, lambda value: value << low, lambda word: word >> low & top)


def _encode_branch(value: int) -> int:
    return (value >> 12 & 1) << 31 | (value >> 5 & 0x3F) << 25 | (value >> 1 & 0xF) << 8 | (value >> 11 & 1) << 7


def _decode_branch(word: int) -> int:
    raw = (word >> 31 & 1) << 12 | (word >> 7 & 1) << 11 | (word >> 25 & 0x3F) << 5 | (word >> 8 & 0xF) << 1
    return sign_extend(raw, 13)


def _encode_jump(value: int) -> int:
    return (
        (value >> 20 & 1) << 31 | (value >> 1 & 0x3FF) << 21 | (value >> 11 & 1) << 20 | (value >> 12 & 0xFF) << 12
    )  # fmt: skip


def _decode_jump(word: int) -> int:
    raw = (word >> 31 & 1) << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
    return sign_extend(raw, 21)


def _encode_upper(value: int) -> int:
    return (value & 0xFFFFF) << 12


RD = _field("rd", Kind.INTEGER_REGISTER, 7, 5)
RS1 = _field("rs1", Kind.INTEGER_REGISTER, 15, 5)
RS2 = _field("rs2", Kind.INTEGER_REGISTER, 20, 5)
RS3 = _field("rs3", Kind.INTEGER_REGISTER, 27, 5)
FRD = _field("frd", Kind.FLOAT_REGISTER, 7, 5)
FRS1 = _field("frs1", Kind.FLOAT_REGISTER, 15, 5)
FRS2 = _field("frs2", Kind.FLOAT_REGISTER, 20, 5)
FRS3 = _field("frs3", Kind.FLOAT_REGISTER, 27, 5)
RM = _field("rm", Kind.ROUNDING, 12, 3)
SHAMT5 = _field("shamt5", Kind.NUMBER, 20, 5)
SHAMT6 = _field("shamt6", Kind.NUMBER, 20, 6)
ZIMM = _field("zimm", Kind.NUMBER, 15, 5)
CSR = _field("csr", Kind.CSR, 20, 12)
LANE = _field("lane", Kind.NUMBER, 25, 2)  # WGATHER's source lane
IMM = Operand(
    "imm", Kind.NUMBER, -2048, 2047, 1, lambda value: (value & 0xFFF) << 20, lambda word: sign_extend(word >> 20, 12)
)
STORE_IMM = Operand(
    "store_imm",
    Kind.NUMBER,
    -2048,
    2047,
    1,
    lambda value: (value >> 5 & 0x7F) << 25 | (value & 0x1F) << 7,
    lambda word: sign_extend(word >> 25 << 5 | word >> 7 & 0x1F, 12),
)
UPPER = Operand("upper", Kind.NUMBER, 0, 0xFFFFF, 1, _encode_upper, lambda word: word >> 12)
BRANCH = Operand("branch", Kind.OFFSET, -4096, 4094, 2, _encode_branch, _decode_branch)
JUMP = Operand("jump", Kind.OFFSET, -(1 << 20), (1 << 20) - 2, 2, _encode_jump, _decode_jump)

OPERANDS: dict[str, Operand] = {
    operand.name: operand
    for operand in (
        RD,
        RS1,
        RS2,
        RS3,
        FRD,
        FRS1,
        FRS2,
        FRS3,
        RM,
        SHAMT5,
        SHAMT6,
        ZIMM,
        CSR,
        LANE,
        IMM,
        STORE_IMM,
        UPPER,
        BRANCH,
        JUMP,
    )
}
IMMEDIATES: tuple[Operand, ...] = (SHAMT5, SHAMT6, ZIMM, LANE, IMM, STORE_IMM, UPPER, BRANCH, JUMP)
