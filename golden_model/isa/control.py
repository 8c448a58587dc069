"""Branches and jumps: the last (highest) active lane decides for the whole warp (docs/reference/vortex.md §2.1)."""

# ruff: noqa: D103 - a lane function is named after its instruction and shorter than any docstring
from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.findings import FindingKind
from golden_model.isa.bits import Xlen
from golden_model.isa.instruction import Executor, Extension, Instruction, LaneFunction, Unit, i_type, u_type

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp

MTVEC, MEPC, MCAUSE, MTVAL = 0x305, 0x341, 0x342, 0x343


def eq(a: int, b: int, x: Xlen) -> int:
    return a == b


def ne(a: int, b: int, x: Xlen) -> int:
    return a != b


def lt(a: int, b: int, x: Xlen) -> int:
    return x.signed(a) < x.signed(b)


def ge(a: int, b: int, x: Xlen) -> int:
    return x.signed(a) >= x.signed(b)


def ltu(a: int, b: int, x: Xlen) -> int:
    return a < b


def geu(a: int, b: int, x: Xlen) -> int:
    return a >= b


def execute_branch(warp: Warp, op: Decoded, step: Step) -> None:
    """Whole warp to PC + imm if the last active lane's condition holds."""
    condition, xlen = op.lane, warp.xlen
    assert condition is not None
    first, second = warp.regs[op.rs1], warp.regs[op.rs2]
    taken = 0
    for i in warp.lanes:
        if condition(first[i], second[i], xlen):
            taken |= 1 << i
    undefined = (warp.undef[op.rs1] | warp.undef[op.rs2]) & warp.tmask
    if undefined:
        warp.report(step, FindingKind.UNDEFINED_BRANCH, undefined, f"{op.name} compares a register never written")
    defined = warp.tmask & ~undefined
    if taken & defined and taken & defined != defined:
        warp.report(
            step,
            FindingKind.DIVERGENT_BRANCH,
            defined,
            f"active lanes disagree on {op.name}: lanes {taken & defined:#x} take it, lanes {defined & ~taken:#x} do "
            f"not, lane {warp.last} decides for all; a SPLIT or PRED is missing",
        )
    step.is_control = True
    if taken >> warp.last & 1:
        step.next_pc = (step.pc + op.imm) & warp.pc_mask


def execute_jal(warp: Warp, op: Decoded, step: Step) -> None:
    step.is_control = True
    step.next_pc = (step.pc + op.imm) & warp.pc_mask
    _check_dispatch_call(warp, step)
    warp.write(step, op.rd, [(step.pc + 4) & warp.xlen.mask] * warp.num_lanes, 0)


def execute_jalr(warp: Warp, op: Decoded, step: Step) -> None:
    """Target from the last active lane; like every target it loses both low bits, since there is no C."""
    base = warp.regs[op.rs1]
    target = base[warp.last]
    undefined = warp.undef[op.rs1] & warp.tmask
    if undefined:
        warp.report(step, FindingKind.UNDEFINED_JUMP, undefined, "jump through a register never written")
    other = sum(1 << i for i in warp.lanes if base[i] != target and not undefined >> i & 1)
    if other and not undefined >> warp.last & 1:
        warp.report(
            step,
            FindingKind.DIVERGENT_JUMP,
            other,
            f"lanes {other:#x} want another jump target than lane {warp.last}, which decides",
        )
    step.is_control = True
    step.next_pc = (target + op.imm) & warp.pc_mask
    _check_dispatch_call(warp, step)
    warp.write(step, op.rd, [(step.pc + 4) & warp.xlen.mask] * warp.num_lanes, 0)


def _check_dispatch_call(warp: Warp, step: Step) -> None:
    """A call in the dispatch window must go to the kernel that was launched."""
    if step.pc in warp.code.dispatch_calls and warp.resident is not None:
        cta = warp.resident.cta
        wrong = warp.code.wrong_call(step.next_pc, cta.pc, cta.entry)
        if wrong:
            warp.report(step, FindingKind.WRONG_DISPATCH_CALL, warp.tmask, f"the dispatch window {wrong}")


def execute_ecall(warp: Warp, op: Decoded, step: Step) -> None:
    _trap(warp, step, 11)


def execute_ebreak(warp: Warp, op: Decoded, step: Step) -> None:
    _trap(warp, step, 3)


def _trap(warp: Warp, step: Step, cause: int) -> None:
    """To MTVEC, with the mask put aside. Without a handler MTVEC is 0, and the fetch at 0 is the fault."""
    step.is_control = True
    step.next_pc = warp.csr_storage.get(MTVEC, 0) & ~3
    warp.csr_storage[MEPC] = step.pc
    warp.csr_storage[MCAUSE] = cause
    warp.csr_storage[MTVAL] = 0
    warp.saved_mask = step.tmask


def execute_return(warp: Warp, op: Decoded, step: Step) -> None:
    """MRET, SRET, URET: back to MEPC, with the mask that the trap put aside."""
    step.is_control = True
    step.next_pc = warp.csr_storage.get(MEPC, 0) & warp.pc_mask
    if warp.saved_mask:
        step.next_mask = warp.saved_mask


def _branch(name: str, funct3: int, condition: LaneFunction) -> Instruction:
    mask, match = i_type(0x63, funct3)
    return Instruction(name, mask, match, "{rs1}, {rs2}, {branch}", Unit.BRANCH, execute_branch, lane=condition)


def _system(name: str, word: int, execute: Executor) -> Instruction:
    return Instruction(name, 0xFFFFFFFF, word, "", Unit.BRANCH, execute, Extension.SIMT_FULL)


CONTROL: list[Instruction] = [
    Instruction("jal", *u_type(0x6F), "{rd}, {jump}", Unit.BRANCH, execute_jal),
    Instruction("jalr", *i_type(0x67, 0), "{rd}, {imm}({rs1})", Unit.BRANCH, execute_jalr),
    _branch("beq", 0, eq),
    _branch("bne", 1, ne),
    _branch("blt", 4, lt),
    _branch("bge", 5, ge),
    _branch("bltu", 6, ltu),
    _branch("bgeu", 7, geu),
    _system("ecall", 0x00000073, execute_ecall),
    _system("ebreak", 0x00100073, execute_ebreak),
    _system("mret", 0x30200073, execute_return),
    _system("sret", 0x10200073, execute_return),
    _system("uret", 0x00200073, execute_return),
]
