"""Rounding and what leads to it, where a result is near a border: against rationals, for chosen patterns of bits."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import pytest

from golden_model.isa import float32 as f
from golden_model.isa import float_convert as convert
from golden_model.isa import float_round as r
from tests.unit.golden_float_exact import nearest, value_of

MODES = range(5)


def patterns(bits: int, rng: random.Random) -> Iterator[int]:
    """Numbers of exactly so many bits whose low ends are ties, just above and just below them, ones and zeros."""
    top = 1 << bits - 1
    yield from {top, 2 * top - 1, top | 1, (2 * top - 2) | top}
    for cut in {1, 2, bits - 25, bits - 24, bits - 23, bits - 3} & set(range(1, bits)):
        for kept in (top >> cut, (2 * top - 1) >> cut, (top >> cut) | 1, rng.getrandbits(bits) >> cut):
            half = 1 << cut - 1
            for low in {0, 1, half - 1, half, half + 1, 2 * half - 1}:
                value = (kept << cut | low & 2 * half - 1) & 2 * top - 1 | top
                yield value


# Exponents of the leading bit: the subnormals and what is just above and below them, the middle, the largest.
LEADING = (*range(-178, -121, 3), *range(-152, -146), *range(-131, -122), -1, 0, 1, *range(123, 131))


@pytest.mark.parametrize("mode", MODES)
def test_rounding_near_every_border(mode: int) -> None:
    rng = random.Random(mode)
    for bits in range(1, 63):
        chosen = sorted(set(patterns(bits, rng)))
        for value in rng.sample(chosen, min(len(chosen), 12)):
            for leading in (*rng.sample(LEADING, 6), rng.choice((-128, -127, -126, 127))):
                exponent, sign = leading - bits + 1, rng.getrandbits(1)
                number = Fraction(value) * Fraction(2) ** exponent
                expected = nearest(-number if sign else number, mode)
                assert r.rounded(sign, exponent, value, mode) == expected, (sign, exponent, hex(value))


@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("mode", MODES)
def test_borders_of_the_normal_numbers(mode: int, sign: int) -> None:
    """All ones below 2**-126 and below 2**128, cut to 23 to 28 bits, with and without something behind."""
    for power in (-126, -127, -128, 128, 129):
        for bits in range(23, 30):
            for low in (-3, -2, -1, 0, 1, 2):
                value = (1 << bits) + low
                number = Fraction(value) * Fraction(2) ** (power - bits)
                expected = nearest(-number if sign else number, mode)
                assert r.rounded(sign, power - bits, value, mode) == expected, (power, bits, low)
    for behind in range(1, 6):  # 24 ones and every rest
        for rest in range(1 << behind):
            value = 0xFF_FFFF << behind | rest
            for power in (-126, 128):
                number = Fraction(value) * Fraction(2) ** (power - 24 - behind)
                expected = nearest(-number if sign else number, mode)
                assert r.rounded(sign, power - 24 - behind, value, mode) == expected, (power, behind, rest)
    assert r.rounded(sign, 5, 0, mode) == (sign << 31, 0)


def test_flags_and_modes_have_the_numbers_of_the_manual() -> None:
    assert (r.NV, r.DZ, r.OF, r.UF, r.NX) == (16, 8, 4, 2, 1)
    assert (r.RNE, r.RTZ, r.RDN, r.RUP, r.RMM) == (0, 1, 2, 3, 4)
    assert (r.SIGN, r.INFINITY, r.LARGEST, r.CANONICAL_NAN, r.QUIET) == (
        1 << 31, 0xFF << 23, (0xFF << 23) - 1, 0x1FF << 22, 1 << 22,
    )  # fmt: skip


ENDS = (0, 1, 2, 0x3F_FFFF, 0x40_0000, 0x40_0001, 0x7F_FFFE, 0x7F_FFFF)


def test_parts_of_a_number() -> None:
    for exponent in (0, 1, 2, 127, 254, 255):
        for fraction in ENDS:
            for sign in (0, 1):
                bits = sign << 31 | exponent << 23 | fraction
                nan = exponent == 255 and fraction != 0
                assert (r.is_nan(bits), r.is_signaling(bits)) == (nan, nan and fraction < 0x40_0000)
                assert f.negated(bits) == (bits if nan else bits ^ 1 << 31)
                if exponent < 255:
                    number = r.significand_of(bits) * Fraction(2) ** r.exponent_of(bits)
                    assert number == abs(value_of(bits)), hex(bits)


def _near(rng: random.Random, exponent: int) -> int:
    fraction = rng.choice((*ENDS, rng.getrandbits(23)))
    return rng.getrandbits(1) << 31 | min(max(exponent, 0), 254) << 23 | fraction


@pytest.mark.parametrize("mode", MODES)
def test_sums_at_every_distance(mode: int) -> None:
    """Exponents that differ by 0 to 70, where the smaller one is in, at the end of, and behind the larger one."""
    rng = random.Random(mode)
    for distance in range(70):
        for _ in range(12):
            high = rng.choice((rng.randint(1, 254), 254, 253, distance, distance + 1))
            a, b = _near(rng, high), _near(rng, high - distance)
            x, y = value_of(a), value_of(b)
            zero = mode == 2 if a >> 31 != b >> 31 else bool(a >> 31)
            assert f.add(a, b, 0, mode) == nearest(x + y, mode, zero), (hex(a), hex(b))
            assert f.add(b, a, 0, mode) == nearest(x + y, mode, zero), (hex(b), hex(a))
            assert f.sub(a, b ^ 1 << 31, 0, mode) == nearest(x + y, mode, zero), (hex(a), hex(b))


@pytest.mark.parametrize("mode", MODES)
def test_fused_at_every_distance(mode: int) -> None:
    """The product lies up to 90 binary places above or below the third operand, or cancels it but for the last bit."""
    rng = random.Random(mode + 10)
    for distance in range(-90, 90):
        for _ in range(6):
            ea = rng.randint(60, 190)
            eb = min(max(127 + rng.randint(-40, 40), 1), 254)
            a, b = _near(rng, ea), _near(rng, eb)
            c = _near(rng, ea + eb - 127 + distance)
            if rng.random() < 0.4:  # the negated product, rounded, and one step beside it
                c = f.mul(a, b, 0, 1)[0] ^ 1 << 31
                c = c + rng.randint(-1, 1) if 0 < c & 0x7FFF_FFFF < 0x7F7F_FFFF else c
            exact = value_of(a) * value_of(b) + value_of(c)
            product = (a ^ b) >> 31
            zero = mode == 2 if product != c >> 31 else bool(product)
            assert f.mul_add(a, b, c, mode) == nearest(exact, mode, zero), (hex(a), hex(b), hex(c))


@pytest.mark.parametrize("mode", MODES)
def test_products_and_quotients_near_the_borders(mode: int) -> None:
    rng = random.Random(mode + 20)
    for wanted in (*range(-30, 4), *range(252, 258)):  # biased exponent of the result
        for _ in range(12):
            ea = rng.randint(max(1, wanted - 100), min(254, wanted + 100))
            a = _near(rng, ea)
            b, d = _near(rng, wanted + 127 - ea), _near(rng, ea + 127 - wanted)
            sign = a >> 31 != b >> 31
            assert f.mul(a, b, 0, mode) == nearest(value_of(a) * value_of(b), mode, sign), (hex(a), hex(b))
            if value_of(d):
                sign = a >> 31 != d >> 31
                assert f.div(a, d, 0, mode) == nearest(value_of(a) / value_of(d), mode, sign), (hex(a), hex(d))


@pytest.mark.parametrize("mode", MODES)
def test_roots_of_squares_and_their_neighbours(mode: int) -> None:
    """A square of 12 bits is exact; one unit beside it is not. Every parity of the exponent, subnormals too."""
    rng = random.Random(mode + 30)
    for exponent in (*range(1, 6), *range(120, 136), *range(250, 255)):
        for _ in range(6):
            root = rng.choice((0x800, 0xFFF, rng.randint(0x800, 0xFFF)))
            square = root * root << 24 - (root * root).bit_length()
            for bits in (exponent << 23 | square & 0x7F_FFFF, rng.choice((1, 4, square, square - 1)) & 0x7F_FFFF):
                for value in (bits - 1, bits, bits + 1):
                    if value <= 0:
                        continue
                    got, flags = f.sqrt(value, 0, 0, mode)
                    exact = value_of(value)
                    below, above = value_of(got - 1), value_of(got + 1)
                    here = value_of(got)
                    assert flags == (0 if here * here == exact else 1), hex(value)
                    if not flags:
                        continue
                    if mode in (1, 2):
                        assert here * here < exact < above * above
                    elif mode == 3:
                        assert below * below < exact < here * here
                    else:
                        assert (below + here) ** 2 < 4 * exact < (here + above) ** 2


SPECIAL = {
    "+0": 0, "-0": 1 << 31, "+1": 0x3F80_0000, "-1": 0xBF80_0000, "+s": 1, "-s": 0x8000_0001, "+inf": 0x7F80_0000,
    "-inf": 0xFF80_0000, "qnan": 0x7FC0_0000, "-qnan": 0xFFC0_1234, "snan": 0x7F80_0001, "-snan": 0xFFBF_FFFF,
}  # fmt: skip


def _special(a: int) -> tuple[bool, bool, bool, bool]:
    """NaN, signalling, infinite, zero."""
    size = a & 0x7FFF_FFFF
    return size > 0x7F80_0000, 0x7F80_0000 < size < 0x7FC0_0000, size == 0x7F80_0000, size == 0


@pytest.mark.parametrize("mode", MODES)
def test_special_values_of_every_operation(mode: int) -> None:
    """IEEE 754 §6 and §7, for every pair and triple of special values; finite results are the exact tests' matter."""
    nan, inf = 0x7FC0_0000, 0x7F80_0000
    values = list(SPECIAL.values())
    for a in values:
        nan_a, signals_a, inf_a, zero_a = _special(a)
        root = f.sqrt(a, 0, 0, mode)
        if nan_a or (a >> 31 and not zero_a):
            assert root == (nan, 16 if not nan_a or signals_a else 0)
        elif zero_a or inf_a:
            assert root == (a, 0)
        for b in values:
            nan_b, signals_b, inf_b, zero_b = _special(b)
            sign = (a ^ b) & 1 << 31
            raised = 16 if signals_a or signals_b else 0
            if nan_a or nan_b:
                for operation in (f.add, f.sub, f.mul, f.div):
                    assert operation(a, b, 0, mode) == (nan, raised), (operation.__name__, hex(a), hex(b))
            else:
                if inf_a or inf_b:
                    opposite = inf_a and inf_b and a != b
                    assert f.add(a, b, 0, mode) == ((nan, 16) if opposite else (a if inf_a else b, 0))
                    alike = inf_a and inf_b and a == b
                    assert f.sub(a, b, 0, mode) == ((nan, 16) if alike else (a if inf_a else b ^ 1 << 31, 0))
                    invalid = (inf_a and zero_b) or (inf_b and zero_a)
                    assert f.mul(a, b, 0, mode) == ((nan, 16) if invalid else (sign | inf, 0))
                if inf_a or inf_b or zero_b:
                    if (inf_a and inf_b) or (zero_a and zero_b):
                        expected = (nan, 16)
                    elif inf_a:
                        expected = (sign | inf, 0)
                    else:
                        expected = (sign, 0) if inf_b else (sign | inf, 8)
                    assert f.div(a, b, 0, mode) == expected, (hex(a), hex(b))
            for c in values:
                nan_c, signals_c, inf_c, _ = _special(c)
                invalid = (inf_a and zero_b) or (inf_b and zero_a)
                got = f.mul_add(a, b, c, mode)
                if nan_a or nan_b or nan_c:
                    assert got == (nan, 16 if signals_a or signals_b or signals_c or invalid else 0)
                elif invalid or ((inf_a or inf_b) and inf_c and sign != c & 1 << 31):
                    assert got == (nan, 16)
                elif inf_a or inf_b:
                    assert got == (sign | inf, 0)
                elif inf_c:
                    assert got == (c, 0)


