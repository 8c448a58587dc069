"""F, bit for bit and flag for flag: against Berkeley SoftFloat, and against exact rationals."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import isqrt

import pytest
import softfloatpy as soft

from config import HardwareConfig
from golden_model.isa import float32 as f
from golden_model.isa import float_convert as convert
from golden_model.isa.float_round import DZ, NX, is_nan
from tests.unit.golden_float_exact import nearest, value_of
from tests.unit.golden_program import bare_warp

MODES = (0, 1, 2, 3, 4)
SOFT_MODE = dict(enumerate(soft.RoundingMode))
SPECIAL = [
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007FFFFF, 0x807FFFFF, 0x00800000, 0x80800000, 0x00800001,
    0x3F800000, 0xBF800000, 0x3F800001, 0x3F7FFFFF, 0x40000000, 0x3F000000, 0x33800000, 0x34000000, 0x7F7FFFFF,
    0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0xFF800001, 0x7FFFFFFF, 0x4B000000,
    0x4B800001, 0x4F000000, 0xCF000000, 0x4F7FFFFF, 0x5F000000, 0x00FFFFFF, 0x40400000, 0x01000000, 0x20000000,
]  # fmt: skip


def operands(rng: random.Random, count: int, arity: int) -> Iterator[tuple[int, ...]]:
    """Special values, random bits, and numbers close to each other in size, where cancellation happens."""
    for _ in range(count):
        values = []
        base = rng.getrandbits(32)
        for _ in range(arity):
            match rng.randrange(5):
                case 0:
                    values.append(rng.choice(SPECIAL))
                case 1:
                    values.append(rng.getrandbits(32))
                case 2:  # around 1, so that products and quotients stay finite
                    values.append(rng.getrandbits(1) << 31 | rng.randint(115, 139) << 23 | rng.getrandbits(23))
                case 3:  # few bits set: ties
                    values.append(rng.getrandbits(1) << 31 | rng.randint(0, 254) << 23 | 1 << rng.randrange(23))
                case _:
                    values.append((base + rng.randint(-4, 4)) & 0xFFFFFFFF ^ rng.getrandbits(1) << 31)
        yield tuple(values)


def single(bits: int) -> soft.Float32:
    return soft.Float32.from_bytes(bits.to_bytes(4, "big"))


def bits_of(value: soft.Float32) -> int:
    return int.from_bytes(value.to_bytes(), "big")


def oracle(operation: Callable[[], object], mode: int) -> tuple[object, int]:
    soft.set_tininess_mode(soft.TininessMode.AFTER_ROUNDING)
    soft.set_rounding_mode(SOFT_MODE[mode])
    soft.set_exception_flags(0)
    result = operation()
    return result, int(soft.get_exception_flags())


def signless(bits: int) -> int:
    return bits if is_nan(bits) else bits ^ 0x80000000


TWO = {
    "add": (f.add, soft.f32_add),
    "sub": (f.sub, soft.f32_sub),
    "mul": (f.mul, soft.f32_mul),
    "div": (f.div, soft.f32_div),
}
FUSED = {"mul_add": (0, 0), "mul_sub": (0, 1), "neg_mul_sub": (1, 0), "neg_mul_add": (1, 1)}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [*TWO, "sqrt", *FUSED])
def test_arithmetic_is_softfloats(name: str, mode: int) -> None:
    rng = random.Random(f"{name}{mode}")
    mine = getattr(f, name)
    for a, b, c in operands(rng, 1500, 3):
        if name in TWO:
            theirs, flags = oracle(partial(TWO[name][1], single(a), single(b)), mode)
        elif name == "sqrt":
            theirs, flags = oracle(partial(soft.f32_sqrt, single(a)), mode)
        else:
            x, z = (signless(a) if FUSED[name][0] else a), (signless(c) if FUSED[name][1] else c)
            theirs, flags = oracle(partial(soft.f32_mul_add, single(x), single(b), single(z)), mode)
        got = mine(a, b, c, mode)
        assert got == (bits_of(theirs), flags), f"{name} {a:#x} {b:#x} {c:#x} mode {mode}: {got[0]:#x}"  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", MODES)
def test_arithmetic_is_exact_arithmetic_rounded_once(mode: int) -> None:
    """No SoftFloat: rationals, and for the square root integers."""
    rng = random.Random(mode)
    for a, b, c in operands(rng, 1500, 3):
        if any(value >> 23 & 0xFF == 0xFF for value in (a, b, c)):
            continue
        x, y, z = value_of(a), value_of(b), value_of(c)
        sign_a, sign_b, sign_c = a >> 31, b >> 31, c >> 31
        down = mode == 2
        assert f.add(a, b, 0, mode) == nearest(
            x + y, mode, bool(sign_a & sign_b or (down and sign_a | sign_b) or (down and x))
        )
        assert f.mul(a, b, 0, mode) == nearest(x * y, mode, sign_a != sign_b)
        product = sign_a ^ sign_b
        zero = bool(product & sign_c or (down and (product | sign_c or x * y != 0)))
        assert f.mul_add(a, b, c, mode) == nearest(x * y + z, mode, zero)
        if y:
            assert f.div(a, b, 0, mode) == nearest(x / y, mode, sign_a != sign_b)
        if x > 0:
            scaled = x * Fraction(4) ** 120
            root = isqrt(int(scaled))  # 120 more bits than needed, then a sticky one
            exact = root * root == scaled
            assert f.sqrt(a, 0, 0, mode) == nearest(Fraction(2 * root + (not exact), 2) / Fraction(2) ** 120, mode)


@pytest.mark.parametrize("name", ["f32_to_i32", "f32_to_ui32", "f32_to_i64", "f32_to_ui64"])
def test_to_integer(name: str) -> None:
    rng = random.Random(name)
    mine = {
        "f32_to_i32": convert.to_i32,
        "f32_to_ui32": convert.to_u32,
        "f32_to_i64": convert.to_i64,
        "f32_to_ui64": convert.to_u64,
    }[name]
    size = 32 if name.endswith("32") else 64
    for (a,) in operands(rng, 3000, 1):
        if rng.random() < 0.5:
            a = rng.getrandbits(1) << 31 | rng.randint(120, 192) << 23 | rng.getrandbits(23)
        for mode in MODES:
            theirs, flags = oracle(partial(getattr(soft, name), single(a), SOFT_MODE[mode]), mode)
            value, raised = mine(a, 0, 0, mode)
            expected = int.from_bytes(theirs.to_bytes(), "big")  # type: ignore[attr-defined]
            assert (value & (1 << size) - 1, raised) == (expected, flags), f"{a:#x} mode {mode}"


@pytest.mark.parametrize("name", ["i32", "ui32", "i64", "ui64"])
def test_from_integer_is_the_nearest(name: str) -> None:
    """Against rationals; the sign-extended upper half of a wider register does not matter for words."""
    rng = random.Random(name)
    mine = {"i32": convert.from_i32, "ui32": convert.from_u32, "i64": convert.from_i64, "ui64": convert.from_u64}[name]
    size = 32 if name.endswith("32") else 64
    for _ in range(3000):
        raw = (
            rng.getrandbits(size) >> rng.randrange(size)
            if rng.random() < 0.7
            else rng.choice([0, 1, (1 << size) - 1, 1 << size - 1])
        )
        value = raw - (1 << size) if not name.startswith("u") and raw >> size - 1 else raw
        for mode in MODES:
            assert mine(raw, 0, 0, mode) == nearest(Fraction(value), mode), f"{raw:#x} mode {mode}"


def test_order_and_selection() -> None:
    """Tables of the RISC-V text: NaN handling, signed zeros, quiet and signalling comparison."""
    snan, qnan, zero, minus, one = 0x7F800001, 0x7FC00000, 0, 0x80000000, 0x3F800000
    cases = [
        (f.minimum, zero, minus, (minus, 0)), (f.minimum, minus, zero, (minus, 0)), (f.maximum, minus, zero, (zero, 0)),
        (f.maximum, zero, minus, (zero, 0)), (f.minimum, qnan, one, (one, 0)), (f.maximum, one, snan, (one, 16)),
        (f.minimum, snan, qnan, (0x7FC00000, 16)), (f.maximum, qnan, 0xFFC00001, (0x7FC00000, 0)),
        (f.equal, zero, minus, (1, 0)), (f.equal, qnan, qnan, (0, 0)), (f.equal, snan, one, (0, 16)),
        (f.less, minus, zero, (0, 0)), (f.less, qnan, one, (0, 16)), (f.less_equal, minus, zero, (1, 0)),
        (f.less_equal, one, qnan, (0, 16)), (f.less_equal, one, one, (1, 0)), (f.less, 0xBF800000, one, (1, 0)),
        (f.less, 0xC0000000, 0xBF800000, (1, 0)), (f.less_equal, one, 0xBF800000, (0, 0)),
        (f.copy_sign, one, minus, (0xBF800000, 0)), (f.copy_opposite_sign, snan, zero, (0xFF800001, 0)),
        (f.xor_sign, 0xBF800000, minus, (one, 0)),
    ]  # fmt: skip
    for operation, a, b, expected in cases:
        assert operation(a, b, 0, 0) == expected, (operation.__name__, hex(a), hex(b))
    rng = random.Random(1)
    for a, b in operands(rng, 3000, 2):
        for mine, theirs in ((f.less, soft.f32_lt), (f.less_equal, soft.f32_le), (f.equal, soft.f32_eq)):
            result, flags = oracle(partial(theirs, single(a), single(b)), 0)
            assert mine(a, b, 0, 0) == (int(bool(result)), flags), (mine.__name__, hex(a), hex(b))


def test_classes() -> None:
    table = [0xFF800000, 0xBF800000, 0x80000001, 0x80000000, 0, 1, 0x3F800000, 0x7F800000, 0x7F800001, 0x7FC00000]
    assert [f.classify(bits, 0, 0, 0) for bits in table] == [(1 << i, 0) for i in range(10)]


# ------------------------------------------------------------------ as instructions

F32 = HardwareConfig(ext_f=True)


def test_flags_of_active_lanes_and_dynamic_mode() -> None:
    _, warp = bare_warp(
        "fdiv.s fa0, fa1, fa2\n csrr a0, fflags\n csrrwi zero, frm, 3\n"
        "fadd.s fa3, fa1, fa4\n fadd.s fa3, fa1, fa4, rtz",
        0b0101,
        F32,
    )
    warp.fundef = [0] * 32
    warp.fregs[11] = [0x3F800000] * 4
    warp.fregs[12] = [0x40000000, 0, 0x40000000, 0]  # lanes 1 and 3 would divide by zero, but are inactive
    warp.fregs[14] = [1] * 4
    step = warp.step()
    assert [step.result[i] for i in (0, 2)] == [0x3F000000] * 2
    assert warp.fcsr == 0
    warp.set_mask(0b1010)
    warp.pc -= 4
    warp.step()
    assert warp.step().result[1] == DZ
    warp.step()
    assert warp.step().result[1] == 0x3F800001, "round up, dynamically"
    assert warp.step().result[1] == 0x3F800000
    assert warp.fcsr == 3 << 5 | DZ | NX


def test_reserved_rounding_modes_are_illegal() -> None:
    for source in ("fadd.s fa0, fa1, fa2, 5", "csrrwi zero, frm, 6\n fadd.s fa0, fa1, fa2"):
        _, warp = bare_warp(source, config=F32)
        step = warp.step() if "csr" not in source else [warp.step(), warp.step()][1]
        assert step.fault is not None
        assert "no rounding mode" in step.fault.detail


def test_boxing() -> None:
    """FLEN 64: results are boxed, what is not boxed counts as NaN, moves and stores take the low half."""
    _, warp = bare_warp(
        "fadd.s fa0, fa1, fa1\n fadd.s fa0, fa2, fa1\n fmv.x.w a1, fa2\n fmv.w.x fa0, a0",
        config=HardwareConfig(ext_f=True, flen=64),
    )
    warp.fregs[11], warp.fregs[12] = [0xFFFFFFFF_3F800000] * 4, [0x3F800000] * 4
    assert warp.step().result == [0xFFFFFFFF_40000000] * 4
    assert warp.step().result == [0xFFFFFFFF_7FC00000] * 4
    assert warp.step().result == [0x3F800000] * 4
    warp.regs[10] = [5] * 4
    assert warp.step().result == [0xFFFFFFFF_00000005] * 4


def test_without_f_there_is_none() -> None:
    _, warp = bare_warp("fadd.s fa0, fa1, fa2", config=HardwareConfig(ext_f=False))
    assert warp.step().fault is not None
