"""vx_decode against the instruction table of the golden model: legality, unit, registers, immediates, control flow."""

from __future__ import annotations

from random import Random
from typing import Any

import cocotb
import pytest
from cocotb.triggers import Timer

from golden_model.isa import INSTRUCTIONS, Decoded, Decoder, Instruction
from golden_model.isa import Unit as Group
from golden_model.isa.operands import IMMEDIATES
from tests.rtl import runner
from tests.rtl.core_structs import DECODED, Amo, Sfu, Unit, lsu_op
from tests.rtl.fpu.operations import OPERATIONS

RANDOM_WORDS = 3000
WORDS_PER_INSTRUCTION = 20
CUSTOM_WORDS = 1500
FLOAT_FILE = 32  # bit 5 of a register's number
FLOAT_CSRS = (1, 2, 3)
FLOAT_NUMBERS = {operation.name: operation.number for operation in OPERATIONS}

UNITS = {
    Group.ALU: {Unit.ALU},
    Group.MULDIV: {Unit.MUL, Unit.DIV},
    Group.BRANCH: {Unit.ALU},
    Group.LOAD: {Unit.LSU},
    Group.STORE: {Unit.LSU},
    Group.FENCE: {Unit.LSU},
    Group.CSR: {Unit.SFU},
    Group.SIMT: {Unit.SFU},
    Group.ATOMIC: {Unit.LSU},
    Group.FLOAT: {Unit.FPU, Unit.FDIV},
}
TRAPS = {"ecall": 11, "ebreak": 3, "mret": None, "sret": None, "uret": None}
# Vortex instructions after which the warp's fetch goes on at once.
GO_ON = ("wsync", "bar.arrive", "wgather", "vote.all", "vote.any", "vote.uni", "vote.ballot")
DRAINS = ("tmc", "bar", "bar.arrive", "bar.wait", "wspawn", "wsync")


def words(rng: Random) -> list[int]:
    """Every instruction with random operands, near misses of it, and noise."""
    result = [rng.getrandbits(32) for _ in range(RANDOM_WORDS)]
    for row in INSTRUCTIONS:
        for _ in range(WORDS_PER_INSTRUCTION):
            word = row.match | rng.getrandbits(32) & ~row.mask
            result += [word, word ^ 1 << rng.randrange(7, 32)]
        result += [row.match, row.match | 0xFFFF_FFFF & ~row.mask]
        # Each of its bits is wrong once: what decides between neighbours must not be left to luck.
        result += [(row.match | rng.getrandbits(32) & ~row.mask) ^ 1 << bit for bit in range(32)]
    # Two thirds of the random words have an opcode that exists nowhere; make the others frequent.
    opcodes = sorted({row.match & 0x7F for row in INSTRUCTIONS})
    result += [rng.getrandbits(25) << 7 | rng.choice(opcodes) for _ in range(RANDOM_WORDS)]
    return result + [rng.getrandbits(32) & ~0x7F | rng.choice((0x0B, 0x2B, 0x73)) for _ in range(CUSTOM_WORDS)]


def immediate(row: Instruction, decoded: Decoded) -> int | None:
    """Value that the execution unit must find in `imm`; None: any."""
    names = {operand.name for operand in row.operands}
    if row.name in TRAPS:
        return TRAPS[row.name]
    if row.unit is Group.ATOMIC:
        return int(Amo[row.name.split(".")[0].removeprefix("amo").upper()])
    if row.name == "wgather":
        return decoded.word >> 25 & 3
    if row.name.startswith(("vote.", "shfl.")):
        return decoded.word >> 12 & 3
    if row.unit is Group.FLOAT:
        return decoded.word >> 12 & 7  # the rounding mode; where there is none, part of the encoding
    if "upper" in names:
        return decoded.word & 0xFFFF_F000
    if row.unit is Group.CSR:
        return (decoded.word >> 15 & 31) << 12 | decoded.csr
    if row.name.startswith("split"):
        return int(row.name == "split.n")
    if row.name.startswith("pred"):
        return int(row.name == "pred.n")
    if names & {"shamt5", "shamt6"}:
        return None  # the ALU looks at the low bits only
    if row.name.startswith("packl"):
        return 0
    if any(operand in IMMEDIATES for operand in row.operands):
        return decoded.imm & 0xFFFF_FFFF
    return None


@cocotb.test()
async def agrees_with_the_table(dut: Any) -> None:
    config, rng = runner.hardware(), Random(cocotb.RANDOM_SEED)
    decoder = Decoder(config)
    assert len(dut.dec) == DECODED.width
    dut.valid.value = 1
    legal = illegal = packed = 0
    for word in words(rng):
        dut.instr.value = word
        await Timer(1, "ns")
        dec = DECODED.unpack(int(dut.dec.value))
        stall, jump = int(dut.stall.value), int(dut.jump.value)
        expected = decoder.decode(word)
        is_illegal = dec["unit"] == Unit.SFU and dec["op"] == Sfu.ILLEGAL
        assert is_illegal == (expected is None), f"{word:#010x}: {'illegal' if is_illegal else 'accepted'}"
        if expected is None:
            illegal += 1
            assert dec["drain"] and stall and not jump and not dec["use_rd"]
            continue
        legal += 1
        row = expected.instruction
        names = {operand.name for operand in row.operands}
        place = f"{word:#010x} {row.name}"
        assert dec["unit"] in ({Unit.SFU} if row.name in TRAPS else UNITS[row.unit]), place
        assert dec["use_rd"] == int("frd" in names or ("rd" in names and expected.rd != 0)), place
        for name in ("rs1", "rs2", "rs3"):
            assert dec[f"use_{name}"] == int(bool(names & {name, f"f{name}"})), place
        for name, number in (("rd", expected.rd), ("rs1", expected.rs1), ("rs2", expected.rs2), ("rs3", expected.rs3)):
            if dec[f"use_{name}"]:
                assert dec[name] == number + (FLOAT_FILE if f"f{name}" in names else 0), place
        if row.unit is Group.FLOAT:
            assert dec["op"] == FLOAT_NUMBERS[row.name], place
            assert (dec["unit"] == Unit.FDIV) == (row.name in ("fdiv.s", "fsqrt.s")), place
        wanted = immediate(row, expected)
        assert wanted is None or dec["imm"] == wanted, f"{place}: imm {dec['imm']:#x}, expected {wanted:#x}"
        assert jump == int(row.name == "jal"), place
        waits = row.unit in (Group.BRANCH, Group.SIMT) and row.name != "jal"
        waits = waits and row.name not in GO_ON and not row.name.startswith("shfl.")
        assert stall == int(waits), place
        float_csr = row.unit is Group.CSR and expected.csr in FLOAT_CSRS
        assert dec["drain"] == int(row.name in DRAINS or float_csr), place
        assert dec["alone"] == int(row.name == "wspawn"), place
        if row.unit is Group.ATOMIC:
            assert dec["op"] == lsu_op(atomic=True, log_size=3 if row.name.endswith(".d") else 2), place
        if row.name.startswith("packl"):
            assert dec["op"] == lsu_op(pieces=True, unsigned=True, log_size=int(row.name == "packlh.f")), place
            packed += 1
    assert legal > 1000 and illegal > 1000 and (packed > 2 * WORDS_PER_INSTRUCTION) == config.ext_packed


@pytest.mark.parametrize("extensions", [True, False])
def test_decode(extensions: bool) -> None:
    names = ("ext_m", "ext_a", "ext_f", "ext_zicond", "ext_simt_full", "ext_packed")
    runner.run(runner.Block("vx_decode", hardware=dict.fromkeys(names, extensions)), __name__)
