"""The instruction table: reference encodings, round trips, no overlap, and an independent assembler as judge."""

from __future__ import annotations

import random
import shutil
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from config import HardwareConfig
from golden_model.isa import INSTRUCTIONS, Decoder, Extension, Instruction
from golden_model.isa.asm import AsmError, assemble, assemble_with_labels, encode
from golden_model.isa.disasm import disassemble
from golden_model.isa.operands import RM, Kind, Operand, OperandError
from golden_model.isa.table import identify, legal

# docs/reference/vortex.md Appendix A, word by word.
APPENDIX_A = [
    (0x0005000B, "tmc", ("a0",)),
    (0x0000000B, "tmc", ("x0",)),
    (0x00B5100B, "wspawn", ("a0", "a1")),
    (0x0005260B, "split", ("a2", "a0")),
    (0x0015260B, "split.n", ("a2", "a0")),
    (0x0006300B, "join", ("a2",)),
    (0x00B5400B, "bar", ("a0", "a1")),
    (0x00B5500B, "pred", ("a0", "a1")),
    (0x00B5508B, "pred.n", ("a0", "a1")),
    (0x00B5660B, "bar.arrive", ("a2", "a0", "a1")),
    (0x00B5600B, "bar.wait", ("a0", "a1")),
    (0x0000700B, "wsync", ()),
    (0x0EB55633, "czero.eqz", ("a2", "a0", "a1")),
    (0x0EB57633, "czero.nez", ("a2", "a0", "a1")),
    (0xCE102DF3, "csrrs", ("s11", "cta_entry", "x0")),
    (0x34002573, "csrrs", ("a0", "mscratch", "x0")),
    (0x000D80E7, "jalr", ("ra", 0, "s11")),
    (0xF14022F3, "csrrs", ("t0", "mhartid", "x0")),
    (0x0205060B, "vote.all", ("a2", "a0")),
    (0x0205160B, "vote.any", ("a2", "a0")),
    (0x0205260B, "vote.uni", ("a2", "a0")),
    (0x0205360B, "vote.ballot", ("a2", "a0")),
    (0x02B5460B, "shfl.up", ("a2", "a0", "a1")),
    (0x02B5560B, "shfl.down", ("a2", "a0", "a1")),
    (0x02B5660B, "shfl.bfly", ("a2", "a0", "a1")),
    (0x02B5760B, "shfl.idx", ("a2", "a0", "a1")),
    (0x08B5160B, "packlb.f", ("fa2", "a0", "a1")),
    (0x08B5260B, "packlh.f", ("fa2", "a0", "a1")),
    (0x68B5062B, "wgather", ("a2", "a0", "a1", "a3", 0)),
    (0x6EB5062B, "wgather", ("a2", "a0", "a1", "a3", 3)),
]


@pytest.mark.parametrize(("word", "name", "operands"), APPENDIX_A, ids=lambda value: str(value))
def test_appendix_a(word: int, name: str, operands: tuple[int | str, ...]) -> None:
    assert encode(name, *operands) == word
    found = identify(word)
    assert found is not None
    assert found.name == name
    assert assemble(disassemble(word)) == word.to_bytes(4, "little")


def _random_operands(instruction: Instruction, rng: random.Random) -> list[int]:
    return [
        rng.choice((0, 1, 2, 3, 4, 7))
        if operand is RM
        else rng.choice(
            [operand.lowest, operand.highest - operand.highest % operand.step, *(_draw(operand, rng) for _ in range(3))]
        )
        for operand in instruction.operands
    ]


