"""`riscv-test`: bare ELF files of both conventions, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from golden_model.__main__ import app
from golden_model.isa.asm import assemble
from tests.unit.golden_tiers import needs_compiler
from tests.unit.vxbin_elf import BASE, ElfFile, ElfSection, ElfSymbol

TOHOST = 0x8000_1000
# As the usual tests are: numbered checks; ECALL, whose handler stores 1 or 2n + 1 to tohost and spins.
CHECKS = """
    lla t0, trap
    csrw mtvec, t0
    li gp, 2
    li a1, 7
    li a2, 5
    sub a3, a1, a2
    li a4, {expected}
    bne a3, a4, fail
    li gp, 3
    mul a3, a1, a2
    li a4, 35
    bne a3, a4, fail
    li gp, 1
    ecall
fail:
    slli gp, gp, 1
    addi gp, gp, 1
    ecall
trap:
    csrr t5, mcause
    li t6, 11
    bne t5, t6, trap
    li t0, 0x80001000
spin:
    sw gp, 0(t0)
    j spin
"""
EXIT = """
    csrr t0, mhartid
    csrr t1, active_threads
    addi t1, t1, -1
    add a0, t0, t1
    addi a0, a0, {code}
    li t0, 0x8348
    sw a0, 0(t0)
    wsync
    tmc zero
"""


def elf(path: Path, source: str, tohost: bool = False, **fields: object) -> Path:
    sections = [ElfSection(BASE, assemble(source, BASE))]
    symbols = [ElfSymbol("_start", BASE)]
    if tohost:
        sections.append(ElfSection(TOHOST, bytes(64)))
        symbols.append(ElfSymbol("tohost", TOHOST, section=2))
    path.write_bytes(ElfFile(sections, symbols, **fields).to_bytes())  # type: ignore[arg-type]
    return path


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["riscv-test", *(str(argument) for argument in arguments)])


def programs(folder: Path) -> list[Path]:
    """Every way to end."""
    return [
        elf(folder / "tohost-pass", CHECKS.format(expected=2), tohost=True),
        elf(folder / "tohost-fail", CHECKS.format(expected=3), tohost=True),
        elf(folder / "exit-pass", EXIT.format(code=0)),
        elf(folder / "exit-fail", EXIT.format(code=42)),
        elf(folder / "exit-with-tohost", EXIT.format(code=0), tohost=True),
        elf(folder / "illegal", ".word 0xffffffff"),
        elf(folder / "endless", "x: j x"),
        elf(folder / "silent", "tmc zero"),
        elf(folder / "syscall", f"li t0, {TOHOST}\n li t1, 0x80002000\n sw t1, 0(t0)\nx: j x", tohost=True),
        elf(folder / "no-handler", "ecall"),
    ]


EXPECTED = {
    "tohost-pass": ("PASS", ""),
    "tohost-fail": ("FAIL", "check 2 failed"),
    "exit-pass": ("PASS", ""),
    "exit-fail": ("FAIL", "exit code 42"),
    "exit-with-tohost": ("PASS", ""),
    "illegal": ("FAULT", "0xffffffff is no instruction"),
    "endless": ("TIMEOUT", "still running after 30000 instructions"),
    "silent": ("UNCLEAR", "wrote neither tohost nor an exit code"),
    "syscall": ("UNCLEAR", "tohost holds 0x80002000, a system call"),
    "no-handler": ("FAULT", "instruction fetch at 0"),
}


@pytest.mark.parametrize("tier", ["readable", pytest.param("fast", marks=needs_compiler)])
def test_every_way_to_end(tmp_path: Path, tier: str) -> None:
    result = invoke(*programs(tmp_path), "--tier", tier, "--max-instructions", 30_000)
    assert result.exit_code == 1, result.output
    lines = {line.split()[0]: line for line in result.output.splitlines()}
    for name, (verdict, detail) in EXPECTED.items():
        assert lines[name].split()[1] == verdict, lines[name]
        assert detail in lines[name]
    assert "10 programs: 3 PASS, 2 FAIL, 2 FAULT, 1 TIMEOUT, 2 UNCLEAR" in result.output


def test_all_passed_is_status_0(tmp_path: Path) -> None:
    result = invoke(elf(tmp_path / "a", EXIT.format(code=0)), "--tier", "readable")
    assert (result.exit_code, "1 programs: 1 PASS" in result.output) == (0, True), result.output


def test_segments_are_where_they_belong_and_zero_filled(tmp_path: Path) -> None:
    """Data in a segment of its own, with a zero-filled tail; 0x8348 gets the sum of both words."""
    source = (
        "li t0, 0x80003000\n lw t1, 0(t0)\n lw t2, 4(t0)\n add t1, t1, t2\n li t0, 0x8348\n sw t1, 0(t0)\n tmc zero"
    )
    sections = [ElfSection(BASE, assemble(source, BASE)), ElfSection(0x8000_3000, (7).to_bytes(4, "little"), size=16)]
    path = tmp_path / "data"
    path.write_bytes(ElfFile(sections).to_bytes())
    result = invoke(path, "--tier", "readable")
    assert "FAIL" in result.output, result.output
    assert "exit code 7" in result.output
    assert "finding" not in result.output


def test_64_bits(tmp_path: Path) -> None:
    source = "li t0, 1\n slli t0, t0, 40\n srli t0, t0, 40\n addi t0, t0, -1\n li t1, 0x8348\n sw t0, 0(t1)\n tmc zero"
    path = tmp_path / "wide"
    path.write_bytes(ElfFile([ElfSection(BASE, assemble(source, BASE, 64))], wide=True).to_bytes())
    result = invoke(path, "--tier", "readable")
    assert result.exit_code == 0, result.output


def test_files_that_are_no_programs(tmp_path: Path) -> None:
    good = elf(tmp_path / "good", EXIT.format(code=0))
    other = elf(tmp_path / "x86", EXIT.format(code=0), machine=62)
    text, short, elsewhere = tmp_path / "text", tmp_path / "short", tmp_path / "elsewhere"
    text.write_text("hello")
    short.write_bytes(good.read_bytes()[:90])
    elsewhere.write_bytes(ElfFile([ElfSection(0x9000_0000, b"\x0b\0\0\0")]).to_bytes())
    for path, sentence in (
        (tmp_path / "absent", "cannot be read: No such file"),
        (tmp_path, "cannot be read"),
        (text, "is no ELF that can be read"),
        (other, "is an ELF for EM_X86_64, not for RISC-V"),
        (elsewhere, "execution starts at 0x80000000, where nothing is loaded (loaded: 0x90000000 … 0x90000004)"),
        (short, "golden_model: "),
    ):
        result = invoke(path, good, "--tier", "readable")
        assert result.exit_code == 2, result.output
        assert sentence in result.output
        assert "Traceback" not in result.output
        assert "2 programs: 1 PASS, 1 not run" in result.output
    assert invoke(good, "--tier", "x").exit_code == 2
