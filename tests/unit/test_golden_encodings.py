"""Every encoding against a table written down by hand from the RISC-V manual and docs/reference/vortex.md §2.2.

The model's assembler and decoder share one table, so programs that it assembles itself do not see a wrong encoding.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from config import HardwareConfig
from golden_model.isa import INSTRUCTIONS, Decoder, Extension
from golden_model.isa.decode import Decoded
from golden_model.isa.operands import OPERANDS, OperandError

# Extension, then instructions as name@fixed fields: opcode / funct3 / funct7 (all hexadecimal). `*` before the name
# is RV64 only. Each letter says which other bits are fixed:
#   U none, I none, R funct7, S none; H6 and H5 shifts by 6 or 5 bits, F funct7 with any funct3 (a rounding mode),
#   G funct7 and rs2 with any funct3, K funct7, rs2 and funct3, M only the format in [26:25] (R4), A only funct5 in
#   [31:27], L as A with rs2 = 0, W the whole word.
BY_HAND = {
    Extension.I: """
        U lui@37 auipc@17 jal@6f
        I jalr@67/0 beq@63/0 bne@63/1 blt@63/4 bge@63/5 bltu@63/6 bgeu@63/7
        I lb@03/0 lh@03/1 lw@03/2 lbu@03/4 lhu@03/5 *ld@03/3 *lwu@03/6 sb@23/0 sh@23/1 sw@23/2 *sd@23/3
        I addi@13/0 slti@13/2 sltiu@13/3 xori@13/4 ori@13/6 andi@13/7 *addiw@1b/0
        H slli@13/1/00 srli@13/5/00 srai@13/5/20
        R add@33/0/00 sub@33/0/20 sll@33/1/00 slt@33/2/00 sltu@33/3/00 xor@33/4/00 srl@33/5/00 sra@33/5/20 or@33/6/00
        R and@33/7/00 *slliw@1b/1/00 *srliw@1b/5/00 *sraiw@1b/5/20
        R *addw@3b/0/00 *subw@3b/0/20 *sllw@3b/1/00 *srlw@3b/5/00 *sraw@3b/5/20
        I csrrw@73/1 csrrs@73/2 csrrc@73/3 csrrwi@73/5 csrrsi@73/6 csrrci@73/7
        U fence@0f
        I fence.i@0f/1
    """,
    Extension.M: """
        R mul@33/0/01 mulh@33/1/01 mulhsu@33/2/01 mulhu@33/3/01 div@33/4/01 divu@33/5/01 rem@33/6/01 remu@33/7/01
        R *mulw@3b/0/01 *divw@3b/4/01 *divuw@3b/5/01 *remw@3b/6/01 *remuw@3b/7/01
    """,
    Extension.ZICOND: "R czero.eqz@33/5/07 czero.nez@33/7/07",
    Extension.A: """
        A amoadd.w@2f/2/00 amoswap.w@2f/2/01 amoxor.w@2f/2/04 amoor.w@2f/2/08 amoand.w@2f/2/0c amomin.w@2f/2/10
        A amomax.w@2f/2/14 amominu.w@2f/2/18 amomaxu.w@2f/2/1c sc.w@2f/2/03
        A *amoadd.d@2f/3/00 *amoswap.d@2f/3/01 *amoxor.d@2f/3/04 *amoor.d@2f/3/08 *amoand.d@2f/3/0c *amomin.d@2f/3/10
        A *amomax.d@2f/3/14 *amominu.d@2f/3/18 *amomaxu.d@2f/3/1c *sc.d@2f/3/03
        L lr.w@2f/2/02 *lr.d@2f/3/02
    """,
    Extension.F: """
        I flw@07/2 fsw@27/2
        F fadd.s@53/0/00 fsub.s@53/0/04 fmul.s@53/0/08 fdiv.s@53/0/0c
        G fsqrt.s@53/0/2c/00 fcvt.w.s@53/0/60/00 fcvt.wu.s@53/0/60/01 *fcvt.l.s@53/0/60/02 *fcvt.lu.s@53/0/60/03
        G fcvt.s.w@53/0/68/00 fcvt.s.wu@53/0/68/01 *fcvt.s.l@53/0/68/02 *fcvt.s.lu@53/0/68/03
        M fmadd.s@43 fmsub.s@47 fnmsub.s@4b fnmadd.s@4f
        R fsgnj.s@53/0/10 fsgnjn.s@53/1/10 fsgnjx.s@53/2/10 fmin.s@53/0/14 fmax.s@53/1/14
        R fle.s@53/0/50 flt.s@53/1/50 feq.s@53/2/50
        K fmv.x.w@53/0/70/00 fclass.s@53/1/70/00 fmv.w.x@53/0/78/00
    """,
    Extension.VORTEX: "R tmc@0b/0/00 join@0b/3/00 bar@0b/4/00 wsync@0b/7/00",
    Extension.SIMT_FULL: """
        R wspawn@0b/1/00 bar.arrive@0b/6/00
        R vote.all@0b/0/01 vote.any@0b/1/01 vote.uni@0b/2/01 vote.ballot@0b/3/01
        R shfl.up@0b/4/01 shfl.down@0b/5/01 shfl.bfly@0b/6/01 shfl.idx@0b/7/01
        I wgather@2b/0
        W ecall@00000073 ebreak@00100073 mret@30200073 sret@10200073 uret@00200073
    """,
    Extension.PACKED: "R packlb.f@0b/1/04 packlh.f@0b/2/04",
}
# Told apart by one more field: bit 0 of rs2 for SPLIT, bit 0 of rd for PRED, rd = x0 for BAR.WAIT.
TOLD_APART = {
    "split": (Extension.VORTEX, 0xFE10_707F, 0x0000_200B), "split.n": (Extension.VORTEX, 0xFE10_707F, 0x0010_200B),
    "pred": (Extension.VORTEX, 0xFE00_70FF, 0x0000_500B), "pred.n": (Extension.VORTEX, 0xFE00_70FF, 0x0000_508B),
    "bar.wait": (Extension.SIMT_FULL, 0xFE00_7FFF, 0x0000_600B),
}  # fmt: skip
MASKS = {
    "U": 0x7F, "I": 0x707F, "R": 0xFE00_707F, "F": 0xFE00_007F, "G": 0xFFF0_007F, "K": 0xFFF0_707F, "M": 0x0600_007F,
    "A": 0xF800_707F, "L": 0xF9F0_707F, "W": 0xFFFF_FFFF,
}  # fmt: skip
Row = tuple[Extension, int, int]  # extension, fixed bits, their value


def _by_hand(xlen: int) -> dict[str, Row]:
    rows = dict(TOLD_APART)
    for extension, text in BY_HAND.items():
        for line in text.strip().splitlines():
            kind, *entries = line.split()
            for entry in entries:
                name, _, fields = entry.partition("@")
                if name.startswith("*") and xlen == 32:
                    continue
                numbers = [int(field, 16) for field in fields.split("/")]
                word = numbers[0]
                for value, place in zip(numbers[1:], (12, 27 if kind in "AL" else 25, 20), strict=False):
                    word |= value << place
                mask = MASKS["R"] & ~((xlen == 64) << 25) if kind == "H" else MASKS[kind]
                rows[name.removeprefix("*")] = (extension, mask, word)
    return rows


def _config(xlen: int) -> HardwareConfig:
    return HardwareConfig(xlen=xlen, ext_packed=True)


@pytest.mark.parametrize("xlen", [32, 64])
def test_fixed_bits_of_every_instruction(xlen: int) -> None:
    ours = {row.name: (row.extension, row.mask, row.match) for row in INSTRUCTIONS if xlen in row.xlens}
    assert ours == _by_hand(xlen)
    assert {width for row in INSTRUCTIONS for width in row.xlens} == {32, 64}


@pytest.mark.parametrize("xlen", [32, 64])
def test_operand_fields_of_every_instruction(xlen: int) -> None:
    """All other bits 1, one after the other: the decoder finds the name, and each field in its place."""
    decoder = Decoder(_config(xlen))
    for name, (_, mask, match) in _by_hand(xlen).items():
        free = ~mask & 0xFFFF_FFFF
        for bit in (0, *(1 << n for n in range(32) if free >> n & 1)):
            found = decoder.decode(match | bit)
            narrower = {"bar.arrive": "bar.wait", "fence": "fence.i"}.get(name)
            if narrower is not None and found is not None and found.name == narrower:
                continue  # the same word with a narrower row
            assert found is not None and found.name == name, (name, hex(match | bit))
            word = match | bit
            assert (found.rd, found.rs1, found.rs2) == (word >> 7 & 31, word >> 15 & 31, word >> 20 & 31), name
            assert (found.rs3, found.rm, found.csr) == (word >> 27 & 31, word >> 12 & 7, word >> 20), name
            assert found.imm == immediate(found, word), (name, hex(word))


def immediate(op: Decoded, word: int) -> int:
    """The immediate by the manual's table of formats, bit by bit."""

    def bits(*places: tuple[int, int, int]) -> int:
        """(lowest bit in the word, width, lowest bit in the value), sign-extended from the highest one."""
        value = sum((word >> low & (1 << width) - 1) << at for low, width, at in places)
        top = max(at + width for _, width, at in places)
        return value - (1 << top) if value >> top - 1 else value

    opcode = word & 0x7F
    if op.name.startswith("csrr"):
        return word >> 15 & 31 if op.name.endswith("i") else 0
    if op.name == "wgather":
        return word >> 25 & 3
    if opcode in (0x13, 0x1B) and word >> 12 & 3 == 1:  # shifts
        return word >> 20 & (63 if "shamt6" in op.instruction.syntax else 31)
    if opcode in (0x13, 0x1B, 0x03, 0x07, 0x67):
        return bits((20, 12, 0))
    if opcode in (0x23, 0x27):
        return bits((25, 7, 5), (7, 5, 0))
    if opcode == 0x63:
        return bits((31, 1, 12), (7, 1, 11), (25, 6, 5), (8, 4, 1))
    if opcode == 0x6F:
        return bits((31, 1, 20), (12, 8, 12), (20, 1, 11), (21, 10, 1))
    if opcode in (0x37, 0x17):
        return word >> 12
    return 0


