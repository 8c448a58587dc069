"""F: the rows of the table and how they go over the lanes; the arithmetic is in float32.py and float_convert.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.isa import float32 as f
from golden_model.isa import float_convert as convert
from golden_model.isa.float_round import CANONICAL_NAN, SIGN
from golden_model.isa.instruction import Executor, Extension, FloatFunction, Instruction, Unit

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp

OP_FP = 0x53
_FIXED_MODE = 0xFE00_707F  # funct3 is part of the encoding
_ANY_MODE = 0xFE00_007F


def unboxed(value: int, flen: int) -> int:
    """The single in a float register; one that is not boxed in ones counts as NaN."""
    if flen == 64 and value >> 32 != 0xFFFF_FFFF:
        return CANONICAL_NAN
    return value & 0xFFFF_FFFF


def execute_float(warp: Warp, op: Decoded, step: Step) -> None:
    """frd[i] ← g(frs1[i], frs2[i]); the flags of all active lanes go to fflags."""
    mode = _mode(warp, op, step)
    if mode is None:
        return
    first, second = warp.fregs[op.rs1], warp.fregs[op.rs2]
    operation, flags = op.float_lane, 0
    assert operation is not None
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        value, raised = operation(unboxed(first[i], warp.flen), unboxed(second[i], warp.flen), 0, mode)
        result[i] = value | warp.box
        flags |= raised
    warp.raise_flags(step, flags)
    warp.write_float(step, op.rd, result, warp.fundef[op.rs1] | warp.fundef[op.rs2])


def execute_float_one(warp: Warp, op: Decoded, step: Step) -> None:
    """frd[i] ← g(frs1[i])."""
    mode = _mode(warp, op, step)
    if mode is None:
        return
    first = warp.fregs[op.rs1]
    operation, flags = op.float_lane, 0
    assert operation is not None
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        value, raised = operation(unboxed(first[i], warp.flen), 0, 0, mode)
        result[i] = value | warp.box
        flags |= raised
    warp.raise_flags(step, flags)
    warp.write_float(step, op.rd, result, warp.fundef[op.rs1])


def execute_float_three(warp: Warp, op: Decoded, step: Step) -> None:
    """frd[i] ← g(frs1[i], frs2[i], frs3[i])."""
    mode = _mode(warp, op, step)
    if mode is None:
        return
    first, second, third = warp.fregs[op.rs1], warp.fregs[op.rs2], warp.fregs[op.rs3]
    operation, flags = op.float_lane, 0
    assert operation is not None
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        a, b, c = unboxed(first[i], warp.flen), unboxed(second[i], warp.flen), unboxed(third[i], warp.flen)
        value, raised = operation(a, b, c, mode)
        result[i] = value | warp.box
        flags |= raised
    warp.raise_flags(step, flags)
    warp.write_float(step, op.rd, result, warp.fundef[op.rs1] | warp.fundef[op.rs2] | warp.fundef[op.rs3])


def execute_compare(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← g(frs1[i], frs2[i]): 0 or 1."""
    first, second = warp.fregs[op.rs1], warp.fregs[op.rs2]
    operation, flags = op.float_lane, 0
    assert operation is not None
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        value, raised = operation(unboxed(first[i], warp.flen), unboxed(second[i], warp.flen), 0, 0)
        result[i] = value
        flags |= raised
    warp.raise_flags(step, flags)
    warp.write(step, op.rd, result, warp.fundef[op.rs1] | warp.fundef[op.rs2])


