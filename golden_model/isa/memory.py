"""Loads, stores and fences (docs/reference/vortex.md §2.1, §2.12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.findings import FindingKind
from golden_model.isa.instruction import Extension, Instruction, Unit, i_type, r_type
from golden_model.records.layout import FaultKind, MemoryOp, MemorySpace
from golden_model.step import MemoryAccess

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp


def execute_load(warp: Warp, op: Decoded, step: Step) -> None:
    """rd[i] ← memory[rs1[i] + imm], extended; nothing is accessed if any active lane is misaligned."""
    size = op.size
    addresses = addresses_of(warp, step, op.rs1, op.imm, size, MemoryOp.LOAD)
    if addresses is None:
        return
    core = warp.core
    result = [0] * warp.num_lanes
    undefined = warp.undef[op.rs1]  # a wrong address gives a wrong value
    extend = op.instruction.signed
    sign = 1 << (8 * size - 1)
    fill = warp.xlen.mask & -sign
    for i in warp.lanes:
        value, unknown = core.memory_at(addresses[i]).load(addresses[i], size)
        if extend and value & sign:
            value |= fill
        result[i] = value
        if unknown:
            undefined |= 1 << i
    warp.write(step, op.rd, result, undefined)


def execute_store(warp: Warp, op: Decoded, step: Step) -> None:
    """memory[rs1[i] + imm] ← rs2[i]; ascending lanes, so the highest lane wins where they overlap."""
    _store_lanes(warp, op, step, warp.regs[op.rs2], warp.undef[op.rs2] & warp.tmask)


def _store_lanes(warp: Warp, op: Decoded, step: Step, source: list[int], undefined: int) -> None:
    size = op.size
    addresses = addresses_of(warp, step, op.rs1, op.imm, size, MemoryOp.STORE)
    if addresses is None:
        return
    core = warp.core
    low_bytes = (1 << 8 * size) - 1
    data = [0] * warp.num_lanes
    if undefined:
        visible = sum(1 << i for i in warp.lanes if undefined >> i & 1 and core.is_host_buffer(addresses[i]))
        if visible:
            warp.report(
                step,
                FindingKind.UNDEFINED_STORE,
                visible,
                f"stores a register never written to {addresses[visible.bit_length() - 1]:#x}, a buffer of the host",
            )
    if core.reservations.any:
        core.reservations.stored(warp, addresses)
    for i in warp.lanes:
        data[i] = source[i] & low_bytes
        core.memory_at(addresses[i]).store(addresses[i], size, data[i], bool(undefined >> i & 1))
    step.memory = MemoryAccess(
        MemoryOp.STORE, core.space_of(addresses[warp.lanes[0]]), size, warp.tmask, addresses, data, undefined
    )


def execute_load_float(warp: Warp, op: Decoded, step: Step) -> None:
    """FLW: the word, boxed in ones where float registers are wider."""
    addresses = addresses_of(warp, step, op.rs1, op.imm, op.size, MemoryOp.LOAD)
    if addresses is None:
        return
    core = warp.core
    result = [0] * warp.num_lanes
    undefined = warp.undef[op.rs1]
    for i in warp.lanes:
        value, unknown = core.memory_at(addresses[i]).load(addresses[i], op.size)
        result[i] = value | warp.box
        if unknown:
            undefined |= 1 << i
    warp.write_float(step, op.rd, result, undefined)


def execute_store_float(warp: Warp, op: Decoded, step: Step) -> None:
    """FSW: the low word, whatever the box."""
    _store_lanes(warp, op, step, warp.fregs[op.rs2], warp.fundef[op.rs2] & warp.tmask)


def execute_load_packed(warp: Warp, op: Decoded, step: Step) -> None:
    """PACKLB.F, PACKLH.F: four bytes or two halfwords at rs1 + k × rs2, the first in the low bits."""
    size, mask = op.size, warp.xlen.mask
    base, stride = warp.regs[op.rs1], warp.regs[op.rs2]
    undefined = (warp.undef[op.rs1] | warp.undef[op.rs2]) & warp.tmask
    if undefined:
        warp.report(step, FindingKind.UNDEFINED_ADDRESS, undefined, "base or stride is a register never written")
    core = warp.core
    for i in warp.lanes:
        for k in range(4 // size):
            addr = (base[i] + k * stride[i]) & mask
            if addr & (size - 1):
                detail = f"lane {i} accesses {size} bytes at {addr:#x}, not a multiple of {size}"
                warp.fault(step, FaultKind.MISALIGNED, addr, detail)
                return
            if addr >= core.memory.size:
                warp.fault(step, FaultKind.BUS_READ, addr, f"lane {i} accesses {addr:#x}, outside memory")
                return
    step.memory = MemoryAccess(MemoryOp.LOAD, core.space_of(base[warp.lanes[0]]), size, warp.tmask, list(base))
    if warp.adoption is not None and warp.adoption.load_error is not None:
        failed = warp.adoption.load_error
        for i in warp.lanes:
            if any((base[i] + k * stride[i]) & mask == failed for k in range(4 // size)):
                warp.fault(step, FaultKind.BUS_READ, failed, f"memory answered the load at {failed:#x} with an error")
                return
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        packed = 0
        for k in range(4 // size):
            addr = (base[i] + k * stride[i]) & mask
            value, unknown = core.memory_at(addr).load(addr, size)
            packed |= (value << 8 * size * k) & 0xFFFF_FFFF
            if unknown:
                undefined |= 1 << i
        result[i] = packed | warp.box
    warp.write_float(step, op.rd, result, undefined)


def execute_fence(warp: Warp, op: Decoded, step: Step) -> None:
    """Nothing to wait for: every earlier access is done and visible to all."""
    step.memory = MemoryAccess(MemoryOp.FENCE, MemorySpace.GLOBAL, 0, warp.tmask)


def addresses_of(warp: Warp, step: Step, register: int, imm: int, size: int, op: MemoryOp) -> list[int] | None:
    """Address per active lane; None, with a fault, if one is misaligned or outside memory."""
    base, address_mask, low = warp.regs[register], warp.xlen.mask, size - 1
    result = [0] * warp.num_lanes
    combined = 0
    for lane in warp.lanes:
        addr = result[lane] = (base[lane] + imm) & address_mask
        combined |= addr
    undefined = warp.undef[register] & warp.tmask
    if undefined:
        warp.report(step, FindingKind.UNDEFINED_ADDRESS, undefined, "the address is a register never written")
    if combined & low:
        lane = next(lane for lane in warp.lanes if result[lane] & low)
        detail = f"lane {lane} accesses {size} bytes at {result[lane]:#x}, not a multiple of {size}"
        warp.fault(step, FaultKind.MISALIGNED, result[lane], detail)
        return None
    core = warp.core
    if combined >= core.memory.size:  # the OR of all is an upper bound that is exact for powers of two
        kind = FaultKind.BUS_WRITE if op is MemoryOp.STORE else FaultKind.BUS_READ
        lane = next(lane for lane in warp.lanes if result[lane] >= core.memory.size)
        warp.fault(step, kind, result[lane], f"lane {lane} accesses {result[lane]:#x}, outside memory")
        return None
    if op is MemoryOp.STORE:
        return result  # the access is described together with its data
    step.memory = MemoryAccess(op, core.space_of(result[warp.lanes[0]]), size, warp.tmask, result)
    if op is MemoryOp.LOAD and warp.adoption is not None and warp.adoption.load_error is not None:
        failed = warp.adoption.load_error
        if any(result[lane] == failed for lane in warp.lanes):
            warp.fault(step, FaultKind.BUS_READ, failed, f"memory answered the load at {failed:#x} with an error")
            return None
    return result


def _load(name: str, funct3: int, size: int, signed: bool, xlens: tuple[int, ...] = (32, 64)) -> Instruction:
    mask, match = i_type(0x03, funct3)
    return Instruction(
        name, mask, match, "{rd}, {imm}({rs1})", Unit.LOAD, execute_load, size=size, signed=signed, xlens=xlens
    )


def _store(name: str, funct3: int, size: int, xlens: tuple[int, ...] = (32, 64)) -> Instruction:
    mask, match = i_type(0x23, funct3)
    syntax = "{rs2}, {store_imm}({rs1})"
    return Instruction(name, mask, match, syntax, Unit.STORE, execute_store, size=size, xlens=xlens)


MEMORY: list[Instruction] = [
    _load("lb", 0, 1, signed=True),
    _load("lh", 1, 2, signed=True),
    _load("lw", 2, 4, signed=True),
    _load("ld", 3, 8, signed=True, xlens=(64,)),
    _load("lbu", 4, 1, signed=False),
    _load("lhu", 5, 2, signed=False),
    _load("lwu", 6, 4, signed=False, xlens=(64,)),
    _store("sb", 0, 1),
    _store("sh", 1, 2),
    _store("sw", 2, 4),
    _store("sd", 3, 8, xlens=(64,)),
    Instruction("flw", *i_type(0x07, 2), "{frd}, {imm}({rs1})", Unit.LOAD, execute_load_float, Extension.F, size=4),
    Instruction(
        "fsw", *i_type(0x27, 2), "{frs2}, {store_imm}({rs1})", Unit.STORE, execute_store_float, Extension.F, size=4
    ),
    Instruction(
        "packlb.f", *r_type(0x0B, 1, 4), "{frd}, {rs1}, {rs2}", Unit.LOAD, execute_load_packed, Extension.PACKED, size=1
    ),
    Instruction(
        "packlh.f", *r_type(0x0B, 2, 4), "{frd}, {rs1}, {rs2}", Unit.LOAD, execute_load_packed, Extension.PACKED, size=2
    ),
    # FENCE.I is a FENCE here, and so is every other funct3 of the opcode; all fields but the opcode are ignored.
    Instruction("fence.i", *i_type(0x0F, 1), "", Unit.FENCE, execute_fence),
    Instruction("fence", 0x0000007F, 0x0000000F, "", Unit.FENCE, execute_fence),
]
