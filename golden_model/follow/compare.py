"""Comparison of one golden step with the records of the same instruction. Pure functions; the first mismatch wins."""

from __future__ import annotations

from dataclasses import dataclass, field

from config import HardwareConfig
from golden_model.follow.difference import Category, Value
from golden_model.follow.instruction import BarrierRow, FaultRow, Instruction, IpdomRow, MemoryRow
from golden_model.records.layout import BarrierOp, FaultKind, IpdomOp, MemoryOp, MemorySpace, RegisterFile
from golden_model.step import Step


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
    if not wmask:
        return None
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


def space_of(config: HardwareConfig, address: int) -> MemorySpace:
    """Where an access to `address` is routed (docs/reference/vortex.md §9.3)."""
    if config.lmem_base <= address < config.lmem_base + config.lmem_size:
        return MemorySpace.LMEM
    return MemorySpace.IO if 0x40 <= address < 0x1_0000 else MemorySpace.GLOBAL


def compare_memory(step: Step, records: list[MemoryRow], config: HardwareConfig) -> Mismatch | None:
    """Memory operation of one instruction; a design may show it as several records with disjoint lanes."""
    golden = step.memory
    if golden is None:
        return (
            Mismatch(
                "extra memory access",
                Category.MEMORY,
                "the LSU accepted an access of an instruction that has none",
                "no access",
                f"{_name(MemoryOp, records[0].op)} of lanes {records[0].mask:#x}",
            )
            if records
            else None
        )
    if not records:
        return Mismatch(
            "missing memory access",
            Category.MEMORY,
            "the instruction committed, but the LSU never accepted its access",
            f"{golden.op.name} of lanes {golden.mask:#x}",
            "no memory record",
        )
    covered = 0
    for record in records:
        if record.op != golden.op:
            return Mismatch(
                "memory operation",
                Category.MEMORY,
                "the LSU performed another kind of access",
                golden.op.name,
                _name(MemoryOp, record.op),
            )
        if golden.op == MemoryOp.FENCE:
            return None
        if record.size != golden.size:
            return Mismatch(
                "memory size", Category.MEMORY, "the access has a wrong size (bytes)", golden.size, record.size
            )
        if record.mask & covered:
            return Mismatch(
                "memory mask", Category.MEMORY, "a lane accessed memory twice", golden.mask, record.mask | covered
            )
        covered |= record.mask
    if covered != golden.mask:
        return Mismatch(
            "memory mask",
            Category.MEMORY,
            "the wrong lanes accessed memory",
            golden.mask,
            covered,
            lanes_of(covered ^ golden.mask),
        )
    return _compare_lanes(step, records, config)


def _compare_lanes(step: Step, records: list[MemoryRow], config: HardwareConfig) -> Mismatch | None:
    golden = step.memory
    assert golden is not None
    ones = (1 << 8 * golden.size) - 1
    for record in records:
        lanes = lanes_of(record.mask)
        wrong = [lane for lane in lanes if record.addr[lane] != golden.addr[lane]]
        if wrong:
            return Mismatch(
                "memory address",
                Category.MEMORY,
                f"{step.name} went to a wrong address",
                masked(golden.addr, record.mask),
                masked(record.addr, record.mask),
                wrong,
            )
        space = space_of(config, record.addr[lanes[0]]) if lanes else record.space
        if record.space != space:
            return Mismatch(
                "memory space",
                Category.MEMORY,
                "the access was routed to the wrong memory",
                _name(MemorySpace, space),
                _name(MemorySpace, record.space),
            )
        if golden.op != MemoryOp.STORE:
            continue
        wrong = [
            lane
            for lane in lanes
            if (record.data[lane] ^ golden.data[lane]) & ones and not golden.undefined >> lane & 1
        ]
        if wrong:
            defined = record.mask & ~golden.undefined
            return Mismatch(
                "store data",
                Category.MEMORY,
                f"{step.name} wrote wrong data",
                masked(golden.data, defined),
                masked([value & ones for value in record.data], defined),
                wrong,
            )
    return None


def compare_barrier(step: Step, record: BarrierRow | None) -> Mismatch | None:
    """Barrier operation, in the barrier unit's order: identity, phase before it, and the warps it lets go."""
    golden = step.barrier
    if golden is None or record is None:
        if golden is None and record is None:
            return None
        shown = [
            f"{_name(BarrierOp, event.op)} of barrier {event.id:#x}" if event else "none" for event in (golden, record)
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
        shown = [_name(IpdomOp, event.op) if event else "nothing" for event in (golden, record)]
        message = f"{step.name} did something else to the stack"
        return Mismatch("ipdom record", Category.CONTROL, message, shown[0], shown[1])
    if golden.op != record.op:
        return Mismatch(
            "ipdom operation",
            Category.CONTROL,
            f"{step.name} did something else to the stack",
            golden.op.name,
            _name(IpdomOp, record.op),
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
            f"{_name(FaultKind, record.kind)}, address {record.addr:#x}",
        )
    if golden.kind != record.kind:
        return Mismatch(
            "fault kind",
            Category.FAULT,
            f"the fault has a wrong kind ({golden.detail})",
            golden.kind.name,
            _name(FaultKind, record.kind),
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
    return {RegisterFile.INTEGER: "x", RegisterFile.FLOAT: "f"}.get(RegisterFile(file), "none") + (
        str(number) if file else ""
    )


def _name(enum: type[MemoryOp | MemorySpace | BarrierOp | IpdomOp | FaultKind], value: int) -> str:
    try:
        return enum(value).name
    except ValueError:
        return f"unknown ({value})"