def execute_to_integer(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← g(frs1[i]), cut to XLEN bits: conversions and FCLASS."""
    mode = _mode(warp, op, step)
    if mode is None:
        return
    first, mask = warp.fregs[op.rs1], warp.xlen.mask
    operation, flags = op.float_lane, 0
    assert operation is not None
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        value, raised = operation(unboxed(first[i], warp.flen), 0, 0, mode)
        result[i] = value & mask
        flags |= raised
    warp.raise_flags(step, flags)
    warp.write(step, op.rd, result, warp.fundef[op.rs1])


def execute_classify(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← class of frs1[i]."""
    first, operation = warp.fregs[op.rs1], op.float_lane
    assert operation is not None
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        value, _ = operation(unboxed(first[i], warp.flen), 0, 0, 0)
        result[i] = value
    warp.write(step, op.rd, result, warp.fundef[op.rs1])


def execute_from_integer(warp: Warp, op: Decoded, step: Step) -> None:
    """frd[i] ← g(rs1[i])."""
    mode = _mode(warp, op, step)
    if mode is None:
        return
    first = warp.regs[op.rs1]
    operation, flags = op.float_lane, 0
    assert operation is not None
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        value, raised = operation(first[i], 0, 0, mode)
        result[i] = value | warp.box
        flags |= raised
    warp.raise_flags(step, flags)
    warp.write_float(step, op.rd, result, warp.undef[op.rs1])


def execute_bits_to_float(warp: Warp, op: Decoded, step: Step) -> None:
    """FMV.W.X: the low 32 bits."""
    first = warp.regs[op.rs1]
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        result[i] = first[i] & 0xFFFF_FFFF | warp.box
    warp.write_float(step, op.rd, result, warp.undef[op.rs1])


def execute_bits_to_integer(warp: Warp, op: Decoded, step: Step) -> None:
    """FMV.X.W: the low 32 bits whatever the box, sign-extended."""
    first = warp.fregs[op.rs1]
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        result[i] = ((first[i] & 0xFFFF_FFFF ^ SIGN) - SIGN) & warp.xlen.mask
    warp.write(step, op.rd, result, warp.fundef[op.rs1])


def _mode(warp: Warp, op: Decoded, step: Step) -> int | None:
    """Rounding mode of the instruction; None, with a fault, for the reserved ones."""
    mode = op.rm
    if mode == 7:
        mode = warp.fcsr >> 5
    if mode > 4:
        warp.illegal(step, f"{mode} is no rounding mode")
        return None
    return mode


# ------------------------------------------------------------------ table


def _row(
    name: str, mask: int, match: int, syntax: str, execute: Executor, lane: FloatFunction | None = None
) -> Instruction:
    return Instruction(name, mask, match, syntax, Unit.FLOAT, execute, Extension.F, float_lane=lane)


def _arithmetic(name: str, funct7: int, lane: FloatFunction) -> Instruction:
    return _row(name, _ANY_MODE, funct7 << 25 | OP_FP, "{frd}, {frs1}, {frs2}, {rm}", execute_float, lane)


def _fixed(name: str, funct7: int, funct3: int, lane: FloatFunction) -> Instruction:
    match = funct7 << 25 | funct3 << 12 | OP_FP
    return _row(name, _FIXED_MODE, match, "{frd}, {frs1}, {frs2}", execute_float, lane)


def _compare(name: str, funct3: int, lane: FloatFunction) -> Instruction:
    return _row(name, _FIXED_MODE, 0x50 << 25 | funct3 << 12 | OP_FP, "{rd}, {frs1}, {frs2}", execute_compare, lane)


def _fused(name: str, opcode: int, lane: FloatFunction) -> Instruction:
    return _row(name, 0x0600_007F, opcode, "{frd}, {frs1}, {frs2}, {frs3}, {rm}", execute_float_three, lane)


def _to_integer(name: str, rs2: int, lane: FloatFunction, xlens: tuple[int, ...] = (32, 64)) -> Instruction:
    match = 0x60 << 25 | rs2 << 20 | OP_FP
    return Instruction(
        name, 0xFFF0_007F, match, "{rd}, {frs1}, {rm}", Unit.FLOAT, execute_to_integer, Extension.F,
        float_lane=lane, xlens=xlens,
    )  # fmt: skip


def _from_integer(name: str, rs2: int, lane: FloatFunction, xlens: tuple[int, ...] = (32, 64)) -> Instruction:
    match = 0x68 << 25 | rs2 << 20 | OP_FP
    return Instruction(
        name, 0xFFF0_007F, match, "{frd}, {rs1}, {rm}", Unit.FLOAT, execute_from_integer, Extension.F,
        float_lane=lane, xlens=xlens,
    )  # fmt: skip


FLOAT: list[Instruction] = [
    _arithmetic("fadd.s", 0x00, f.add),
    _arithmetic("fsub.s", 0x04, f.sub),
    _arithmetic("fmul.s", 0x08, f.mul),
    _arithmetic("fdiv.s", 0x0C, f.div),
    _row("fsqrt.s", 0xFFF0_007F, 0x2C << 25 | OP_FP, "{frd}, {frs1}, {rm}", execute_float_one, f.sqrt),
    _fused("fmadd.s", 0x43, f.mul_add),
    _fused("fmsub.s", 0x47, f.mul_sub),
    _fused("fnmsub.s", 0x4B, f.neg_mul_sub),
    _fused("fnmadd.s", 0x4F, f.neg_mul_add),
    _fixed("fsgnj.s", 0x10, 0, f.copy_sign),
    _fixed("fsgnjn.s", 0x10, 1, f.copy_opposite_sign),
    _fixed("fsgnjx.s", 0x10, 2, f.xor_sign),
    _fixed("fmin.s", 0x14, 0, f.minimum),
    _fixed("fmax.s", 0x14, 1, f.maximum),
    _compare("fle.s", 0, f.less_equal),
    _compare("flt.s", 1, f.less),
    _compare("feq.s", 2, f.equal),
    _to_integer("fcvt.w.s", 0, convert.to_i32),
    _to_integer("fcvt.wu.s", 1, convert.to_u32),
    _to_integer("fcvt.l.s", 2, convert.to_i64, (64,)),
    _to_integer("fcvt.lu.s", 3, convert.to_u64, (64,)),
    _from_integer("fcvt.s.w", 0, convert.from_i32),
    _from_integer("fcvt.s.wu", 1, convert.from_u32),
    _from_integer("fcvt.s.l", 2, convert.from_i64, (64,)),
    _from_integer("fcvt.s.lu", 3, convert.from_u64, (64,)),
    _row("fmv.x.w", 0xFFF0_707F, 0x70 << 25 | OP_FP, "{rd}, {frs1}", execute_bits_to_integer),
    _row("fclass.s", 0xFFF0_707F, 0x70 << 25 | 1 << 12 | OP_FP, "{rd}, {frs1}", execute_classify, f.classify),
    _row("fmv.w.x", 0xFFF0_707F, 0x78 << 25 | OP_FP, "{frd}, {rs1}", execute_bits_to_float),
]
