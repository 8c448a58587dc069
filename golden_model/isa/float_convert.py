"""RISC-V F on one value: conversions from and to integers. Every operation gives (bits, flags); see float_round.py."""

from __future__ import annotations

from golden_model.isa.float_round import (
    BITS61,
    NV,
    NX,
    SIGN,
    exponent_of,
    is_nan,
    rounded,
    rounds_up,
    significand_of,
)


def _integer(a: int, mode: int, lowest: int, highest: int) -> tuple[int, int]:
    """(integer, flags) of a rounded to lowest … highest; out of range saturates, NaN counts as large."""
    if is_nan(a):
        return highest, NV
    negative, exponent, significand = a >> 31, exponent_of(a), significand_of(a)
    if exponent > 40:
        return lowest if negative else highest, NV
    grow, drop = max(min(exponent, 40), 0), min(max(-exponent, 0), 63)
    cut = (significand << grow) >> drop
    rest = significand & ((1 << drop) - 1)
    magnitude = cut + rounds_up(mode, negative, cut & 1, rest, (1 << drop) >> 1)
    value = -magnitude if negative else magnitude
    if value < lowest:
        return lowest, NV
    if value > highest:
        return highest, NV
    return value, NX if rest else 0


def to_i32(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCVT.W.S."""
    return _integer(a, mode, -(1 << 31), (1 << 31) - 1)


def to_u32(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCVT.WU.S; the 32-bit result is sign-extended where registers are wider."""
    value, flags = _integer(a, mode, 0, (1 << 32) - 1)
    return (value ^ SIGN) - SIGN, flags


def to_i64(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCVT.L.S."""
    return _integer(a, mode, -(1 << 63), (1 << 63) - 1)


def to_u64(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCVT.LU.S."""
    return _integer(a, mode, 0, (1 << 64) - 1)


def _from_magnitude(sign: int, magnitude: int, mode: int) -> tuple[int, int]:
    """Rounded; the three lowest bits become one sticky bit so that 64 bits fit."""
    if magnitude >> 61:
        return rounded(sign, 3, magnitude >> 3 | int(magnitude & 7 != 0), mode)
    return rounded(sign, 0, magnitude & BITS61, mode)


def from_i32(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCVT.S.W."""
    value = (a & 0xFFFF_FFFF ^ SIGN) - SIGN
    return rounded(int(value < 0), 0, abs(value), mode)


def from_u32(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCVT.S.WU."""
    return rounded(0, 0, a & 0xFFFF_FFFF, mode)


def from_i64(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCVT.S.L."""
    value = (a ^ 1 << 63) - (1 << 63)
    return _from_magnitude(int(value < 0), abs(value), mode)


def from_u64(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCVT.S.LU."""
    return _from_magnitude(0, a, mode)
