"""RV64 only: computation on the low 32 bits, the result sign-extended. Illegal while XLEN is 32."""

from __future__ import annotations

from golden_model.isa.alu import add, execute_op, execute_op_imm, sll, sra, srl, sub
from golden_model.isa.bits import Xlen, sign_extend
from golden_model.isa.instruction import Extension, Instruction, LaneFunction, Unit, i_type, r_type
from golden_model.isa.muldiv import div, divu, mul, rem, remu

OP_32 = 0x3B
OP_IMM_32 = 0x1B
_WORD = Xlen.of(32)


def word_form(lane: LaneFunction) -> LaneFunction:
    """The 32-bit form of a computation."""

    def word(a: int, b: int, x: Xlen) -> int:
        return sign_extend(lane(a & _WORD.mask, b & _WORD.mask, _WORD), 32)

    return word


def _op(name: str, funct3: int, funct7: int, lane: LaneFunction, extension: Extension = Extension.I) -> Instruction:
    mask, match = r_type(OP_32, funct3, funct7)
    unit = Unit.MULDIV if extension is Extension.M else Unit.ALU
    return Instruction(
        name, mask, match, "{rd}, {rs1}, {rs2}", unit, execute_op, extension, word_form(lane), xlens=(64,)
    )


def _shift(name: str, funct3: int, funct7: int, lane: LaneFunction) -> Instruction:
    mask, match = r_type(OP_IMM_32, funct3, funct7)
    syntax = "{rd}, {rs1}, {shamt5}"
    return Instruction(name, mask, match, syntax, Unit.ALU, execute_op_imm, lane=word_form(lane), xlens=(64,))


RV64: list[Instruction] = [
    Instruction(
        "addiw",
        *i_type(OP_IMM_32, 0),
        "{rd}, {rs1}, {imm}",
        Unit.ALU,
        execute_op_imm,
        lane=word_form(add),
        xlens=(64,),
    ),
    _shift("slliw", 1, 0x00, sll),
    _shift("srliw", 5, 0x00, srl),
    _shift("sraiw", 5, 0x20, sra),
    _op("addw", 0, 0x00, add),
    _op("subw", 0, 0x20, sub),
    _op("sllw", 1, 0x00, sll),
    _op("srlw", 5, 0x00, srl),
    _op("sraw", 5, 0x20, sra),
    _op("mulw", 0, 0x01, mul, Extension.M),
    _op("divw", 4, 0x01, div, Extension.M),
    _op("divuw", 5, 0x01, divu, Extension.M),
    _op("remw", 6, 0x01, rem, Extension.M),
    _op("remuw", 7, 0x01, remu, Extension.M),
]
