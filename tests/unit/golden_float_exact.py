"""Rounding of exact rationals to binary32, from the IEEE 754 text: independent of the model and of SoftFloat."""

from __future__ import annotations

from fractions import Fraction

INFINITY, LARGEST = 0x7F80_0000, 0x7F7F_FFFF
OF_NX, UF, NX = 5, 2, 1


def value_of(bits: int) -> Fraction:
    """The number that finite bits stand for."""
    exponent, fraction = bits >> 23 & 0xFF, bits & 0x7F_FFFF
    magnitude = (
        Fraction(fraction, 1 << 149)
        if exponent == 0
        else Fraction(1 << 23 | fraction) * Fraction(2) ** (exponent - 150)
    )
    return -magnitude if bits >> 31 else magnitude


def _to_multiple(magnitude: Fraction, unit: Fraction, mode: int, negative: bool) -> int:
    """Number of units nearest to the magnitude under the mode."""
    count = magnitude // unit
    rest = magnitude - count * unit
    if rest == 0:
        return count
    match mode:
        case 0:
            up = rest * 2 > unit or (rest * 2 == unit and count % 2 == 1)
        case 1:
            up = False
        case 2:
            up = negative
        case 3:
            up = not negative
        case _:
            up = rest * 2 >= unit
    return count + up


def _power(magnitude: Fraction) -> int:
    """Exponent of the leading bit."""
    guess = magnitude.numerator.bit_length() - magnitude.denominator.bit_length()
    return guess if Fraction(2) ** guess <= magnitude else guess - 1


def nearest(value: Fraction, mode: int, negative_zero: bool = False) -> tuple[int, int]:
    """(bits, flags) of a number rounded to binary32."""
    negative = value < 0 or (value == 0 and negative_zero)
    sign, magnitude = 1 << 31 if negative else 0, abs(value)
    if magnitude == 0:
        return sign, 0
    power = _power(magnitude)
    unit = Fraction(2) ** (max(power, -126) - 23)
    result = _to_multiple(magnitude, unit, mode, negative) * unit
    flags = NX if result != magnitude else 0
    free = _to_multiple(magnitude, Fraction(2) ** (power - 23), mode, negative) * Fraction(2) ** (power - 23)
    if flags and free < Fraction(2) ** -126:
        flags |= UF
    if result >= Fraction(2) ** 128:
        away = mode in (0, 4) or (mode == 2 and negative) or (mode == 3 and not negative)
        return sign | (INFINITY if away else LARGEST), OF_NX
    if result == 0:
        return sign, flags
    scale = max(_power(result), -126)
    significand = int(result / Fraction(2) ** (scale - 23))
    return sign | ((scale + 126) << 23) + significand, flags
