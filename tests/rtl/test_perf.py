"""vx_perf: random cycles of a core; every busy cycle is counted under exactly one reason, every event once."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly

from tests.rtl import runner
from tests.rtl.bench import Struct, start_clock_and_reset
from tests.rtl.core_structs import REG, Alu, Unit, lsu_op

CYCLES = 3000
HAZARD = Struct(
    [
        *(("unit", 3), ("drain", 1), ("alone", 1), ("rd", REG), ("rs1", REG), ("rs2", REG), ("rs3", REG)),
        *((f"use_{name}", 1) for name in ("rd", "rs1", "rs2", "rs3")),
    ]
)
CORE, MEM = 1, 7
STALLS = {
    Unit.ALU: 0x0C,
    Unit.MUL: 0x0C,
    Unit.DIV: 0x0C,
    Unit.FPU: 0x0D,
    Unit.FDIV: 0x0D,
    Unit.LSU: 0x0E,
    Unit.SFU: 0x0F,
}
KINDS = {
    Unit.ALU: 0x13,
    Unit.MUL: 0x13,
    Unit.DIV: 0x13,
    Unit.FPU: 0x14,
    Unit.FDIV: 0x14,
    Unit.LSU: 0x15,
    Unit.SFU: 0x16,
}
REASONS = (0x03, 0x06, 0x08, 0x09, 0x0A, 0x0C, 0x0D, 0x0E, 0x0F)


@cocotb.test()
async def random_cycles(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    warps = config.num_warps
    names = (
        "busy", "head_valid", "free_of_hazards", "issue_valid", "issue_unit", "issue_op", "issue_mask", "active",
        "stalled", "fetching", "fetch_valid", "diverges", "loads_waiting", "lmem_read", "lmem_write", "lmem_stall",
        "lsu_split", "group", "index",
    )  # fmt: skip
    for name in names:
        getattr(dut, name).value = 0
    for wid in range(warps):
        dut.head[wid].value = 0
    await start_clock_and_reset(dut)
    assert len(dut.head[0]) == HAZARD.width
    counted: Counter[tuple[int, int]] = Counter()
    busy_cycles = 0

    def bits() -> int:
        return rng.getrandbits(warps) & rng.getrandbits(warps)

    for _ in range(CYCLES):
        await FallingEdge(dut.clk)
        busy = rng.random() < 0.9
        heads = [rng.choice(list(Unit)) for _ in range(warps)]
        active, stalled, fetching = rng.getrandbits(warps), bits(), bits() if rng.random() < 0.5 else 0
        head_valid = bits() if rng.random() < 0.7 else 0
        free = head_valid & rng.getrandbits(warps)
        issue = bool(free) and rng.random() < 0.5
        unit = rng.choice(list(Unit))
        store, fence = rng.random() < 0.3, rng.random() < 0.1
        op = lsu_op(store=store and not fence, fence=fence) if unit is Unit.LSU else int(rng.choice(list(Alu)))
        mask = rng.randrange(1, 1 << config.num_threads)
        loads = rng.choice((0, 0, rng.randrange(17)))
        events = {name: int(rng.random() < 0.2) for name in ("fetch_valid", "diverges", "lmem_read", "lmem_write")}
        events |= {name: int(rng.random() < 0.2) for name in ("lmem_stall", "lsu_split")}
        for wid in range(warps):
            dut.head[wid].value = HAZARD.pack({"unit": heads[wid]})
        values = {"busy": int(busy), "head_valid": head_valid, "free_of_hazards": free, "issue_valid": int(issue)}
        values |= {"issue_unit": int(unit), "issue_op": op, "issue_mask": mask, "active": active, "stalled": stalled}
        values |= {"fetching": fetching, "loads_waiting": loads, **events}
        for name, value in values.items():
            getattr(dut, name).value = value
        # A counter, as it was before this cycle.
        group, index = rng.choice((CORE, MEM, 0, 3)), rng.randrange(32)
        dut.group.value, dut.index.value = group, index
        await ReadOnly()
        known = (group == CORE and index in range(3, 0x1F) and index not in (0x0B, 0x10, *range(0x17, 0x1A))) or (
            group == MEM and index in range(7, 11)
        )
        assert bool(dut.ours.value) == known, f"class {group} counter {index:#x}"
        assert int(dut.value.value) == counted[group, index], f"class {group} counter {index:#x}"

        if busy:
            busy_cycles += 1
            lowest = next((heads[wid] for wid in range(warps) if free >> wid & 1), None)
            reason = (
                0x06
                if issue
                else STALLS[lowest]
                if lowest is not None
                else 0x0A
                if head_valid
                else 0x08
                if fetching
                else 0x09
                if active & ~stalled
                else 0x03
            )
            counted[CORE, reason] += 1
            counted[CORE, 0x04] += active.bit_count()
            counted[CORE, 0x05] += (active & stalled).bit_count()
            counted[CORE, 0x1B] += fetching.bit_count()
            counted[CORE, 0x1D] += loads
        if issue:
            counted[CORE, 0x07] += mask.bit_count()
            counted[CORE, KINDS[unit]] += 1
            counted[CORE, 0x11] += unit is Unit.ALU and op >= Alu.JAL
            if unit is Unit.LSU and not fence:
                counted[CORE, 0x1E if store else 0x1C] += 1
        counted[CORE, 0x1A] += events["fetch_valid"]
        counted[CORE, 0x12] += events["diverges"]
        for index, name in enumerate(("lmem_read", "lmem_write", "lmem_stall", "lsu_split"), 7):
            counted[MEM, index] += events[name]
    assert sum(counted[CORE, reason] for reason in REASONS) == busy_cycles
    assert all(counted[CORE, reason] for reason in REASONS)


@pytest.mark.parametrize("warps", [4, 1])
def test_perf(warps: int) -> None:
    runner.run(runner.Block("vx_perf", hardware={"num_warps": warps}), __name__)