# Lowest and highest value, and of what it is a multiple (the manual's ranges; for LUI and AUIPC the assembler's).
REGISTERS = ("rd", "rs1", "rs2", "rs3", "frd", "frs1", "frs2", "frs3")
RANGES = {
    **dict.fromkeys(REGISTERS, (0, 31, 1)), "rm": (0, 7, 1), "shamt5": (0, 31, 1), "shamt6": (0, 63, 1),
    "zimm": (0, 31, 1), "csr": (0, 4095, 1), "lane": (0, 3, 1), "imm": (-2048, 2047, 1), "store_imm": (-2048, 2047, 1),
    "upper": (0, 0xF_FFFF, 1), "branch": (-4096, 4094, 2), "jump": (-0x10_0000, 0xF_FFFE, 2),
}  # fmt: skip


def test_values_that_operands_can_hold() -> None:
    assert set(OPERANDS) == set(RANGES)
    for name, (lowest, highest, step) in RANGES.items():
        operand = OPERANDS[name]
        assert operand.name == name
        for value in {lowest, lowest + step, -step, 0, step, highest - step, highest}:
            if lowest <= value <= highest:
                assert operand.decode(operand.checked(value)) == value, (name, value)
        wrong = [lowest - step, lowest - 1, highest + step, highest + 1, *([1, lowest + 1] if step == 2 else [])]
        for value in wrong:
            with pytest.raises(OperandError, match=f"^{name}={value} does not fit: must be {lowest} … {highest}"):
                operand.checked(value)
    with pytest.raises(OperandError, match=r"a multiple of 2$"):
        OPERANDS["branch"].checked(3)
    with pytest.raises(OperandError, match=r"2047$"):
        OPERANDS["imm"].checked(2048)


