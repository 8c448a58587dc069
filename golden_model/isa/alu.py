"""Integer computation: RV32I/RV64I OP, OP-IMM, LUI, AUIPC, and Zicond."""

# ruff: noqa: D103 - a lane function is named after its instruction and shorter than any docstring
from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.isa.bits import Xlen
from golden_model.isa.instruction import Executor, Extension, Instruction, LaneFunction, Unit, i_type, r_type, u_type

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp

OP = 0x33
OP_IMM = 0x13


# ------------------------------------------------------------------ one lane


def add(a: int, b: int, x: Xlen) -> int:
    return a + b


def sub(a: int, b: int, x: Xlen) -> int:
    return a - b


def sll(a: int, b: int, x: Xlen) -> int:
    return a << (b & x.shift_mask)


def slt(a: int, b: int, x: Xlen) -> int:
    return int(x.signed(a) < x.signed(b))


def sltu(a: int, b: int, x: Xlen) -> int:
    return int(a < b)


def xor(a: int, b: int, x: Xlen) -> int:
    return a ^ b


def srl(a: int, b: int, x: Xlen) -> int:
    return a >> (b & x.shift_mask)


def sra(a: int, b: int, x: Xlen) -> int:
    return x.signed(a) >> (b & x.shift_mask)


def or_(a: int, b: int, x: Xlen) -> int:
    return a | b


def and_(a: int, b: int, x: Xlen) -> int:
    return a & b


def czero_eqz(a: int, b: int, x: Xlen) -> int:
    return 0 if b == 0 else a


def czero_nez(a: int, b: int, x: Xlen) -> int:
    return 0 if b != 0 else a


# ------------------------------------------------------------------ one warp


def execute_op(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← f(rs1[i], rs2[i]) in every active lane; undefined if one operand is."""
    lane, xlen = op.lane, warp.xlen
    assert lane is not None
    mask = xlen.mask
    first, second = warp.regs[op.rs1], warp.regs[op.rs2]
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        result[i] = lane(first[i], second[i], xlen) & mask
    warp.write(step, op.rd, result, warp.undef[op.rs1] | warp.undef[op.rs2])


def execute_czero(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← rs1[i] or 0, as rs2[i] chooses; undefined if the choice is, or if an undefined rs1[i] is chosen.

    Compilers make selects of it whose other side has no value.
    """
    lane, xlen = op.lane, warp.xlen
    assert lane is not None
    mask = xlen.mask
    first, second = warp.regs[op.rs1], warp.regs[op.rs2]
    result = [0] * warp.num_lanes
    chosen = 0
    for i in warp.lanes:
        result[i] = lane(first[i], second[i], xlen) & mask
        if lane(mask, second[i], xlen) != 0:
            chosen |= 1 << i
    warp.write(step, op.rd, result, warp.undef[op.rs1] & chosen | warp.undef[op.rs2])


def execute_and(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← rs1[i] & rs2[i]; a zero that is defined makes the result defined, whatever the other operand is."""
    mask = warp.xlen.mask
    first, second = warp.regs[op.rs1], warp.regs[op.rs2]
    result = [0] * warp.num_lanes
    zeros_1 = 0
    zeros_2 = 0
    for i in warp.lanes:
        result[i] = first[i] & second[i] & mask
        if first[i] == 0:
            zeros_1 |= 1 << i
        if second[i] == 0:
            zeros_2 |= 1 << i
    unknown_1, unknown_2 = warp.undef[op.rs1], warp.undef[op.rs2]
    forced = zeros_1 & ~unknown_1 | zeros_2 & ~unknown_2
    warp.write(step, op.rd, result, (unknown_1 | unknown_2) & ~forced)


def execute_op_imm(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← f(rs1[i], imm)."""
    lane, xlen = op.lane, warp.xlen
    assert lane is not None
    mask = xlen.mask
    first, imm = warp.regs[op.rs1], op.imm & mask
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        result[i] = lane(first[i], imm, xlen) & mask
    warp.write(step, op.rd, result, warp.undef[op.rs1])


def execute_lui(warp: Warp, op: Decoded, step: Step) -> None:
    warp.write(step, op.rd, [_upper(op, warp.xlen)] * warp.num_lanes, 0)


def execute_auipc(warp: Warp, op: Decoded, step: Step) -> None:
    warp.write(step, op.rd, [(step.pc + _upper(op, warp.xlen)) & warp.xlen.mask] * warp.num_lanes, 0)


def _upper(op: Decoded, xlen: Xlen) -> int:
    """The 20 bits at [31:12], sign-extended to XLEN."""
    return ((op.imm << 12 ^ 0x8000_0000) - 0x8000_0000) & xlen.mask


# ------------------------------------------------------------------ table


def op(
    name: str,
    funct3: int,
    funct7: int,
    lane: LaneFunction,
    unit: Unit = Unit.ALU,
    extension: Extension = Extension.I,
    execute: Executor = execute_op,
) -> Instruction:
    """A register-register instruction."""
    mask, match = r_type(OP, funct3, funct7)
    return Instruction(name, mask, match, "{rd}, {rs1}, {rs2}", unit, execute, extension, lane)


def _op_imm(name: str, funct3: int, lane: LaneFunction) -> Instruction:
    mask, match = i_type(OP_IMM, funct3)
    return Instruction(name, mask, match, "{rd}, {rs1}, {imm}", Unit.ALU, execute_op_imm, lane=lane)


def _shift_imm(name: str, funct3: int, funct7: int, lane: LaneFunction) -> list[Instruction]:
    mask, match = r_type(OP_IMM, funct3, funct7)
    narrow, wide = "{rd}, {rs1}, {shamt5}", "{rd}, {rs1}, {shamt6}"
    return [
        Instruction(name, mask, match, narrow, Unit.ALU, execute_op_imm, lane=lane, xlens=(32,)),
        Instruction(name, mask & ~(1 << 25), match, wide, Unit.ALU, execute_op_imm, lane=lane, xlens=(64,)),
    ]


ALU: list[Instruction] = [
    Instruction("lui", *u_type(0x37), "{rd}, {upper}", Unit.ALU, execute_lui),
    Instruction("auipc", *u_type(0x17), "{rd}, {upper}", Unit.ALU, execute_auipc),
    _op_imm("addi", 0, add),
    _op_imm("slti", 2, slt),
    _op_imm("sltiu", 3, sltu),
    _op_imm("xori", 4, xor),
    _op_imm("ori", 6, or_),
    _op_imm("andi", 7, and_),
    *_shift_imm("slli", 1, 0x00, sll),
    *_shift_imm("srli", 5, 0x00, srl),
    *_shift_imm("srai", 5, 0x20, sra),
    op("add", 0, 0x00, add),
    op("sub", 0, 0x20, sub),
    op("sll", 1, 0x00, sll),
    op("slt", 2, 0x00, slt),
    op("sltu", 3, 0x00, sltu),
    op("xor", 4, 0x00, xor),
    op("srl", 5, 0x00, srl),
    op("sra", 5, 0x20, sra),
    op("or", 6, 0x00, or_),
    op("and", 7, 0x00, and_, execute=execute_and),
    op("czero.eqz", 5, 0x07, czero_eqz, extension=Extension.ZICOND, execute=execute_czero),
    op("czero.nez", 7, 0x07, czero_nez, extension=Extension.ZICOND, execute=execute_czero),
]
