"""Thread mask, divergence and barriers (docs/reference/vortex.md §2.3 to §2.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.findings import FindingKind, Site
from golden_model.isa.instruction import Executor, Extension, Instruction, Unit, r_type
from golden_model.records.layout import IpdomOp
from golden_model.step import IpdomEvent

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
    then_mask = _predicate(warp, step, op.rs1, op.rs2 & 1)
    else_mask = warp.tmask & ~then_mask
    pointer = len(warp.ipdom)
    if then_mask and else_mask:
        if not _ipdom_push(warp, step, warp.tmask, step.pc + 4):
            return
        step.next_mask = then_mask if then_mask.bit_count() <= else_mask.bit_count() else else_mask
    warp.write(step, op.rd, [pointer] * warp.num_lanes, 0)


def execute_join(warp: Warp, op: Decoded, step: Step) -> None:
    """First visit: the other side starts after the SPLIT. Second visit: the lanes are together again."""
    step.is_control = True
    pointer = warp.scalar(step, op.rs1, FindingKind.UNDEFINED_JOIN, "JOIN pointer")
    if warp.num_lanes > 1:
        _ipdom_join(warp, step, pointer)


def execute_pred(warp: Warp, op: Decoded, step: Step) -> None:
    """tmask ← lanes whose condition holds, or the restore mask if there is none."""
    step.is_control = True
    then_mask = _predicate(warp, step, op.rs1, op.rd & 1)
    if then_mask:
        step.next_mask = then_mask
    else:
        step.next_mask = warp.scalar(step, op.rs2, FindingKind.UNDEFINED_MASK, "PRED restore mask") & warp.full_mask


def execute_bar(warp: Warp, op: Decoded, step: Step) -> None:
    """Arrive and wait; the barrier unit decides who goes on."""
    identifier = warp.scalar(step, op.rs1, FindingKind.UNDEFINED_BARRIER, "barrier id")
    count = warp.scalar(step, op.rs2, FindingKind.UNDEFINED_BARRIER, "participant count")
    warp.core.barrier_sync(warp, step, identifier & 0xFFFF_FFFF, count & 0xFFFF_FFFF)


def execute_bar_arrive(warp: Warp, op: Decoded, step: Step) -> None:
    """rd ← phase before the arrival; the warp goes on. With bit 31 of rs2: announce transactions instead."""
    identifier = warp.scalar(step, op.rs1, FindingKind.UNDEFINED_BARRIER, "barrier id")
    operand = warp.scalar(step, op.rs2, FindingKind.UNDEFINED_BARRIER, "participant count")
    phase = warp.core.barrier_arrive(warp, step, identifier & 0xFFFF_FFFF, operand & 0xFFFF_FFFF)
    if phase is None:
        return
    warp.write(step, op.rd, [phase] * warp.num_lanes, 0)


def execute_bar_wait(warp: Warp, op: Decoded, step: Step) -> None:
    """Suspend unless the phase of the token is over."""
    identifier = warp.scalar(step, op.rs1, FindingKind.UNDEFINED_BARRIER, "barrier id")
    token = warp.scalar(step, op.rs2, FindingKind.UNDEFINED_BARRIER, "phase token")
    warp.core.barrier_wait(warp, step, identifier & 0xFFFF_FFFF, token & 0xFFFF_FFFF)


def execute_wspawn(warp: Warp, op: Decoded, step: Step) -> None:
    """Wait until alone, then start warps 0 … count - 1 except the own one, with lane 0."""
    count = warp.scalar(step, op.rs1, FindingKind.UNDEFINED_MASK, "WSPAWN count")
    pc = warp.scalar(step, op.rs2, FindingKind.UNDEFINED_JUMP, "WSPAWN start PC")
    step.is_control = True
    warp.core.spawn(warp, step, count, pc)


def execute_wsync(warp: Warp, op: Decoded, step: Step) -> None:
    """Everything older has committed already."""


def _predicate(warp: Warp, step: Step, register: int, negate: int) -> int:
    """Active lanes whose bit 0 of the register, negated if asked, is 1."""
    values = warp.regs[register]
    undefined = warp.undef[register] & warp.tmask
    if undefined:
        warp.report(step, FindingKind.UNDEFINED_PREDICATE, undefined, "the predicate is a register never written")
    mask = 0
    for lane in warp.lanes:
        if values[lane] & 1 != negate:
            mask |= 1 << lane
    return mask


def _ipdom_push(warp: Warp, step: Step, mask: int, pc: int) -> bool:
    """Open a divergent SPLIT; False, with a fault, if the stack is full."""
    pointer = len(warp.ipdom)
    if pointer >= warp.ipdom.depth:
        detail = f"SPLIT with {pointer} SPLITs open, and the stack holds {warp.ipdom.depth}"
        warp.report(step, FindingKind.IPDOM_OVERFLOW, mask, detail)
        warp.illegal(step, detail)
        return False
    warp.ipdom.push(mask, pc)
    step.ipdom = IpdomEvent(IpdomOp.PUSH, pointer, mask, pc)
    return True


def _ipdom_join(warp: Warp, step: Step, pointer: int) -> None:
    """JOIN with the pointer that its SPLIT returned."""
    depth = len(warp.ipdom)
    if pointer == depth:
        return  # the SPLIT was uniform
    entry = warp.ipdom.top()
    if pointer != depth - 1:
        detail = f"JOIN of SPLIT number {pointer} while {depth} are open: SPLIT and JOIN do not nest"
        warp.report(step, FindingKind.IPDOM_MISMATCH, warp.tmask, detail)
        if entry is None:
            warp.illegal(step, detail)
            return
    assert entry is not None
    if not entry.second:
        step.ipdom = IpdomEvent(IpdomOp.FLIP, depth, entry.mask, entry.pc)
        step.next_mask = entry.mask & ~warp.tmask
        step.next_pc = entry.pc
        entry.second, entry.first_join = True, step.pc
        return
    if entry.first_join != step.pc:
        detail = f"the sides of the SPLIT before {entry.pc:#x} end at different JOINs: {entry.first_join:#x} and here"
        warp.report(step, FindingKind.DIFFERENT_JOINS, warp.tmask, detail, Site("first JOIN", entry.first_join))
    step.ipdom = IpdomEvent(IpdomOp.POP, depth, entry.mask, entry.pc)
    step.next_mask = entry.mask
    warp.ipdom.pop()


# Register fields that an instruction does not use are ignored by the decoder, as in hardware; the assembler leaves
# them 0. Of a field that says "negated" (rs2 of SPLIT, rd of PRED) only bit 0 counts.
_RS2_BIT0 = 1 << 20
_RD_BIT0 = 1 << 7


def custom(funct3: int, funct7: int = 0, ones: int = 0, zeros: int = 0) -> tuple[int, int]:
    """(mask, match) of a custom-0 instruction; the bits of `ones` and `zeros` are fixed in addition."""
    mask, match = r_type(CUSTOM0, funct3, funct7)
    return mask | ones | zeros, match | ones


def _simt(
    name: str,
    fixed: tuple[int, int],
    syntax: str,
    execute: Executor,
    extension: Extension = Extension.VORTEX,
) -> Instruction:
    return Instruction(name, *fixed, syntax, Unit.SIMT, execute, extension)


SIMT: list[Instruction] = [
    _simt("tmc", custom(0), "{rs1}", execute_tmc),
    _simt("split", custom(2, zeros=_RS2_BIT0), "{rd}, {rs1}", execute_split),
    _simt("split.n", custom(2, ones=_RS2_BIT0), "{rd}, {rs1}", execute_split),
    _simt("join", custom(3), "{rs1}", execute_join),
    _simt("bar", custom(4), "{rs1}, {rs2}", execute_bar),
    _simt("pred", custom(5, zeros=_RD_BIT0), "{rs1}, {rs2}", execute_pred),
    _simt("pred.n", custom(5, ones=_RD_BIT0), "{rs1}, {rs2}", execute_pred),
    _simt("wsync", custom(7), "", execute_wsync),
    _simt("wspawn", custom(1), "{rs1}, {rs2}", execute_wspawn, Extension.SIMT_FULL),
    # rd = x0 is BAR.WAIT, any other rd BAR.ARRIVE: the narrower row comes first.
    _simt("bar.wait", custom(6, zeros=31 << 7), "{rs1}, {rs2}", execute_bar_wait, Extension.SIMT_FULL),
    _simt("bar.arrive", custom(6), "{rd}, {rs1}, {rs2}", execute_bar_arrive, Extension.SIMT_FULL),
]
