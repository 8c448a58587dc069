"""Each float instruction as a warp executes it: operands, mode, lanes, flags, boxes, undefined; SoftFloat as oracle."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
import softfloatpy as soft

from config import HardwareConfig
from tests.unit.golden_program import bare_warp
from tests.unit.test_golden_float import SOFT_MODE, operands, oracle, signless, single

LANES, MASK = 4, 0b1011
ALL = 0xFFFF_FFFF
Oracle = Callable[[list[int], int], tuple[int, int]]  # operands, mode -> (bits, flags)


def _soft(function: Callable[..., Any], signs: str = "", with_mode: bool = False) -> Oracle:
    def call(values: list[int], mode: int) -> tuple[int, int]:
        used = [signless(v) if i < len(signs) and signs[i] == "-" else v for i, v in enumerate(values)]
        more = [SOFT_MODE[mode]] if with_mode else []
        result, flags = oracle(partial(function, *map(single, used), *more), mode)
        return int(result) if isinstance(result, bool) else int.from_bytes(result.to_bytes(), "big"), flags  # type: ignore[attr-defined]

    return call


def _from(function: Callable[..., Any], kind: Any) -> Oracle:
    def call(values: list[int], mode: int) -> tuple[int, int]:
        result, flags = oracle(partial(function, kind.from_bytes(values[0].to_bytes(4, "big"))), mode)
        return int.from_bytes(result.to_bytes(), "big"), flags  # type: ignore[attr-defined]

    return call


def _bits(function: Callable[[list[int]], int]) -> Oracle:
    return lambda values, mode: (function(values), 0)


# name -> (sources, result, oracle); a source or result is f (float) or x (integer)
INSTRUCTIONS: dict[str, tuple[str, str, Oracle]] = {
    "fadd.s": ("ff", "f", _soft(soft.f32_add)),
    "fsub.s": ("ff", "f", _soft(soft.f32_sub)),
    "fmul.s": ("ff", "f", _soft(soft.f32_mul)),
    "fdiv.s": ("ff", "f", _soft(soft.f32_div)),
    "fsqrt.s": ("f", "f", _soft(soft.f32_sqrt)),
    "fmadd.s": ("fff", "f", _soft(soft.f32_mul_add)),
    "fmsub.s": ("fff", "f", _soft(soft.f32_mul_add, "++-")),
    "fnmsub.s": ("fff", "f", _soft(soft.f32_mul_add, "-++")),
    "fnmadd.s": ("fff", "f", _soft(soft.f32_mul_add, "-+-")),
    "feq.s": ("ff", "x", _soft(soft.f32_eq)),
    "flt.s": ("ff", "x", _soft(soft.f32_lt)),
    "fle.s": ("ff", "x", _soft(soft.f32_le)),
    "fcvt.w.s": ("f", "x", _soft(soft.f32_to_i32, with_mode=True)),
    "fcvt.wu.s": ("f", "x", _soft(soft.f32_to_ui32, with_mode=True)),
    "fcvt.s.w": ("x", "f", _from(soft.i32_to_f32, soft.Int32)),
    "fcvt.s.wu": ("x", "f", _from(soft.ui32_to_f32, soft.UInt32)),
    "fmv.x.w": ("f", "x", _bits(lambda v: v[0])),
    "fmv.w.x": ("x", "f", _bits(lambda v: v[0])),
    "fsgnj.s": ("ff", "f", _bits(lambda v: v[0] & 0x7FFF_FFFF | v[1] & 1 << 31)),
    "fsgnjn.s": ("ff", "f", _bits(lambda v: v[0] & 0x7FFF_FFFF | ~v[1] & 1 << 31)),
    "fsgnjx.s": ("ff", "f", _bits(lambda v: v[0] ^ v[1] & 1 << 31)),
}
ROUNDED = {"fadd.s", "fsub.s", "fmul.s", "fdiv.s", "fsqrt.s", "fmadd.s", "fmsub.s", "fnmsub.s", "fnmadd.s", "fcvt.w.s",
           "fcvt.wu.s", "fcvt.s.w", "fcvt.s.wu"}  # fmt: skip
MODE_NAMES = ("rne", "rtz", "rdn", "rup", "rmm")


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_one_instruction(name: str, xlen: int) -> None:
    sources, kind, expected_of = INSTRUCTIONS[name]
    rng = random.Random(f"{name}{xlen}")
    config = HardwareConfig(xlen=xlen, flen=xlen, ext_f=True)
    box = ALL << 32 if xlen == 64 else 0
    for trial in range(8):
        static = rng.choice(MODE_NAMES) if trial % 2 and name in ROUNDED else ""
        dynamic = rng.randrange(5)
        mode = MODE_NAMES.index(static) if static else dynamic
        registers = [("f" if s == "f" else "x") + str(10 + i) for i, s in enumerate(sources)]
        text = f"{name} {'f' if kind == 'f' else 'x'}9, {', '.join(registers)}"
        if name in ROUNDED:
            text += f", {static or 'dyn'}"
        _, warp = bare_warp(text, MASK, config)
        warp.fundef = [0] * 32
        warp.fcsr = dynamic << 5 | (before := rng.choice((0, 0, 1, 16)))
        values = [list(row) for row in operands(rng, LANES, len(sources))]
        undefined = 0
        for i, source in enumerate(sources):
            column = [values[lane][i] for lane in range(LANES)]
            hole = rng.choice((0, 0, 1 << rng.randrange(LANES)))
            undefined |= hole
            if source == "f":
                warp.fregs[10 + i], warp.fundef[10 + i] = [v | box for v in column], hole
            else:
                extended = [v | (ALL << 32 if xlen == 64 and v >> 31 else 0) for v in column]
                warp.regs[10 + i], warp.undef[10 + i] = extended, hole
        target = warp.fregs if kind == "f" else warp.regs
        target[9] = [7, 8, 9, 10]
        step = warp.step()
        flags = before
        for lane in range(LANES):
            if not MASK >> lane & 1:
                assert target[9][lane] == 7 + lane
                continue
            value, raised = expected_of(values[lane], mode)
            flags |= raised
            if kind == "f":
                value |= box
            elif xlen == 64 and value >> 31 & 1:
                value |= ALL << 32  # 32-bit results are sign-extended
            assert target[9][lane] == value, (text, mode, [hex(v) for v in values[lane]])
        assert warp.fcsr & 31 == flags, (text, mode)
        assert (step.wmask, step.undefined) == (MASK, undefined & MASK)
        assert (warp.fundef if kind == "f" else warp.undef)[9] == undefined & MASK


@pytest.mark.parametrize("name", [n for n, row in INSTRUCTIONS.items() if "f" in row[0] and n != "fmv.x.w"])
def test_a_single_that_is_not_boxed_is_nan(name: str) -> None:
    sources, kind, expected_of = INSTRUCTIONS[name]
    for place in [i for i, source in enumerate(sources) if source == "f"]:
        text = f"{name} {'f' if kind == 'f' else 'x'}9, " + ", ".join(f"f{10 + i}" for i in range(len(sources)))
        _, warp = bare_warp(
            text + (", dyn" if name in ROUNDED else ""), 1, HardwareConfig(xlen=64, flen=64, ext_f=True)
        )
        warp.fundef = [0] * 32
        values = [0x40490FDB, 0x3F800000, 0xC0000000][: len(sources)]
        for i, value in enumerate(values):
            warp.fregs[10 + i] = [(ALL if i != place else ALL - 1) << 32 | value] * LANES
        warp.step()
        values[place] = 0x7FC0_0000
        value, flags = expected_of(values, 0)
        got = (warp.fregs if kind == "f" else warp.regs)[9][0]
        assert (got & ALL, warp.fcsr & 31) == (value, flags)


def test_classes_of_all_lanes() -> None:
    kinds = [
        0xFF80_0000,
        0xBF80_0000,
        0x8000_0001,
        0x8000_0000,
        0,
        1,
        0x3F80_0000,
        0x7F80_0000,
        0x7F80_0001,
        0x7FC0_0000,
    ]
    for place, bits in enumerate(kinds):
        _, warp = bare_warp("fclass.s t0, f1", MASK, HardwareConfig(ext_f=True))
        warp.fundef[1] = 0b1001
        warp.fregs[1] = [bits, 0, bits, bits]
        warp.regs[5] = [99] * LANES
        warp.step()
        assert warp.regs[5] == [1 << place, 1 << 4, 99, 1 << place]
        assert (warp.undef[5], warp.fcsr) == (0b1001, 0)
