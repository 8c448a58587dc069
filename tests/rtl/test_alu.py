"""vx_alu: every operation on random and corner operands against Python integers; branches follow the highest lane."""

from __future__ import annotations

from itertools import accumulate
from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly

from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.core_structs import Alu
from tests.rtl.unit_bench import Instruction, UnitBench, lanes_of, sext32, signed

COUNT = 1500
WORD_FORMS = (Alu.ADD, Alu.SUB, Alu.SLL, Alu.SRL, Alu.SRA)


def compute(op: Alu, a: int, b: int, xlen: int, is_word: bool) -> int:
    """Result of one lane."""
    mask = (1 << xlen) - 1
    amount = b & (31 if is_word else xlen - 1)
    right = a & 0xFFFF_FFFF if is_word else a
    width = 32 if is_word else xlen
    result = {
        Alu.ADD: a + b,
        Alu.SUB: a - b,
        Alu.SLL: a << amount,
        Alu.SLT: int(signed(a, xlen) < signed(b, xlen)),
        Alu.SLTU: int(a < b),
        Alu.XOR: a ^ b,
        Alu.SRL: right >> amount,
        Alu.SRA: signed(a, width) >> amount,
        Alu.OR: a | b,
        Alu.AND: a & b,
        Alu.CZERO_EQZ: a if b else 0,
        Alu.CZERO_NEZ: 0 if b else a,
        Alu.LUI: b,
    }[op]
    return sext32(result, xlen) if is_word else result & mask


def taken(op: Alu, a: int, b: int, xlen: int) -> bool:
    left, right = signed(a, xlen), signed(b, xlen)
    return {
        Alu.JAL: True,
        Alu.JALR: True,
        Alu.BEQ: a == b,
        Alu.BNE: a != b,
        Alu.BLT: left < right,
        Alu.BGE: left >= right,
        Alu.BLTU: a < b,
        Alu.BGEU: a >= b,
    }[op]


@cocotb.test()
async def random_operations(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    xlen = config.xlen
    bench = UnitBench(dut, config, rng, watch=("control_valid", "redirect", "control_pc"))
    await start_clock_and_reset(dut)
    bench.check_widths()

    program = []
    for _ in range(COUNT):
        op = rng.choice(list(Alu))
        imm = rng.choice((rng.randrange(-2048, 2048), signed(rng.getrandbits(20) << 12, 32)))
        if op >= Alu.JAL:
            imm = rng.randrange(-4096, 4096, 1 if op is Alu.JALR else 2)
        first, second = bench.operands(), bench.operands()
        if op >= Alu.BEQ and rng.random() < 0.5:
            second = [a if rng.random() < 0.7 else b for a, b in zip(first, second, strict=True)]
        dec = {
            "op": int(op),
            "imm": imm & 0xFFFF_FFFF,
            "use_imm": int(op < Alu.JAL and rng.random() < 0.4),
            "use_pc": int(op is Alu.ADD and rng.random() < 0.2),
            "is_word": int(xlen == 64 and op in WORD_FORMS and rng.random() < 0.5),
            "use_rd": int(op < Alu.BEQ),
            "rd": rng.randrange(32),
        }
        pc = rng.getrandbits(xlen - 3) << 2
        program.append(Instruction(rng.randrange(config.num_warps), pc, bench.mask(), first, second, dec))
    commits = await bench.run(program)

    for ins, commit in zip(program, commits, strict=True):
        op, imm = Alu(ins.dec["op"]), signed(ins.dec["imm"], 32)
        link = (ins.pc + 4) % (1 << xlen)
        assert bool(commit.extra["control_valid"]) == (op >= Alu.JAL)
        last = ins.tmask.bit_length() - 1
        if op >= Alu.JAL:
            assert bool(commit.extra["redirect"]) == (op is not Alu.JAL)
            base = ins.rs1[last] if op is Alu.JALR else ins.pc
            goes = taken(op, ins.rs1[last], ins.rs2[last], xlen)
            target = (base + imm) % (1 << xlen) & ~3 if goes else link
            assert commit.extra["control_pc"] == target, (
                f"{op.name}: to {commit.extra['control_pc']:#x}, not {target:#x}"
            )
        if op >= Alu.BEQ:
            continue
        for lane in lanes_of(ins.tmask):
            a = ins.pc if ins.dec["use_pc"] else ins.rs1[lane]
            b = imm % (1 << xlen) if ins.dec["use_imm"] else ins.rs2[lane]
            expected = link if op in (Alu.JAL, Alu.JALR) else compute(op, a, b, xlen, bool(ins.dec["is_word"]))
            assert commit.data[lane] == expected, f"{op.name} lane {lane}: {a:#x}, {b:#x} gives {commit.data[lane]:#x}"


@cocotb.test()
async def one_instruction_a_cycle(dut: Any) -> None:
    """Without stalls nothing waits: the result comes one cycle after the operands, and one later for each beat more."""
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    bench = UnitBench(dut, config, rng)
    await start_clock_and_reset(dut)
    program = [
        Instruction(tmask=bench.mask(), rs1=bench.operands(), rs2=bench.operands(), dec={"use_rd": 1})
        for _ in range(50)
    ]
    commits = await bench.run(program, gap=0, stall=0)
    beats = [bench.beats(ins.tmask) for ins in program]
    assert [commit.cycle for commit in commits] == list(accumulate(beats))


@cocotb.test()
async def a_branch_is_one_beat(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    bench = UnitBench(dut, config, rng)
    await start_clock_and_reset(dut)
    program = [
        Instruction(tmask=bench.mask(), rs1=bench.operands(), rs2=bench.operands(), dec={"op": int(Alu.BEQ)})
        for _ in range(50)
    ]
    commits = await bench.run(program, gap=0, stall=0)
    assert [commit.cycle for commit in commits] == list(range(1, 51))


@cocotb.test()
async def one_waits_behind_a_result(dut: Any) -> None:
    """While nothing commits two instructions are taken and no third one; then they leave in order."""
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    bench = UnitBench(dut, config, rng)
    await start_clock_and_reset(dut)
    for uid in range(3):
        await FallingEdge(dut.clk)
        assert bool(dut.exec_ready.value) == (uid < 2), f"exec_ready while {uid} instructions wait"
        dut.exec_valid.value = int(uid < 2)
        if uid < 2:
            operands = [uid] * config.num_threads
            dut.exec.value = bench.pack(uid, Instruction(rs1=operands, rs2=operands, dec={"op": int(Alu.ADD)}))
    dut.commit_ready.value = 1
    for uid in range(2):
        await ReadOnly()
        assert dut.commit_valid.value and bench.layouts.commit.unpack(int(dut.commit.value))["uid"] == uid
        await FallingEdge(dut.clk)
    assert not dut.commit_valid.value, "an instruction leaves twice"


@pytest.mark.parametrize(("xlen", "lanes", "width"), [(32, 4, 4), (64, 2, 2), (32, 8, 2), (64, 4, 1)])
def test_alu(xlen: int, lanes: int, width: int) -> None:
    hardware = {"xlen": xlen, "num_threads": lanes, "simd_width": width}
    runner.run(runner.Block("vx_alu", hardware=hardware), __name__)
