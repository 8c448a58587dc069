"""A: read-modify-write, one lane after the other, and LR/SC (docs/reference/vortex.md §2.14).

The order of the lanes is the hardware's choice (`Adoption.lane_order`; alone: ascending), and so is a spurious failure
of SC (`Adoption.sc_failed`; alone: none). `aq` and `rl` are ignored.
"""

# ruff: noqa: D103 - a lane function is named after its instruction and shorter than any docstring
from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.isa.bits import Xlen
from golden_model.isa.instruction import Extension, Instruction, LaneFunction, Unit
from golden_model.isa.memory import addresses_of
from golden_model.records.layout import MemoryOp, MemorySpace
from golden_model.step import MemoryAccess

if TYPE_CHECKING:
    from golden_model.isa.decode import Decoded
    from golden_model.step import Step
    from golden_model.warp import Warp


def swap(old: int, operand: int, x: Xlen) -> int:
    return operand


def add(old: int, operand: int, x: Xlen) -> int:
    return old + operand


def xor(old: int, operand: int, x: Xlen) -> int:
    return old ^ operand


def and_(old: int, operand: int, x: Xlen) -> int:
    return old & operand


def or_(old: int, operand: int, x: Xlen) -> int:
    return old | operand


def smaller(old: int, operand: int, x: Xlen) -> int:
    return old if x.signed(old) < x.signed(operand) else operand


def larger(old: int, operand: int, x: Xlen) -> int:
    return old if x.signed(old) > x.signed(operand) else operand


def smaller_unsigned(old: int, operand: int, x: Xlen) -> int:
    return min(old, operand)


def larger_unsigned(old: int, operand: int, x: Xlen) -> int:
    return max(old, operand)


_WORD, _DOUBLE = Xlen.of(32), Xlen.of(64)


def execute_amo(warp: Warp, op: Decoded, step: Step) -> None:
    """rd ← old value, memory ← f(old value, rs2), lane by lane."""
    size = op.size
    addresses = _global_addresses(warp, op, step)
    if addresses is None:
        return
    core, change = warp.core, op.lane
    assert change is not None
    width = _WORD if size == 4 else _DOUBLE
    operand, unknown_operand = warp.regs[op.rs2], warp.undef[op.rs2]
    undefined = warp.undef[op.rs1] & warp.tmask
    fill = warp.xlen.mask & -width.sign
    result, sent = [0] * warp.num_lanes, [0] * warp.num_lanes
    if core.reservations.any:
        core.reservations.stored(warp, addresses)
    for i in warp.lanes:
        core.memory_at(addresses[i]).prepare(addresses[i])
    for i in warp.atomic_order():
        place = core.prepared_at(addresses[i])
        old, unknown = place.load(addresses[i], size)
        sent[i] = operand[i] & width.mask
        new = change(old, sent[i], width) & width.mask
        place.store(addresses[i], size, new, bool(unknown or unknown_operand >> i & 1))
        result[i] = old
        if old & width.sign:
            result[i] = old | fill
        if unknown:
            undefined |= 1 << i
    step.memory = MemoryAccess(
        MemoryOp.ATOMIC, MemorySpace.GLOBAL, size, warp.tmask, addresses, sent, unknown_operand & warp.tmask
    )
    warp.write(step, op.rd, result, undefined)


def execute_lr(warp: Warp, op: Decoded, step: Step) -> None:
    """rd ← memory, and each lane's hart reserves the 64-byte line."""
    size = op.size
    addresses = _global_addresses(warp, op, step)
    if addresses is None:
        return
    core = warp.core
    core.reservations.reserve(warp, addresses)
    sign = 1 << 8 * size - 1
    undefined = warp.undef[op.rs1] & warp.tmask
    result = [0] * warp.num_lanes
    for i in warp.lanes:
        value, unknown = core.memory_at(addresses[i]).load(addresses[i], size)
        result[i] = value | warp.xlen.mask & -sign if value & sign else value
        if unknown:
            undefined |= 1 << i
    step.memory = MemoryAccess(MemoryOp.ATOMIC, MemorySpace.GLOBAL, size, warp.tmask, addresses)
    warp.write(step, op.rd, result, undefined)


def execute_sc(warp: Warp, op: Decoded, step: Step) -> None:
    """Store and rd ← 0 in the lanes whose reservation holds, else rd ← 1; every reservation of the lanes is gone."""
    size = op.size
    addresses = _global_addresses(warp, op, step)
    if addresses is None:
        return
    core = warp.core
    failed = core.reservations.conditional(warp, addresses)
    low_bytes = (1 << 8 * size) - 1
    data = [value & low_bytes for value in warp.regs[op.rs2]]
    for i in warp.atomic_order():
        if not failed >> i & 1:
            unknown = bool(warp.undef[op.rs2] >> i & 1)
            core.memory_at(addresses[i]).store(addresses[i], size, data[i], unknown)
    written = warp.tmask & ~failed
    step.memory = MemoryAccess(
        MemoryOp.ATOMIC, MemorySpace.GLOBAL, size, written, addresses, data, warp.undef[op.rs2] & written
    )
    step.adopted = "sc"
    warp.write(step, op.rd, [failed >> i & 1 for i in range(warp.num_lanes)], 0)


def _global_addresses(warp: Warp, op: Decoded, step: Step) -> list[int] | None:
    """Address per active lane; None, with a fault, if one is misaligned, outside memory or local."""
    addresses = addresses_of(warp, step, op.rs1, 0, op.size, MemoryOp.STORE)
    if addresses is None:
        return None
    for i in warp.lanes:
        if warp.core.is_local(addresses[i]):
            warp.illegal(step, f"lane {i} has an atomic at {addresses[i]:#x}: there are none on local memory")
            return None
    return addresses


def _amo(name: str, funct5: int, change: LaneFunction) -> list[Instruction]:
    syntax, mask = "{rd}, {rs2}, ({rs1})", 0xF800_707F
    return [
        Instruction(
            f"{name}.{letter}", mask, funct5 << 27 | funct3 << 12 | 0x2F, syntax, Unit.ATOMIC, execute_amo,
            Extension.A, lane=change, size=size, xlens=xlens,
        )
        for letter, funct3, size, xlens in (("w", 2, 4, (32, 64)), ("d", 3, 8, (64,)))
    ]  # fmt: skip


def _reserved(letter: str, funct3: int, size: int, xlens: tuple[int, ...]) -> list[Instruction]:
    low = funct3 << 12 | 0x2F
    return [
        Instruction(
            f"lr.{letter}", 0xF9F0_707F, 2 << 27 | low, "{rd}, ({rs1})", Unit.ATOMIC, execute_lr, Extension.A,
            size=size, xlens=xlens,
        ),
        Instruction(
            f"sc.{letter}", 0xF800_707F, 3 << 27 | low, "{rd}, {rs2}, ({rs1})", Unit.ATOMIC, execute_sc, Extension.A,
            size=size, xlens=xlens,
        ),
    ]  # fmt: skip


ATOMIC: list[Instruction] = [
    *_amo("amoadd", 0x00, add),
    *_amo("amoswap", 0x01, swap),
    *_amo("amoxor", 0x04, xor),
    *_amo("amoor", 0x08, or_),
    *_amo("amoand", 0x0C, and_),
    *_amo("amomin", 0x10, smaller),
    *_amo("amomax", 0x14, larger),
    *_amo("amominu", 0x18, smaller_unsigned),
    *_amo("amomaxu", 0x1C, larger_unsigned),
    *_reserved("w", 2, 4, (32, 64)),
    *_reserved("d", 3, 8, (64,)),
]
