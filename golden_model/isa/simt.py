"""Thread mask, divergence and barriers (docs/reference/vortex.md §2.3 to §2.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.findings import FindingKind
from golden_model.isa.instruction import Executor, Extension, Instruction, Unit

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp

CUSTOM0 = 0x0B


def execute_tmc(warp: Warp, op: Decoded, step: Step) -> None:
    """tmask ← rs1 of the last active lane; 0 ends the warp."""
    step.is_control = True
    mask = warp.scalar(step, op.rs1, FindingKind.UNDEFINED_MASK, "TMC mask")
    step.next_mask = mask & warp.full_mask


def execute_split(warp: Warp, op: Decoded, step: Step) -> None:
    """Push and go on with the side of fewer lanes (tie: then side); a uniform predicate changes nothing."""
    step.is_control = True
    then_mask = warp.predicate(step, op.rs1, negate=op.rs2 & 1)
    else_mask = warp.tmask & ~then_mask
    pointer = len(warp.ipdom)
    if then_mask and else_mask and warp.ipdom_push(step, warp.tmask, step.pc + 4):
        step.next_mask = then_mask if then_mask.bit_count() <= else_mask.bit_count() else else_mask
    warp.write(step, op.rd, [pointer] * warp.num_lanes, 0)


def execute_join(warp: Warp, op: Decoded, step: Step) -> None:
    """First visit: the other side starts after the SPLIT. Second visit: the lanes are together again."""
    step.is_control = True
    pointer = warp.scalar(step, op.rs1, FindingKind.UNDEFINED_JOIN, "JOIN pointer")
    if warp.num_lanes > 1:
        warp.ipdom_join(step, pointer)


def execute_pred(warp: Warp, op: Decoded, step: Step) -> None:
    """tmask ← lanes whose condition holds, or the restore mask if there is none."""
    step.is_control = True
    then_mask = warp.predicate(step, op.rs1, negate=op.rd & 1)
    if then_mask:
        step.next_mask = then_mask
    else:
        step.next_mask = warp.scalar(step, op.rs2, FindingKind.UNDEFINED_MASK, "PRED restore mask") & warp.full_mask


def execute_bar(warp: Warp, op: Decoded, step: Step) -> None:
    """Arrive and wait; the barrier unit decides who goes on."""
    identifier = warp.scalar(step, op.rs1, FindingKind.UNDEFINED_BARRIER, "barrier id")
    count = warp.scalar(step, op.rs2, FindingKind.UNDEFINED_BARRIER, "participant count")
    warp.core.barrier_sync(warp, step, identifier & 0xFFFF_FFFF, count & 0xFFFF_FFFF)


def execute_wsync(warp: Warp, op: Decoded, step: Step) -> None:
    """Everything older has committed already."""


def custom(
    funct3: int, funct7: int = 0, *, rd: int | None = None, rs2: int | None = None, rs1: int | None = None
) -> tuple[int, int]:
    """(mask, match) of a custom-0 instruction; a register field given here is fixed to that number."""
    mask, match = 0xFE00707F, funct7 << 25 | funct3 << 12 | CUSTOM0
    for low, number in ((7, rd), (15, rs1), (20, rs2)):
        if number is not None:
            mask |= 31 << low
            match |= number << low
    return mask, match


def _simt(name: str, fixed: tuple[int, int], syntax: str, execute: Executor) -> Instruction:
    return Instruction(name, *fixed, syntax, Unit.SIMT, execute, Extension.VORTEX)


SIMT: list[Instruction] = [
    _simt("tmc", custom(0, rd=0, rs2=0), "{rs1}", execute_tmc),
    _simt("split", custom(2, rs2=0), "{rd}, {rs1}", execute_split),
    _simt("split.n", custom(2, rs2=1), "{rd}, {rs1}", execute_split),
    _simt("join", custom(3, rd=0, rs2=0), "{rs1}", execute_join),
    _simt("bar", custom(4, rd=0), "{rs1}, {rs2}", execute_bar),
    _simt("pred", custom(5, rd=0), "{rs1}, {rs2}", execute_pred),
    _simt("pred.n", custom(5, rd=1), "{rs1}, {rs2}", execute_pred),
    _simt("wsync", custom(7, rd=0, rs1=0, rs2=0), "", execute_wsync),
]
