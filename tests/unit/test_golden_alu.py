"""Computation, lane by lane, against Python's big integers and against numpy."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import HardwareConfig
from golden_model.isa import BY_NAME, INSTRUCTIONS, Unit
from golden_model.isa.bits import Xlen
from golden_model.isa.table import find
from tests.unit.golden_program import OUT, bare_warp

EDGES_32 = [0, 1, 2, 3, 7, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFF, 0x10000, 0xDEADBEEF]


def lane(name: str, a: int, b: int, bits: int = 32) -> int:
    """Result of the table's function, cut to the width as the executor does."""
    row = find(name, bits)
    assert row is not None
    assert row.lane is not None
    xlen = Xlen.of(bits)
    return row.lane(a, b, xlen) & xlen.mask


def signed(value: int, bits: int = 32) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def exact(name: str, a: int, b: int, bits: int) -> int:
    """RISC-V M by its text: signed values as integers, quotient rounded towards zero, special cases by name."""
    sa, sb = signed(a, bits), signed(b, bits)
    mask = (1 << bits) - 1
    if name == "mul":
        return (sa * sb) & mask
    if name in ("mulh", "mulhsu", "mulhu"):
        left = a if name == "mulhu" else sa
        right = sb if name == "mulh" else b
        return (left * right) >> bits & mask
    if name in ("divu", "remu"):
        if b == 0:
            return mask if name == "divu" else a
        return a // b if name == "divu" else a % b
    if sb == 0:
        return mask if name == "div" else a
    if sa == -(1 << (bits - 1)) and sb == -1:
        return a if name == "div" else 0
    quotient = int(np.sign(sa) * np.sign(sb)) * (abs(sa) // abs(sb))
    return (quotient if name == "div" else sa - quotient * sb) & mask


M_NAMES = ["mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"]


@pytest.mark.parametrize("name", M_NAMES)
@pytest.mark.parametrize("bits", [32, 64])
def test_m_corner_cases(name: str, bits: int) -> None:
    top = 1 << (bits - 1)
    edges = [0, 1, 2, 3, 5, top - 1, top, top + 1, 2 * top - 2, 2 * top - 1, 0x1234_5678]
    for a, b in itertools.product(edges, repeat=2):
        assert lane(name, a, b, bits) == exact(name, a, b, bits), (hex(a), hex(b))


@settings(max_examples=300, deadline=None)
@given(name=st.sampled_from(M_NAMES), a=st.integers(0, 2**32 - 1), b=st.integers(0, 2**32 - 1))
def test_m_anywhere(name: str, a: int, b: int) -> None:
    assert lane(name, a, b) == exact(name, a, b, 32)


def numpy_result(name: str, a: int, b: int) -> int:
    """The same operation on numpy's 32-bit types."""
    ua, ub = np.uint32(a), np.uint32(b)
    ia, ib = ua.view(np.int32), ub.view(np.int32)
    shift = np.uint32(b & 31)
    with np.errstate(over="ignore"):
        operations: dict[str, Callable[[], Any]] = {
            "add": lambda: ua + ub,
            "sub": lambda: ua - ub,
            "sll": lambda: ua << shift,
            "slt": lambda: np.uint32(ia < ib),
            "sltu": lambda: np.uint32(ua < ub),
            "xor": lambda: ua ^ ub,
            "srl": lambda: ua >> shift,
            "sra": lambda: (ia >> shift.view(np.int32)).view(np.uint32),
            "or": lambda: ua | ub,
            "and": lambda: ua & ub,
            "czero.eqz": lambda: np.where(ub == 0, np.uint32(0), ua),
            "czero.nez": lambda: np.where(ub != 0, np.uint32(0), ua),
            "beq": lambda: ua == ub,
            "bne": lambda: ua != ub,
            "blt": lambda: ia < ib,
            "bge": lambda: ia >= ib,
            "bltu": lambda: ua < ub,
            "bgeu": lambda: ua >= ub,
        }
        return int(operations[name]())


NUMPY_NAMES = ["add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or", "and", "czero.eqz", "czero.nez",
               "beq", "bne", "blt", "bge", "bltu", "bgeu"]  # fmt: skip


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_alu_and_conditions_against_numpy(name: str) -> None:
    rng = np.random.default_rng(3)
    values = EDGES_32 + [int(value) for value in rng.integers(0, 2**32, 20)]
    for a, b in itertools.product(values, repeat=2):
        assert lane(name, a, b) == numpy_result(name, a, b), (hex(a), hex(b))


def test_immediate_forms_share_the_function_of_the_register_form() -> None:
    for name in ("add", "slt", "xor", "or", "and", "sll", "srl", "sra"):
        assert BY_NAME[name + "i"].lane is BY_NAME[name].lane
    assert BY_NAME["sltiu"].lane is BY_NAME["sltu"].lane
    tested = {*M_NAMES, *NUMPY_NAMES, *WORD_FORMS, "csrrw", "csrrs", "csrrc", "csrrwi", "csrrsi", "csrrci"}
    shared = {"addi", "slti", "xori", "ori", "andi", "slli", "srli", "srai", "sltiu"}
    elsewhere = (Unit.ATOMIC, Unit.SIMT)  # test_golden_atomic.py, test_golden_lanes.py
    assert {row.name for row in INSTRUCTIONS if row.lane is not None and row.unit not in elsewhere} == tested | shared


# 32-bit forms of RV64, each with the operation whose 32-bit result it extends.
WORD_FORMS = {
    **{name + "w": name for name in ("add", "sub", "sll", "srl", "sra", "mul", "div", "divu", "rem", "remu")},
    **{name + "iw": name for name in ("add", "sll", "srl", "sra")},
}


@pytest.mark.parametrize("name", WORD_FORMS)
def test_word_forms_extend_the_32_bit_result(name: str) -> None:
    plain = WORD_FORMS[name]
    judge = exact if plain in M_NAMES else lambda name, a, b, bits: numpy_result(name, a, b)
    for a, b in itertools.product(EDGES_32, repeat=2):
        narrow = judge(plain, a, b, 32)
        expected = narrow | (0xFFFFFFFF_00000000 if narrow >> 31 else 0)
        assert lane(name, a | 0x1234_0000_0000, b | 0xFFFF_0000_0000_0000, 64) == expected, (hex(a), hex(b))
    assert find(name, 32) is None


# ------------------------------------------------------------------ whole warp


def test_64_bit_registers() -> None:
    config = HardwareConfig(xlen=64, stack_base_addr=0x1_FFFF_0000)
    _, warp = bare_warp(
        "lui a0, 0x80000\nslli a0, a0, 4\nadd a1, a0, a0\nsd a1, 0(a2)\nlw a3, 4(a2)\nlwu a4, 4(a2)", config=config
    )
    warp.regs[12] = [OUT + 8 * i for i in range(4)]
    assert warp.step().result == [0xFFFFFFFF_80000000] * 4
    assert warp.step().result == [0xFFFFFFF8_00000000] * 4
    assert warp.step().result == [0xFFFFFFF0_00000000] * 4
    warp.step()
    assert warp.step().result == [0xFFFFFFFF_FFFFFFF0] * 4
    assert warp.step().result == [0x00000000_FFFFFFF0] * 4


def test_only_active_lanes_are_written() -> None:
    _, warp = bare_warp("add a0, a1, a2", mask=0b1010)
    warp.regs[10], warp.regs[11], warp.regs[12] = [9, 9, 9, 9], [1, 2, 3, 0xFFFFFFFF], [10, 20, 30, 2]
    step = warp.step()
    assert warp.regs[10] == [9, 22, 9, 1]
    assert (step.wmask, step.rd, step.tmask) == (0b1010, 10, 0b1010)
    assert [step.result[i] for i in (1, 3)] == [22, 1]
    assert step.next_pc == step.pc + 4
    assert not step.is_control


def test_destination_may_be_a_source() -> None:
    _, warp = bare_warp("sub a0, a1, a0")
    warp.regs[10], warp.regs[11] = [1, 2, 3, 4], [10, 10, 10, 10]
    warp.step()
    assert warp.regs[10] == [9, 8, 7, 6]


def test_x0_is_never_written() -> None:
    _, warp = bare_warp("addi zero, zero, 5\nadd a0, zero, zero")
    step = warp.step()
    assert (step.wmask, step.rd_file, step.rd) == (0, 0, 0)
    assert warp.step().result == [0, 0, 0, 0]


def test_a_step_keeps_its_result_when_the_register_changes() -> None:
    _, warp = bare_warp("addi a0, zero, 1\naddi a0, zero, 2")
    first = warp.step()
    warp.set_mask(0b0011)
    warp.step()
    assert first.result == [1, 1, 1, 1]
    assert warp.regs[10] == [2, 2, 1, 1]


@pytest.mark.parametrize(
    ("imm", "expected"), [(-1, [0, 1, 0xFFFFFFFE, 0x7FFFFFFF]), (2047, [2048, 2049, 2046, 0x800007FF])]
)
def test_immediates_are_sign_extended(imm: int, expected: list[int]) -> None:
    _, warp = bare_warp(f"addi a0, a1, {imm}")
    warp.regs[11] = [1, 2, 0xFFFFFFFF, 0x80000000]
    assert warp.step().result == expected


def test_sltiu_compares_the_sign_extended_immediate_unsigned() -> None:
    _, warp = bare_warp("sltiu a0, a1, -1")
    warp.regs[11] = [0, 5, 0xFFFFFFFE, 0xFFFFFFFF]
    assert warp.step().result == [1, 1, 1, 0]


def test_lui_and_auipc() -> None:
    _, warp = bare_warp("lui a0, 0xfffff\nauipc a0, 0x80000\nauipc a0, 1")
    assert warp.step().result == [0xFFFFF000] * 4
    assert warp.step().result == [0x00000004] * 4
    assert warp.step().result == [0x80001008] * 4