@pytest.mark.parametrize("mode", MODES)
def test_conversion_to_integers_at_their_ends(mode: int) -> None:
    rng = random.Random(mode + 40)
    ends = {
        convert.to_i32: (-(1 << 31), (1 << 31) - 1), convert.to_u32: (0, (1 << 32) - 1),
        convert.to_i64: (-(1 << 63), (1 << 63) - 1), convert.to_u64: (0, (1 << 64) - 1),
    }  # fmt: skip
    numbers = [sign << 31 | exponent << 23 | fraction for sign in (0, 1) for exponent in range(120, 195)
               for fraction in (*ENDS, rng.getrandbits(23))]  # fmt: skip
    for a in (*numbers, *SPECIAL.values(), 0x7F7F_FFFF, 0xFF7F_FFFF):
        nan, _, infinite, _ = _special(a)
        for operation, (lowest, highest) in ends.items():
            if nan:
                expected = highest, 16
            elif infinite:
                expected = lowest if a >> 31 else highest, 16
            else:
                x = abs(value_of(a))
                whole, rest = x // 1, x % 1
                up = {
                    0: rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1), 1: False,
                    2: bool(a >> 31) and rest > 0, 3: not a >> 31 and rest > 0, 4: rest >= Fraction(1, 2),
                }[mode]  # fmt: skip
                value = -(whole + up) if a >> 31 else whole + up
                expected = value, int(rest > 0)
                if not lowest <= value <= highest:
                    expected = lowest if value < lowest else highest, 16
            got, flags = operation(a, 0, 0, mode)
            if operation is convert.to_u32:  # sign-extended where registers are wider
                got &= 0xFFFF_FFFF
            assert (got, flags) == expected, (operation.__name__, hex(a))
    assert convert.to_u32(0x4F7F_FFFF, 0, 0, mode)[0] == -256, "sign-extended"


@pytest.mark.parametrize("mode", MODES)
def test_conversion_from_integers_near_ties(mode: int) -> None:
    rng = random.Random(mode + 50)
    for bits in range(1, 65):
        chosen = sorted(set(patterns(bits, rng))) if bits > 1 else [1]
        for value in rng.sample(chosen, min(len(chosen), 10)):
            assert convert.from_u64(value, 0, 0, mode) == nearest(Fraction(value), mode), hex(value)
            signed = value - (1 << 64) if value >> 63 else value
            assert convert.from_i64(value, 0, 0, mode) == nearest(Fraction(signed), mode), hex(value)
            negative = -value % (1 << 64)
            number = negative - (1 << 64) if negative >> 63 else negative
            assert convert.from_i64(negative, 0, 0, mode) == nearest(Fraction(number), mode), hex(negative)
            if bits > 32:
                continue
            assert convert.from_u32(value | 0xABCD << 32, 0, 0, mode) == nearest(Fraction(value), mode), hex(value)
            signed = value - (1 << 32) if value >> 31 else value
            assert convert.from_i32(value | 0xABCD << 32, 0, 0, mode) == nearest(Fraction(signed), mode), hex(value)
