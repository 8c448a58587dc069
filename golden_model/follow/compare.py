"""Comparison of one golden step with the records of the same instruction. Pure functions; the first mismatch wins."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from golden_model.follow.difference import Category, Value
from golden_model.follow.instruction import BarrierRow, FaultRow, Instruction, IpdomRow
from golden_model.records.layout import BarrierOp, FaultKind, IpdomOp, RegisterFile
from golden_model.step import Step

_FLOAT_OPCODES = (0x43, 0x47, 0x4B, 0x4F, 0x53)


@dataclass
class Mismatch:
    """One failed comparison, before it is explained."""

    check: str
    category: Category
    message: str
    expected: Value = None
    actual: Value = None
    lanes: list[int] = field(default_factory=list)


def lanes_of(mask: int) -> list[int]:
    """Lane numbers of a mask, ascending."""
    return [lane for lane in range(mask.bit_length()) if mask >> lane & 1]


def masked(values: list[int], mask: int) -> list[int | None]:
    """Per-lane values with None outside the mask."""
    return [value if mask >> lane & 1 else None for lane, value in enumerate(values)]


def compare_instruction(step: Step, ins: Instruction) -> Mismatch | None:
    """PC, instruction word, masks, destination, lane results and next PC; not memory, barrier, IPDOM and fault."""
    return compare_place(step, ins) or _compare_result(step, ins) or _compare_control(step, ins)


def compare_place(step: Step, ins: Instruction) -> Mismatch | None:
    """What was executed, with which lanes and for which CTA; all that can be compared of a faulting instruction."""
    if step.pc != ins.pc:
        return Mismatch("pc", Category.CONTROL, "the warp executed another address than it should", step.pc, ins.pc)
    if step.instr != ins.instr:
        return Mismatch(
            "instruction word",
            Category.CONTROL,
            "the executed instruction word is not the one that memory holds at this PC",
            step.instr,
            ins.instr,
        )
    if step.tmask != ins.tmask:
        return Mismatch(
            "thread mask",
            Category.CONTROL,
            "the instruction executed with a wrong set of lanes",
            step.tmask,
            ins.tmask,
            lanes_of(step.tmask ^ ins.tmask),
        )
    if step.slot != ins.slot:
        return Mismatch("cta slot", Category.DISPATCH, "the warp belongs to another CTA slot", step.slot, ins.slot)
    return None


def _compare_result(step: Step, ins: Instruction) -> Mismatch | None:
    wmask = step.wmask
    if wmask != ins.wmask:
        return Mismatch(
            "write mask",
            Category.RESULT,
            "the destination register was written in the wrong lanes",
            wmask,
            ins.wmask,
            lanes_of(wmask ^ ins.wmask),
        )
    if wmask and (mismatch := _compare_destination(step, ins)) is not None:
        return mismatch
    if step.fflags != ins.fflags and not has_unknown_flags(step):
        message = f"{step.name} raised wrong floating-point flags (NV DZ OF UF NX from bit 4 down)"
        return Mismatch("float flags", Category.RESULT, message, step.fflags, ins.fflags)
    return None


def _compare_destination(step: Step, ins: Instruction) -> Mismatch | None:
    wmask = step.wmask
    if step.rd != ins.rd or step.rd_file != ins.rd_file:
        return Mismatch(
            "destination",
            Category.RESULT,
            "the result went to a wrong register",
            register_name(step.rd_file, step.rd),
            register_name(ins.rd_file, ins.rd),
        )
    compared = wmask & ~step.undefined
    if step.result == ins.data:
        return None
    wrong = [lane for lane in lanes_of(compared) if step.result[lane] != ins.data[lane]]
    if not wrong:
        return None
    return Mismatch(
        "lane result",
        Category.RESULT,
        f"{register_name(step.rd_file, step.rd)} got a wrong value in "
        + (f"lane {wrong[0]}" if len(wrong) == 1 else f"{len(wrong)} lanes"),
        masked(step.result, compared),
        masked(ins.data, compared),
        wrong,
    )


def has_unknown_flags(step: Step) -> bool:
    """Whether an operand of a floating-point instruction was undefined, hence its flags are."""
    return step.undefined != 0 and step.instr & 0x7F in _FLOAT_OPCODES


def _compare_control(step: Step, ins: Instruction) -> Mismatch | None:
    if not ins.control:
        if step.is_control:
            return Mismatch(
                "control record",
                Category.CONTROL,
                "the design did not show where this branch, jump or warp-control instruction leads",
                f"next pc {step.next_pc:#x}, next mask {step.next_mask:#x}",
                "no next pc and mask in any commit packet",
            )
        return None
    if step.next_pc != ins.next_pc:
        return Mismatch("next pc", Category.CONTROL, "the warp goes on at a wrong address", step.next_pc, ins.next_pc)
    if step.next_mask != ins.next_mask:
        return Mismatch(
            "next mask",
            Category.CONTROL,
            f"{step.name} leaves a wrong set of lanes active",
            step.next_mask,
            ins.next_mask,
            lanes_of(step.next_mask ^ ins.next_mask),
        )
    return None


def compare_barrier(step: Step, record: BarrierRow | None) -> Mismatch | None:
    """Barrier operation, in the barrier unit's order: identity, phase before it, and the warps it lets go."""
    golden = step.barrier
    if golden is None or record is None:
        if golden is None and record is None:
            return None
        shown = [
            f"{enum_name(BarrierOp, event.op)} of barrier {event.id:#x}" if event else "none"
            for event in (golden, record)
        ]
        return Mismatch(
            "barrier record", Category.BARRIER, "the barrier unit disagrees on whether it was used", shown[0], shown[1]
        )
    if record.released != golden.released:
        early, late = record.released & ~golden.released, golden.released & ~record.released
        if early:
            check, message = "barrier released early", f"warps {lanes_of(early)} were let go before all had arrived"
        else:
            check, message = "barrier not released", f"all participants have arrived, but warps {lanes_of(late)} stay"
        return Mismatch(check, Category.BARRIER, message, golden.released, record.released)
    for name, left, right in (
        ("operation", golden.op, record.op),
        ("id", golden.id, record.id),
        ("participant count", golden.count, record.participants),
        ("phase", golden.phase, record.phase),
    ):
        if left != right:
            return Mismatch(
                f"barrier {name}", Category.BARRIER, f"the barrier unit saw a wrong {name}", int(left), int(right)
            )
    return None