SHIFTS_OF_6 = {"slli": 64, "srli": 64, "srai": 64}


@pytest.mark.parametrize("xlen", [32, 64])
def test_shift_amounts_have_the_width_of_the_register(xlen: int) -> None:
    by_name = {row.name: row for row in INSTRUCTIONS if xlen in row.xlens}
    for name, row in by_name.items():
        if row.match & 0x7F in (0x13, 0x1B) and row.match >> 12 & 3 == 1:
            six = SHIFTS_OF_6.get(name) == xlen
            assert [operand.name for operand in row.operands] == ["rd", "rs1", "shamt6" if six else "shamt5"]


SIZES = {"b": 1, "h": 2, "w": 4, "d": 8}


def test_sizes_and_signs_of_accesses() -> None:
    for row in INSTRUCTIONS:
        size, signed = 0, False
        if row.match & 0x7F in (0x03, 0x23):
            letter = row.name.removesuffix("u")[-1]
            size, signed = SIZES[letter], row.match & 0x7F == 0x03 and not row.name.endswith("u")
        elif row.extension is Extension.A:
            size = SIZES[row.name[-1]]
        elif row.name in ("flw", "fsw"):
            size = 4
        elif row.extension is Extension.PACKED:
            size = SIZES[row.name.removesuffix(".f")[-1]]
        assert (row.size, row.signed) == (size, signed), row.name


OFF = {
    Extension.M: {"ext_m": False}, Extension.ZICOND: {"ext_zicond": False}, Extension.A: {"ext_a": False},
    Extension.F: {"ext_f": False}, Extension.SIMT_FULL: {"ext_simt_full": False},
    Extension.PACKED: {"ext_packed": False},
}  # fmt: skip
NEEDED_BY = {Extension.F: {Extension.PACKED}, Extension.SIMT_FULL: {Extension.PACKED}}


@pytest.mark.parametrize("missing", [None, *OFF], ids=lambda missing: missing.value if missing else "all")
@pytest.mark.parametrize("xlen", [32, 64])
def test_a_processor_has_the_instructions_of_its_extensions(xlen: int, missing: Extension | None) -> None:
    config = _config(xlen)
    gone = set() if missing is None else {missing} | NEEDED_BY.get(missing, set())
    if Extension.PACKED in gone:
        config = replace(config, ext_packed=False)
    if missing is not None:
        config = replace(config, **OFF[missing])
    decoder = Decoder(config)
    for name, (extension, _, match) in _by_hand(xlen).items():
        word = match | 1 << 7 if name == "bar.arrive" else match
        found = decoder.decode(word)
        assert (found.name if found else None) == (None if extension in gone else name)


def test_words_that_differ_in_a_fixed_bit_are_something_else() -> None:
    """One flipped fixed bit gives what the table by hand says: another instruction or none."""
    rows, decoder = _by_hand(32), Decoder(_config(32))
    for name, (_, mask, match) in rows.items():
        for bit in range(32):
            if not mask >> bit & 1:
                continue
            word = match ^ 1 << bit
            candidates = {other: m.bit_count() for other, (_, m, value) in rows.items() if word & m == value}
            expected = max(candidates, key=lambda other: candidates[other]) if candidates else None
            found = decoder.decode(word)
            assert (found.name if found else None) == expected, (name, hex(word))
