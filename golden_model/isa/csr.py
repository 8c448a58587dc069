"""Zicsr instructions. The registers themselves are in golden_model/csr.py."""

# ruff: noqa: D103 - a lane function is named after its instruction and shorter than any docstring
from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.findings import FindingKind
from golden_model.isa.bits import Xlen
from golden_model.isa.instruction import Instruction, LaneFunction, Unit, i_type

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp

SYSTEM = 0x73


def write(old: int, operand: int, x: Xlen) -> int:
    return operand


def set_bits(old: int, operand: int, x: Xlen) -> int:
    return old | operand


def clear_bits(old: int, operand: int, x: Xlen) -> int:
    return old & ~operand


def execute_csr(warp: Warp, op: Decoded, step: Step) -> None:
    """CSRRW/S/C with the operand of the last active lane (docs/reference/vortex.md §3.1)."""
    _execute(warp, op, step, warp.regs[op.rs1][warp.last], warp.undef[op.rs1] >> warp.last & 1)


def execute_csr_imm(warp: Warp, op: Decoded, step: Step) -> None:
    """CSRRWI/SI/CI with the zero-extended 5-bit immediate."""
    _execute(warp, op, step, op.imm, 0)


def _execute(warp: Warp, op: Decoded, step: Step, operand: int, operand_undefined: int) -> None:
    """One operation per instruction; rd of every active lane gets the old value.

    CSRRW always writes; set and clear write only if the operand's value is not 0.
    """
    register = warp.core.csrs.get(op.csr)
    if register is None:
        warp.illegal(step, f"CSR {op.csr:#05x} does not exist")
        return
    values, undefined = register.read_lanes(warp, step)
    writes = op.lane is write or operand != 0
    if writes and register.write is None and not register.ignores_writes:
        warp.illegal(step, f"CSR {op.csr:#05x} ({register.name}) is read-only")
        return
    if writes and register.write is not None:
        if operand_undefined:
            what = f"a register never written goes to CSR {register.name}"
            warp.report(step, FindingKind.UNDEFINED_CSR, 1 << warp.last, what)
        assert op.lane is not None
        register.write(warp, op.lane(values[warp.last], operand, warp.xlen) & warp.xlen.mask)
    warp.write(step, op.rd, values, undefined)


def _csr(name: str, funct3: int, operation: LaneFunction) -> Instruction:
    mask, match = i_type(SYSTEM, funct3)
    if funct3 & 4:
        return Instruction(name, mask, match, "{rd}, {csr}, {zimm}", Unit.CSR, execute_csr_imm, lane=operation)
    return Instruction(name, mask, match, "{rd}, {csr}, {rs1}", Unit.CSR, execute_csr, lane=operation)


CSR_INSTRUCTIONS: list[Instruction] = [
    _csr("csrrw", 1, write),
    _csr("csrrs", 2, set_bits),
    _csr("csrrc", 3, clear_bits),
    _csr("csrrwi", 5, write),
    _csr("csrrsi", 6, set_bits),
    _csr("csrrci", 7, clear_bits),
]
