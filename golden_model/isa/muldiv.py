"""M: multiplication and division (docs/reference/vortex.md §2.1). Division never traps."""

# ruff: noqa: D103 - a lane function is named after its instruction and shorter than any docstring
from __future__ import annotations

from golden_model.isa.alu import op
from golden_model.isa.bits import Xlen
from golden_model.isa.instruction import Extension, Instruction, LaneFunction, Unit


def mul(a: int, b: int, x: Xlen) -> int:
    return a * b


def mulh(a: int, b: int, x: Xlen) -> int:
    return x.signed(a) * x.signed(b) >> x.bits


def mulhsu(a: int, b: int, x: Xlen) -> int:
    return x.signed(a) * b >> x.bits


def mulhu(a: int, b: int, x: Xlen) -> int:
    return a * b >> x.bits


def div(a: int, b: int, x: Xlen) -> int:
    """Rounds towards zero; by 0 → all ones; most negative / -1 → most negative (falls out of the cut to XLEN)."""
    if b == 0:
        return -1
    dividend, divisor = x.signed(a), x.signed(b)
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def divu(a: int, b: int, x: Xlen) -> int:
    return x.mask if b == 0 else a // b


def rem(a: int, b: int, x: Xlen) -> int:
    """Sign of the dividend; by 0 → dividend; most negative / -1 → 0."""
    if b == 0:
        return a
    dividend, divisor = x.signed(a), x.signed(b)
    remainder = abs(dividend) % abs(divisor)
    return remainder if dividend >= 0 else -remainder


def remu(a: int, b: int, x: Xlen) -> int:
    return a if b == 0 else a % b


def _m(name: str, funct3: int, lane: LaneFunction) -> Instruction:
    return op(name, funct3, 0x01, lane, Unit.MULDIV, Extension.M)


MULDIV: list[Instruction] = [
    _m("mul", 0, mul),
    _m("mulh", 1, mulh),
    _m("mulhsu", 2, mulhsu),
    _m("mulhu", 3, mulhu),
    _m("div", 4, div),
    _m("divu", 5, divu),
    _m("rem", 6, rem),
    _m("remu", 7, remu),
]
