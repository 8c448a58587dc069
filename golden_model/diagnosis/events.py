"""What a `Step` did to memory, for the shadows."""

from __future__ import annotations

from golden_model.diagnosis.found import Access
from golden_model.diagnosis.shadow import STACK_POINTER, Memory
from golden_model.isa.bits import lanes_of
from golden_model.isa.decode import Decoded
from golden_model.isa.instruction import Instruction, Unit
from golden_model.isa.memory import execute_load_packed
from golden_model.isa.operands import RD, RS1, RS2, RS3
from golden_model.records.layout import MemoryOp
from golden_model.step import Step
from golden_model.warp import Warp


def memory_of(warp: Warp, op: Decoded, step: Step) -> Memory | None:
    """Accesses of an executed instruction; None for a fence, a fault and what touches no memory."""
    event = step.memory
    if event is None or step.fault is not None or event.op is MemoryOp.FENCE or not event.mask:
        return None
    lanes = list(lanes_of(event.mask))
    if op.execute is execute_load_packed:
        parts, mask = 4 // op.size, warp.xlen.mask
        base, stride = warp.regs[op.rs1], warp.regs[op.rs2]
        addresses = [(base[lane] + part * stride[lane]) & mask for lane in lanes for part in range(parts)]
        return Memory(Access.LOAD, op.size, op.rs1, [lane for lane in lanes for _ in range(parts)], addresses)
    addresses = [event.addr[lane] for lane in lanes]
    if event.op is MemoryOp.STORE:
        return Memory(Access.STORE, event.size, op.rs1, lanes, addresses, [event.data[lane] for lane in lanes])
    access = access_of(op.instruction)
    assert access is not None
    return Memory(access, event.size, op.rs1, lanes, addresses)


def access_of(instruction: Instruction) -> Access | None:
    """Kind of access of an instruction; None if it is none."""
    if instruction.unit is Unit.ATOMIC:
        return Access.RESERVED_LOAD if instruction.name.startswith("lr.") else Access.ATOMIC
    return {Unit.LOAD: Access.LOAD, Unit.STORE: Access.STORE}.get(instruction.unit)


def sets_stack_pointer(op: Decoded) -> bool:
    """Whether the instruction gives sp a value that does not come from sp."""
    operands = op.instruction.operands
    if RD not in operands or op.rd != STACK_POINTER:
        return False
    sources = [(RS1, op.rs1), (RS2, op.rs2), (RS3, op.rs3)]
    return all(register != STACK_POINTER for operand, register in sources if operand in operands)
