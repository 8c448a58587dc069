"""Comparison of one golden step with the LSU's records of the same instruction."""

from __future__ import annotations

from config import HardwareConfig
from golden_model.follow.compare import Mismatch, enum_name, lanes_of, masked
from golden_model.follow.difference import Category
from golden_model.follow.instruction import MemoryRow
from golden_model.records.layout import MemoryOp, MemorySpace
from golden_model.step import Step


def space_of(config: HardwareConfig, address: int) -> MemorySpace:
    """Where an access to `address` is routed (docs/reference/vortex.md §9.3)."""
    if config.lmem_base <= address < config.lmem_base + config.lmem_size:
        return MemorySpace.LMEM
    return MemorySpace.IO if 0x40 <= address < 0x1_0000 else MemorySpace.GLOBAL


def compare_access(step: Step, records: list[MemoryRow], config: HardwareConfig) -> Mismatch | None:
    """Memory operation of one instruction; a design may show it as several records with disjoint lanes."""
    golden = step.memory
    if golden is None:
        return (
            Mismatch(
                "extra memory access",
                Category.MEMORY,
                "the LSU accepted an access of an instruction that has none",
                "no access",
                f"{enum_name(MemoryOp, records[0].op)} of lanes {records[0].mask:#x}",
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
                enum_name(MemoryOp, record.op),
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
    what = "store data" if golden.op == MemoryOp.STORE else "atomic operand"
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
                enum_name(MemorySpace, space),
                enum_name(MemorySpace, record.space),
            )
        if not golden.data:  # loads and LR
            continue
        wrong = [
            lane
            for lane in lanes
            if (record.data[lane] ^ golden.data[lane]) & ones and not golden.undefined >> lane & 1
        ]
        if wrong:
            defined = record.mask & ~golden.undefined
            return Mismatch(
                what,
                Category.MEMORY,
                f"{step.name} sent wrong data",
                masked(golden.data, defined),
                masked([value & ones for value in record.data], defined),
                wrong,
            )
    return None
