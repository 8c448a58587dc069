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

ENTERS_KERNEL, READS_HART = 32, 64  # in Op.diag
_HART = frozenset({0xF14, 0xCC1, 0xCC2})  # mhartid, warp_id, core_id


def memory_of(warp: Warp, op: Decoded, step: Step, silent: int = 0) -> Memory | None:
    """Accesses of an executed instruction; None for a fence, a fault and what touches no memory.

    `silent`: what `silent_stores` said before.
    """
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
        data = [event.data[lane] for lane in lanes]
        return Memory(Access.STORE, event.size, op.rs1, lanes, addresses, data, silent)
    access = access_of(op.instruction)
    assert access is not None
    return Memory(access, event.size, op.rs1, lanes, addresses)


def silent_stores(warp: Warp, op: Decoded) -> int:
    """Before a store is executed: which of its lanes (bit = position among the active ones) will change nothing."""
    silent, size, stored = 0, op.size, dict[int, int]()
    source = warp.regs[op.rs2] if RS2 in op.instruction.operands else warp.fregs[op.rs2]
    for at, lane in enumerate(warp.lanes):
        addr = (warp.regs[op.rs1][lane] + op.imm) & warp.xlen.mask
        if addr % size or addr + size > warp.core.memory.size:
            return 0
        value = source[lane] & (1 << 8 * size) - 1
        old, _ = warp.core.memory_at(addr).load(addr, size)
        silent |= (stored.get(addr, old) == value) << at
        stored[addr] = value
    return silent


def access_of(instruction: Instruction) -> Access | None:
    """Kind of access of an instruction; None if it is none."""
    if instruction.unit is Unit.ATOMIC:
        return Access.RESERVED_LOAD if instruction.name.startswith("lr.") else Access.ATOMIC
    return {Unit.LOAD: Access.LOAD, Unit.STORE: Access.STORE}.get(instruction.unit)


def diagnosis_flags(op: Decoded) -> int:
    """What golden_model/fast/diagnosis.c must know of an instruction: Op.diag."""
    access = access_of(op.instruction)
    kind = {"bar": 6, "bar.arrive": 7, "bar.wait": 8}.get(op.name, 0)
    if op.instruction.unit is Unit.FENCE:
        kind = 5
    if access is not None:
        kind = 1 + access
    return op.size << 8 | READS_HART * reads_hart(op) | (16 if sets_stack_pointer(op) else 0) | kind


def reads_hart(op: Decoded) -> bool:
    """Whether the instruction tells the kernel on which hart it runs."""
    return op.instruction.unit is Unit.CSR and op.csr in _HART


def sets_stack_pointer(op: Decoded) -> bool:
    """Whether the instruction gives sp a value that does not come from sp."""
    operands = op.instruction.operands
    if RD not in operands or op.rd != STACK_POINTER:
        return False
    sources = [(RS1, op.rs1), (RS2, op.rs2), (RS3, op.rs3)]
    return all(register != STACK_POINTER for operand, register in sources if operand in operands)