def _draw(operand: Operand, rng: random.Random) -> int:
    return rng.randrange(operand.lowest, operand.highest + 1, operand.step)


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("row", range(len(INSTRUCTIONS)), ids=lambda row: INSTRUCTIONS[row].name)
def test_text_and_word_are_inverse(row: int, xlen: int) -> None:
    instruction = INSTRUCTIONS[row]
    if xlen not in instruction.xlens:
        assert identify(instruction.match, xlen) is not instruction
        return
    rng = random.Random(row)
    for _ in range(40):
        operands = _random_operands(instruction, rng)
        if instruction.name == "bar.arrive":
            operands[0] = rng.randrange(1, 32)  # x0 would be bar.wait
        word = encode(instruction.name, *operands, xlen=xlen)
        found = identify(word, xlen)
        assert found is not None, hex(word)
        assert found.name == instruction.name
        assert [operand.decode(word) for operand in instruction.operands] == operands
        assert assemble(disassemble(word, None, xlen), xlen=xlen) == word.to_bytes(4, "little")


def test_operand_bits_and_fixed_bits_fill_the_word() -> None:
    """Bits that belong to nobody are allowed only where the decoder ignores them, as hardware does."""
    ignoring = {
        "fence",
        "fence.i",
        "tmc",
        "split",
        "split.n",
        "join",
        "bar",
        "pred",
        "pred.n",
        "wsync",
        "wspawn",
        "bar.wait",
    }
    ignoring |= {row.name for row in INSTRUCTIONS if row.extension is Extension.A}  # aq and rl
    ignoring |= {"vote.all", "vote.any", "vote.uni", "vote.ballot"}
    for instruction in INSTRUCTIONS:
        covered = instruction.mask
        for operand in instruction.operands:
            field = operand.encode(-1 if operand.lowest < 0 else operand.highest)
            assert not field & instruction.mask, f"{instruction.name}: {operand.name} overlaps fixed bits"
            covered |= field
        if instruction.name not in ignoring:
            assert covered == 0xFFFF_FFFF, f"{instruction.name}: bits {~covered & 0xFFFFFFFF:#x} mean nothing"


def test_decoder_knows_exactly_the_legal_instructions() -> None:
    without = HardwareConfig(ext_a=False, ext_f=False, ext_simt_full=False)
    plain, small = Decoder(without), Decoder(HardwareConfig(ext_m=False, ext_zicond=False))
    for word, name, _ in APPENDIX_A:
        decoded = plain.decode(word)
        assert (decoded is not None) == legal(identify(word), without), name  # type: ignore[arg-type]
    for name in ("mul", "divu", "czero.eqz"):
        word = encode(name, "a0", "a1", "a2")
        assert plain.decode(word) is not None
        assert small.decode(word) is None
    for word in (0, 0xFFFFFFFF, 0x00000073, 0x00100073, 0x30200073, 0x02001013, 0x00003003, 0x0000302F, 0x02000053):
        assert plain.decode(word) is None, hex(word)


def test_unused_fields_are_ignored_as_in_hardware() -> None:
    decoder = Decoder(HardwareConfig())
    for word, name in (
        (0x00B5068B, "tmc"),
        (0x0035260B, "split.n"),
        (0x0045260B, "split"),
        (0x00B5510B, "pred"),
        (0xFFFFF00F, "fence"),
    ):
        decoded = decoder.decode(word)
        assert decoded is not None
        assert decoded.name == name


@pytest.mark.skipif(shutil.which("clang-19") is None, reason="clang-19 is not installed")
@pytest.mark.parametrize("xlen", [32, 64])
def test_clang_agrees_with_the_base_encodings(tmp_path: Path, xlen: int) -> None:
    """Our disassembly, assembled by clang, gives our words: an encoding error would have to be in both."""
    rng = random.Random(7)
    words: list[int] = []
    for instruction in INSTRUCTIONS:
        vendor = instruction.extension in (Extension.VORTEX, Extension.SIMT_FULL, Extension.PACKED)
        if vendor or xlen not in instruction.xlens or instruction.name in ("fence", "fence.i"):
            continue
        for _ in range(8):
            operands = _random_operands(instruction, rng)
            if any(operand.kind is Kind.CSR for operand in instruction.operands):
                operands[1] = rng.choice([0x340, 0xB00, 0xF14, 0x305])
            words.append(encode(instruction.name, *operands, xlen=xlen))
    lines = [disassemble(word, None, xlen) for word in words]  # clang reads a bare jump target as an offset, too
    source, target = tmp_path / "all.s", tmp_path / "all.o"
    source.write_text(".option norelax\n" + "\n".join(lines) + "\n")
    subprocess.run(
        [
            "clang-19",
            f"--target=riscv{xlen}",
            f"-march=rv{xlen}imaf_zicsr_zicond",
            "-c",
            str(source),
            "-o",
            str(target),
        ],
        check=True,
        capture_output=True,
        text=True,
    )
    with target.open("rb") as stream:
        section = ELFFile(stream).get_section_by_name(".text")
        assert section is not None
        code = section.data()
    theirs = [int.from_bytes(code[i : i + 4], "little") for i in range(0, len(code), 4)]
    assert [hex(word) for word in theirs] == [hex(word) for word in words]


