"""RISC-V F on one value: arithmetic, signs, order, class. Every operation gives (bits, flags); see float_round.py."""

from __future__ import annotations

from golden_model.isa.float_round import (
    BITS61,
    CANONICAL_NAN,
    DZ,
    INFINITY,
    NV,
    QUIET,
    RDN,
    SIGN,
    exponent_of,
    is_nan,
    is_signaling,
    rounded,
    significand_of,
)

# ------------------------------------------------------------------ arithmetic


def _nan_flags(a: int, b: int) -> int:
    return NV if is_signaling(a) or is_signaling(b) else 0


def _sum(sign_a: int, exponent_a: int, a: int, sign_b: int, exponent_b: int, b: int, mode: int) -> tuple[int, int]:
    """Sum of two finite numbers given by sign, exponent and significand (at most 48 bits)."""
    if a == 0 and b == 0:
        zero_sign = sign_a & sign_b | (sign_a | sign_b if mode == RDN else 0)
        return SIGN if zero_sign else 0, 0
    if a == 0:
        return rounded(sign_b, exponent_b, b, mode)
    if b == 0:
        return rounded(sign_a, exponent_a, a, mode)
    # Leading bits to position 60: then the exponents tell which is larger, and at least 12 bits are free below.
    up_a, up_b = 61 - a.bit_length(), 61 - b.bit_length()
    scale_a, scale_b = exponent_a - up_a, exponent_b - up_b
    wide_a, wide_b = (a << up_a) & BITS61, (b << up_b) & BITS61
    scale = max(scale_a, scale_b)
    moved_a = _moved(wide_a, min(scale - scale_a, 62))
    moved_b = _moved(wide_b, min(scale - scale_b, 62))
    if sign_a == sign_b:
        return rounded(sign_a, scale, moved_a + moved_b, mode)
    if moved_a == moved_b:
        return SIGN if mode == RDN else 0, 0
    if moved_a > moved_b:
        return rounded(sign_a, scale, abs(moved_a - moved_b), mode)
    return rounded(sign_b, scale, abs(moved_b - moved_a), mode)


def _moved(significand: int, places: int) -> int:
    """Shifted to the right; bits that are lost leave a 1 at the end."""
    shift = max(places, 0)
    return significand >> shift | int(significand & ((1 << shift) - 1) != 0)


