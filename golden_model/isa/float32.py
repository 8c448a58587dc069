"""RISC-V F on one value: binary32 as integers, every operation gives (bits, flags).

A finite number is sign × significand × 2**exponent with an integer significand. Results are formed exactly, or with
the lost bits gathered into the lowest one ("sticky"), and rounded once, in `rounded`. (RISC-V unprivileged, chapter F;
docs/reference/vortex.md §2.15.)
"""

from __future__ import annotations

NV, DZ, OF, UF, NX = 16, 8, 4, 2, 1  # flags
RNE, RTZ, RDN, RUP, RMM = range(5)  # rounding modes

SIGN = 0x8000_0000
INFINITY = 0x7F80_0000
LARGEST = 0x7F7F_FFFF
CANONICAL_NAN = 0x7FC0_0000
QUIET = 0x0040_0000
_BITS61 = (1 << 61) - 1


# ------------------------------------------------------------------ taking apart


def is_nan(a: int) -> int:
    """Any NaN."""
    return int(a & 0x7FFF_FFFF > INFINITY)


def is_signaling(a: int) -> int:
    """A NaN whose quiet bit is clear."""
    return int(is_nan(a) and a & QUIET == 0)


def exponent_of(a: int) -> int:
    """Exponent of the lowest bit of the significand."""
    return max(a >> 23 & 0xFF, 1) - 150


def significand_of(a: int) -> int:
    """24 bits; the hidden bit is 0 for zeros and subnormals."""
    hidden = 0x80_0000 if a >> 23 & 0xFF else 0
    return a & 0x7F_FFFF | hidden


# ------------------------------------------------------------------ rounding


def rounds_up(mode: int, sign: int, odd: int, rest: int, half: int) -> int:
    """Whether the magnitude grows by one unit when `rest` (a full unit is 2 × half) is cut off."""
    if rest == 0:
        return 0
    if mode == RNE:
        return int(rest > half or (rest == half and odd != 0))
    if mode == RTZ:
        return 0
    if mode == RDN:
        return int(sign != 0)
    if mode == RUP:
        return int(sign == 0)
    return int(rest >= half)


def rounded(sign: int, exponent: int, significand: int, mode: int) -> tuple[int, int]:
    """(bits, flags) of significand × 2**exponent; the significand has at most 62 bits and may end in a sticky bit.

    Tininess is detected after rounding: a value that rounds, with the exponent unbounded, to the smallest normal number
    does not underflow.
    """
    top = SIGN if sign else 0
    if significand == 0:
        return top, 0
    leading = exponent + significand.bit_length() - 1  # exponent of the leading bit
    unit = max(leading, -126) - 23  # exponent of the result's lowest bit
    drop = min(max(unit - exponent, 0), 63)
    grow = min(max(exponent - unit, 0), 23)
    cut = significand >> drop if grow == 0 else (significand << grow) & 0xFF_FFFF
    rest = significand & ((1 << drop) - 1)
    kept = cut + rounds_up(mode, sign, cut & 1, rest, (1 << drop) >> 1)
    inexact = int(rest != 0)
    if leading < -126:
        bits = kept & 0x1FF_FFFF
        flags = 0
        if inexact:
            flags = NX | UF
            if leading == -127 and _reaches_normal(sign, significand, mode):
                flags = NX
        return top | bits, flags
    biased = unit + 150  # the hidden bit adds the last 1, a carry of the rounding another
    if biased > 254 or (biased == 254 and kept >= 0x100_0000):
        return top | _overflow(mode, sign), OF | NX
    return top | (((biased - 1) << 23) + kept) & 0x7FFF_FFFF, NX if inexact else 0


def _reaches_normal(sign: int, significand: int, mode: int) -> int:
    """Whether a value just below the normal range becomes normal when rounded to 24 bits."""
    drop = min(max(significand.bit_length() - 24, 0), 63)
    cut = significand >> drop
    up = rounds_up(mode, sign, cut & 1, significand & ((1 << drop) - 1), (1 << drop) >> 1)
    return int(cut + up == 0x100_0000)


def _overflow(mode: int, sign: int) -> int:
    """Infinity, or the largest finite number if the mode does not round away from it."""
    if mode == RTZ or (mode == RDN and sign == 0) or (mode == RUP and sign != 0):
        return LARGEST
    return INFINITY


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
    wide_a, wide_b = (a << up_a) & _BITS61, (b << up_b) & _BITS61
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


# ------------------------------------------------------------------ conversions


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
    return rounded(sign, 0, magnitude & _BITS61, mode)


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


def move(a: int, b: int, c: int, mode: int) -> tuple[int, int]:
    """FMV.W.X and FMV.X.W: the bits; the latter sign-extended by its executor."""
    return a & 0xFFFF_FFFF, 0
