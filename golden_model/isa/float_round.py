"""Binary32 as integers: taking a number apart, and rounding an exact result to one.

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
BITS61 = (1 << 61) - 1


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