# ------------------------------------------------------------------ assembler


def test_labels_and_pseudo_instructions() -> None:
    code, labels = assemble_with_labels(
        """
        start: li a0, 0x12345678   # two words
               li a1, -5
        loop:  addi a1, a1, 1
               bnez a1, loop
               lla a2, data
               j end
               .zero 8
        data:  .word 0xdeadbee0
               .word start
        end:   ret
        """,
        base=0x1000,
    )
    assert labels == {"start": 0x1000, "loop": 0x100C, "data": 0x1028, "end": 0x1030}
    words = [int.from_bytes(code[i : i + 4], "little") for i in range(0, len(code), 4)]
    assert [disassemble(word, 0x1000 + 4 * i) for i, word in enumerate(words)] == [
        "lui a0, 0x12345",
        "addi a0, a0, 1656",
        "addi a1, zero, -5",
        "addi a1, a1, 1",
        "bne a1, zero, 0x100c",
        "auipc a2, 0x0",
        "addi a2, a2, 20",
        "jal zero, 0x1030",
        ".word 0x00000000",
        ".word 0x00000000",
        ".word 0xdeadbee0",
        ".word 0x00001000",
        "jalr zero, 0(ra)",
    ]


@pytest.mark.parametrize("value", [0, 2047, 2048, -2048, -2049, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 0x12345FFF, -1])
def test_li_builds_any_constant(value: int) -> None:
    from tests.unit.golden_program import run_kernel, words

    machine = run_kernel(f"li a1, {value}\n sw a1, 0(a0)\n ret")
    assert words(machine, 1) == [value & 0xFFFFFFFF]


@pytest.mark.parametrize(
    ("source", "part"),
    [
        ("frob a0, a1", "line 1: frob a0, a1: unknown instruction"),
        ("\naddi a0, a1", "line 2: addi a0, a1: addi takes 3 operands"),
        ("addi a0, a1, 5000", "imm=5000 does not fit: must be -2048 … 2047"),
        ("addi a0, q1, 5", "'q1' is no register"),
        ("beq a0, a1, nowhere", "'nowhere' is no offset"),
        ("beq a0, a1, 3", "a multiple of 2"),
        ("csrrs a0, nocsr, zero", "'nocsr' is no CSR"),
        ("x: nop\nx: nop", "line 2: label x is defined twice"),
        ("li a0", "line 1: li takes a register and a constant"),
        ("li a0, 0x123456789", "li takes a 32-bit constant"),
        ("mv a0", "line 1: too few operands"),
        (".word", "line 1"),
        (".zero x", "line 1"),
    ],
)
def test_assembler_errors_name_the_line(source: str, part: str) -> None:
    with pytest.raises(AsmError) as caught:
        assemble(source)
    assert part in str(caught.value)


def test_encode_errors() -> None:
    with pytest.raises(AsmError, match="unknown instruction 'ld' for XLEN=32"):
        encode("ld", "a0", 0, "a1")
    assert encode("ld", "a0", 8, "a1", xlen=64) == 0x0085B503
    with pytest.raises(OperandError, match="rd=32 does not fit"):
        encode("add", 32, 0, 0)
