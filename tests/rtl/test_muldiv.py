"""vx_multiplier and vx_divider against Python integers: all forms, corner cases of division, stalls."""

from __future__ import annotations

from itertools import accumulate
from random import Random
from typing import Any

import cocotb
import pytest

from config import HardwareConfig
from tests.rtl import runner
from tests.rtl.bench import start_clock_and_reset
from tests.rtl.unit_bench import Instruction, UnitBench, lanes_of, sext32, signed


def multiply(op: int, a: int, b: int, xlen: int) -> int:
    """MUL, MULH, MULHSU, MULHU."""
    first = signed(a, xlen) if op != 3 else a
    second = signed(b, xlen) if op in (0, 1) else b
    return (first * second >> (xlen if op else 0)) & ((1 << xlen) - 1)


def divide(op: int, a: int, b: int, bits: int) -> int:
    """DIV, DIVU, REM, REMU on `bits` bits, as the RISC-V specification defines every case."""
    mask = (1 << bits) - 1
    a, b = a & mask, b & mask
    if op in (0, 2):
        a, b = signed(a, bits), signed(b, bits)
    if b == 0:
        quotient, remainder = -1, a
    else:
        quotient = abs(a) // abs(b)
        quotient = -quotient if (a < 0) != (b < 0) else quotient
        remainder = a - quotient * b
    return (remainder if op >= 2 else quotient) & mask


def program(
    bench: UnitBench, config: HardwareConfig, rng: Random, count: int, word_ops: tuple[int, ...]
) -> list[Instruction]:
    result = []
    for _ in range(count):
        op = rng.randrange(4)
        dec = {
            "op": op,
            "is_word": int(config.xlen == 64 and op in word_ops and rng.random() < 0.5),
            "use_rd": 1,
            "rd": rng.randrange(1, 32),
        }
        first, second = bench.operands(), bench.operands()
        result.append(Instruction(rng.randrange(config.num_warps), 4 * op, bench.mask(), first, second, dec))
    return result


@cocotb.test()
async def random_products(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    bench = UnitBench(dut, config, rng)
    await start_clock_and_reset(dut)
    bench.check_widths()
    instructions = program(bench, config, rng, 1000, word_ops=(0,))
    for ins, commit in zip(instructions, await bench.run(instructions), strict=True):
        for lane in lanes_of(ins.tmask):
            a, b = ins.rs1[lane], ins.rs2[lane]
            expected = multiply(ins.dec["op"], a, b, config.xlen)
            if ins.dec["is_word"]:
                expected = sext32(a * b, config.xlen)
            assert commit.data[lane] == expected, (
                f"op {ins.dec['op']} lane {lane}: {a:#x} {b:#x} {commit.data[lane]:#x}"
            )


@cocotb.test()
async def one_product_a_cycle(dut: Any) -> None:
    """Three cycles from operands to result, and one more for each further beat."""
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    bench = UnitBench(dut, config, rng)
    await start_clock_and_reset(dut)
    program = [Instruction(tmask=bench.mask(), rs1=bench.operands(), rs2=bench.operands()) for _ in range(50)]
    commits = await bench.run(program, gap=0, stall=0)
    beats = [bench.beats(ins.tmask) for ins in program]
    assert [commit.cycle for commit in commits] == [2 + cycle for cycle in accumulate(beats)]


@cocotb.test()
async def random_quotients(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    xlen = config.xlen
    bench = UnitBench(dut, config, rng)
    await start_clock_and_reset(dut)
    bench.check_widths()
    instructions = program(bench, config, rng, 300, word_ops=(0, 1, 2, 3))
    lowest = 1 << (xlen - 1)
    for op in range(4):  # by zero, overflow, in every lane
        for a, b in ((lowest, (1 << xlen) - 1), (lowest, 0), (0, 0), ((1 << xlen) - 1, 0), (5, 0)):
            dec = {"op": op, "use_rd": 1, "rd": 1}
            lanes = config.num_threads
            instructions.append(Instruction(tmask=1, rs1=[a] * lanes, rs2=[b] * lanes, dec=dec))
    for ins, commit in zip(instructions, await bench.run(instructions), strict=True):
        for lane in lanes_of(ins.tmask):
            a, b = ins.rs1[lane], ins.rs2[lane]
            if ins.dec.get("is_word"):
                expected = sext32(divide(ins.dec["op"], a, b, 32), xlen)
            else:
                expected = divide(ins.dec["op"], a, b, xlen)
            assert commit.data[lane] == expected, (
                f"op {ins.dec['op']} lane {lane}: {a:#x} {b:#x} {commit.data[lane]:#x}"
            )


SHAPES = [(32, 4, 4), (64, 2, 2), (32, 8, 2), (64, 4, 1)]  # XLEN, lanes, SIMD_WIDTH


@pytest.mark.parametrize(("xlen", "lanes", "width"), SHAPES)
def test_multiplier(xlen: int, lanes: int, width: int) -> None:
    block = runner.Block("vx_multiplier", hardware={"xlen": xlen, "num_threads": lanes, "simd_width": width})
    for case in ("random_products", "one_product_a_cycle"):
        runner.run(block, __name__, testcase=case)


@pytest.mark.parametrize(("xlen", "lanes", "width"), SHAPES)
def test_divider(xlen: int, lanes: int, width: int) -> None:
    block = runner.Block("vx_divider", hardware={"xlen": xlen, "num_threads": lanes, "simd_width": width})
    runner.run(block, __name__, testcase="random_quotients")