def add(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """a + b."""
    if is_nan(a) or is_nan(b):
        return CANONICAL_NAN, _nan_flags(a, b)
    if a & INFINITY == INFINITY:
        if b & INFINITY == INFINITY and a != b:
            return CANONICAL_NAN, NV
        return a, 0
    if b & INFINITY == INFINITY:
        return b, 0
    return _sum(a >> 31, exponent_of(a), significand_of(a), b >> 31, exponent_of(b), significand_of(b), mode)


def sub(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """a - b."""
    return add(a, b if is_nan(b) else b ^ SIGN, 0, mode)


def mul(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """a × b."""
    if is_nan(a) or is_nan(b):
        return CANONICAL_NAN, _nan_flags(a, b)
    sign = a >> 31 ^ b >> 31
    x, y = significand_of(a), significand_of(b)
    if a & INFINITY == INFINITY or b & INFINITY == INFINITY:
        if x == 0 or y == 0:
            return CANONICAL_NAN, NV
        return SIGN | INFINITY if sign else INFINITY, 0
    return rounded(sign, exponent_of(a) + exponent_of(b), x * y, mode)


def div(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """a / b."""
    if is_nan(a) or is_nan(b):
        return CANONICAL_NAN, _nan_flags(a, b)
    sign = a >> 31 ^ b >> 31
    top = SIGN if sign else 0
    a_infinite, b_infinite = int(a & INFINITY == INFINITY), int(b & INFINITY == INFINITY)
    x, y = significand_of(a), significand_of(b)
    if a_infinite:
        if b_infinite:
            return CANONICAL_NAN, NV
        return top | INFINITY, 0
    if b_infinite:
        return top, 0
    if y == 0:
        if x == 0:
            return CANONICAL_NAN, NV
        return top | INFINITY, DZ
    up_x, up_y = 24 - x.bit_length(), 24 - y.bit_length()
    numerator = (x << up_x) & 0xFF_FFFF
    denominator = (y << up_y) & 0xFF_FFFF
    quotient = (numerator << 32) // denominator
    sticky = int((numerator << 32) % denominator != 0)
    exponent = (exponent_of(a) - up_x) - (exponent_of(b) - up_y) - 33
    return rounded(sign, exponent, quotient << 1 | sticky, mode)


def sqrt(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """Square root, digit by digit."""
    if is_nan(a):
        return CANONICAL_NAN, _nan_flags(a, 0)
    if a & 0x7FFF_FFFF == 0:
        return a, 0
    if a >> 31:
        return CANONICAL_NAN, NV
    if a == INFINITY:
        return a, 0
    significand = significand_of(a)
    up = 55 - significand.bit_length()
    exponent = exponent_of(a) - up
    odd = exponent & 1
    radicand = ((significand << up) & ((1 << 55) - 1)) << odd
    root = 0
    for digit in range(28):
        trial = root | 1 << (27 - digit)
        if trial * trial <= radicand:
            root = trial
    return rounded(0, (exponent - odd >> 1) - 1, root << 1 | int(root * root != radicand), mode)


def mul_add(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """a × b + c with one rounding."""
    x, y = significand_of(a), significand_of(b)
    a_infinite, b_infinite = int(a & 0x7FFF_FFFF == INFINITY), int(b & 0x7FFF_FFFF == INFINITY)
    invalid = int((a_infinite and b & 0x7FFF_FFFF == 0) or (b_infinite and a & 0x7FFF_FFFF == 0))
    if is_nan(a) or is_nan(b) or is_nan(c):
        signaling = is_signaling(a) or is_signaling(b) or is_signaling(c)
        return CANONICAL_NAN, NV if signaling or invalid else 0
    if invalid:
        return CANONICAL_NAN, NV
    sign = a >> 31 ^ b >> 31
    c_infinite = int(c & INFINITY == INFINITY)
    if a_infinite or b_infinite:
        if c_infinite and c >> 31 != sign:
            return CANONICAL_NAN, NV
        return SIGN | INFINITY if sign else INFINITY, 0
    if c_infinite:
        return c, 0
    return _sum(sign, exponent_of(a) + exponent_of(b), x * y, c >> 31, exponent_of(c), significand_of(c), mode)


def negated(a: int) -> int:
    """-a; NaNs stay what they are, so that their signalling is seen."""
    return a if is_nan(a) else a ^ SIGN


def mul_sub(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """a × b - c."""
    return mul_add(a, b, negated(c), mode)


def neg_mul_sub(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """-(a × b) + c."""
    return mul_add(negated(a), b, c, mode)


def neg_mul_add(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """-(a × b) - c."""
    return mul_add(negated(a), b, negated(c), mode)


# ------------------------------------------------------------------ signs, order, class


def copy_sign(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FSGNJ."""
    return a & 0x7FFF_FFFF | b & SIGN, 0


def copy_opposite_sign(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FSGNJN."""
    return a & 0x7FFF_FFFF | ~b & SIGN, 0


def xor_sign(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FSGNJX."""
    return a ^ b & SIGN, 0


def _less(a: int, b: int) -> int:
    """Order of numbers, in which -0 comes before +0."""
    if a >> 31 != b >> 31:
        return a >> 31
    return int(b < a) if a >> 31 else int(a < b)


def minimum(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FMIN: a NaN loses against a number; signalling NaNs set NV."""
    flags = _nan_flags(a, b)
    if is_nan(a):
        return CANONICAL_NAN if is_nan(b) else b, flags
    if is_nan(b) or _less(a, b):
        return a, flags
    return b, flags


def maximum(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FMAX."""
    flags = _nan_flags(a, b)
    if is_nan(a):
        return CANONICAL_NAN if is_nan(b) else b, flags
    if is_nan(b) or _less(b, a):
        return a, flags
    return b, flags


def _both_zero(a: int, b: int) -> int:
    return int((a | b) & 0x7FFF_FFFF == 0)


def equal(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FEQ: quiet."""
    if is_nan(a) or is_nan(b):
        return 0, _nan_flags(a, b)
    return int(a == b or _both_zero(a, b) != 0), 0


def less(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FLT: any NaN is invalid."""
    if is_nan(a) or is_nan(b):
        return 0, NV
    return int(_less(a, b) and not _both_zero(a, b)), 0


def less_equal(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FLE: any NaN is invalid."""
    if is_nan(a) or is_nan(b):
        return 0, NV
    return int(_less(a, b) or a == b or _both_zero(a, b)), 0


def classify(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FCLASS: one bit of ten."""
    exponent, fraction, negative = a >> 23 & 0xFF, a & 0x7F_FFFF, a >> 31
    if exponent == 0xFF:
        if fraction:
            return 1 << 9 if a & QUIET else 1 << 8, 0
        return 1 << 0 if negative else 1 << 7, 0
    if exponent:
        return 1 << 1 if negative else 1 << 6, 0
    if fraction:
        return 1 << 2 if negative else 1 << 5, 0
    return 1 << 3 if negative else 1 << 4, 0
