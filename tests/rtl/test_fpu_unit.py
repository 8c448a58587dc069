"""vx_fpu_unit: rounding mode of the instruction or of frm, modes that do not exist, flags of active lanes, stalls."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import cocotb
import pytest

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.core_structs import Fault
from tests.rtl.fpu.golden import golden_lane
from tests.rtl.fpu.operations import OPERATIONS, Operation
from tests.rtl.unit_bench import Instruction, UnitBench, lanes_of

DYNAMIC = 7
CORNERS = (0, 1, 0x7F_FFFF, 0x80_0000, 0x3F80_0000, 0x7F7F_FFFF, 0x7F80_0000, 0x7F80_0001, 0x7FC0_0000)
ADDS = range(11)  # numbers of what goes through the multiply-add pipeline


def operand(rng: Random) -> int:
    sign = rng.getrandbits(1) << 31
    if rng.random() < 0.3:
        return sign | rng.choice(CORNERS)
    return sign | rng.randrange(100, 150) << 23 | rng.getrandbits(23)


async def check(dut: Any, operations: list[Operation], count: int) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    lanes = config.num_threads
    bench = UnitBench(dut, config, rng, watch=("fflags",))
    await start_clock_and_reset(dut)
    bench.check_widths()
    program, chosen = [], []
    for _ in range(count):
        operation = rng.choice(operations)
        dec = {"op": operation.number, "imm": rng.choice((0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7)), "use_rd": 1, "rd": 40}
        first, second, third = ([operand(rng) for _ in range(lanes)] for _ in range(3))
        frm = rng.choice((0, 1, 2, 3, 4, 5, 6, 7))
        program.append(Instruction(rng.randrange(config.num_warps), frm << 2, bench.mask(), first, second, dec, third))
        chosen.append(operation)
    faults = raised = 0
    for ins, operation, commit in zip(program, chosen, await bench.run(program), strict=True):
        mode = ins.dec["imm"] if ins.dec["imm"] != DYNAMIC else ins.pc >> 2 & 7
        place = f"{operation.name} mode {ins.dec['imm']} frm {ins.pc >> 2 & 7} mask {ins.tmask:#x}"
        if mode > 4:
            faults += 1
            assert (commit.fields["fault"], commit.fields["fault_addr"]) == (Fault.ILLEGAL, ins.pc), place
            assert commit.extra["fflags"] == 0, place
            continue
        assert commit.fields["fault"] == Fault.NONE, place
        golden = golden_lane(operation)
        flags = 0
        for lane in range(lanes):
            if not ins.tmask >> lane & 1:
                continue
            value, lane_flags = golden(ins.rs1[lane], ins.rs2[lane], ins.rs3[lane], mode)
            flags |= lane_flags
            assert commit.data[lane] == value & 0xFFFF_FFFF, (
                f"{place} lane {lane}: {ins.rs1[lane]:#x} {ins.rs2[lane]:#x}"
            )
        assert commit.extra["fflags"] == flags, place
        raised += flags != 0
    assert faults > count // 20 and raised > count // 20


@cocotb.test()
async def adds(dut: Any) -> None:
    await check(dut, [operation for operation in OPERATIONS if operation.number in ADDS and not operation.wide], 400)


@cocotb.test()
async def others(dut: Any) -> None:
    await check(dut, [o for o in OPERATIONS if ADDS.stop <= o.number < 26 and not o.wide], 400)


@cocotb.test()
async def quotients(dut: Any) -> None:
    await check(dut, [operation for operation in OPERATIONS if operation.number >= 26], 150)


@cocotb.test()
async def both_kinds(dut: Any) -> None:
    """Adds and others together, whose results may overtake each other: a commit has lanes of one instruction only."""
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    bench = UnitBench(dut, config, rng, watch=("fflags",))
    await start_clock_and_reset(dut)
    operations = [operation for operation in OPERATIONS if operation.number < 26 and not operation.wide]
    program, chosen = [], []
    for _ in range(400):
        operation = rng.choice(operations)
        first, second, third = ([operand(rng) for _ in range(config.num_threads)] for _ in range(3))
        dec = {"op": operation.number, "imm": rng.randrange(5), "use_rd": 1, "rd": 40}
        program.append(Instruction(0, 0, bench.mask(), first, second, dec, third))
        chosen.append(operation)
    overtaken = 0
    latest = -1
    for uid, commit in (await bench.run_out_of_order(program)).items():
        ins, operation = program[uid], chosen[uid]
        golden = golden_lane(operation)
        flags = 0
        for lane in lanes_of(ins.tmask):
            value, lane_flags = golden(ins.rs1[lane], ins.rs2[lane], ins.rs3[lane], ins.dec["imm"])
            flags |= lane_flags
            assert commit.data[lane] == value & 0xFFFF_FFFF, f"{operation.name} mask {ins.tmask:#x} lane {lane}"
        assert commit.extra["fflags"] == flags, f"{operation.name} mask {ins.tmask:#x}"
        overtaken += uid < latest
        latest = max(latest, uid)
    assert overtaken > 20


@pytest.mark.parametrize(("lanes", "width"), [(2, 2), (4, 1), (8, 4)])
@pytest.mark.parametrize("divider", [0, 1])
def test_fpu_unit(divider: int, lanes: int, width: int) -> None:
    wrapper = Path(__file__).with_name("fpu_unit.sv")
    block = runner.Block(
        "fpu_unit",
        hardware={"num_threads": lanes, "simd_width": width},
        parameters={"DIVIDER": divider},
        extra_sources=[wrapper],
    )
    for case in ("quotients",) if divider else ("adds", "others", "both_kinds"):
        runner.run(block, __name__, testcase=case)