def compare_ipdom(step: Step, record: IpdomRow | None) -> Mismatch | None:
    """Push, flip or pop of the IPDOM stack."""
    golden = step.ipdom
    if golden is None or record is None:
        if golden is None and record is None:
            return None
        shown = [enum_name(IpdomOp, event.op) if event else "nothing" for event in (golden, record)]
        message = f"{step.name} did something else to the stack"
        return Mismatch("ipdom record", Category.CONTROL, message, shown[0], shown[1])
    if golden.op != record.op:
        return Mismatch(
            "ipdom operation",
            Category.CONTROL,
            f"{step.name} did something else to the stack",
            golden.op.name,
            enum_name(IpdomOp, record.op),
        )
    for name, left, right in (
        ("stack pointer", golden.sp, record.sp),
        ("saved mask", golden.mask, record.mask),
        ("saved pc", golden.pc, record.pc),
    ):
        if left != right:
            return Mismatch(f"ipdom {name}", Category.CONTROL, f"the IPDOM entry has a wrong {name}", left, right)
    return None


def compare_fault(step: Step, record: FaultRow) -> Mismatch | None:
    """Fault of one instruction: the golden model must have predicted it."""
    golden = step.fault
    if golden is None:
        return Mismatch(
            "unexpected fault",
            Category.FAULT,
            f"the design stopped the warp, but {step.name} does not fault",
            "no fault",
            f"{enum_name(FaultKind, record.kind)}, address {record.addr:#x}",
        )
    if golden.kind != record.kind:
        return Mismatch(
            "fault kind",
            Category.FAULT,
            f"the fault has a wrong kind ({golden.detail})",
            golden.kind.name,
            enum_name(FaultKind, record.kind),
        )
    for name, left, right in (
        ("pc", step.pc, record.pc),
        ("address", golden.addr, record.addr),
        ("thread mask", step.tmask, record.tmask),
    ):
        if left != right:
            return Mismatch(f"fault {name}", Category.FAULT, f"the fault reports a wrong {name}", left, right)
    return None


def register_name(file: int, number: int) -> str:
    """`x5`, `f5`, or `none`."""
    letter = {RegisterFile.INTEGER: "x", RegisterFile.FLOAT: "f"}
    return f"{letter[RegisterFile(file)]}{number}" if file in letter else "none"


def enum_name(enum: type[IntEnum], value: int) -> str:
    """Name of a member, or a text that says that there is none: records of a broken design may hold anything."""
    try:
        return enum(value).name
    except ValueError:
        return f"unknown ({value})"
