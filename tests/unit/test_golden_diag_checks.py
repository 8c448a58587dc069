"""Switching checks on and off, allowances, source lines, and the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from golden_model import FindingKind as K
from golden_model import Machine
from golden_model.__main__ import app
from golden_model.diagnosis import (
    ALWAYS,
    AllowanceError,
    Check,
    CheckError,
    SourceError,
    SourceMap,
    attach,
    declared,
    find_elf,
    parse_allowance,
    selected,
)
from tests.unit.golden_diag import CONFIG, Image
from tests.unit.golden_program import launch_of, machine_with, program
from tests.unit.golden_tiers import needs_compiler

RUNNER = CliRunner()


def test_every_kind_belongs_to_one_check() -> None:
    for kind in K:
        assert [check for check in Check if kind in check.kinds] != [], kind
        assert len([check for check in Check if kind in check.kinds]) == 1, kind


def test_names_of_checks() -> None:
    assert selected([], []) == ALWAYS
    assert selected(["races,bounds"], ["undefined"]) == ALWAYS - {Check.UNDEFINED} | {Check.RACES, Check.BOUNDS}
    assert selected(["all"], ["all"]) == set()
    with pytest.raises(CheckError, match=r"there is no check 'rases'; the checks are all, divergence"):
        selected(["rases"], [])


def test_a_check_that_is_off_finds_nothing_and_others_do() -> None:
    """Undefined address and a misaligned access at once."""
    kernel = "lw t0, 0(s9)\n lw t0, 2(a0)\n ret"
    for off, kinds in ((), {K.UNDEFINED_ADDRESS, K.MISALIGNED_ACCESS}), (("undefined",), {K.MISALIGNED_ACCESS}):
        image = program(kernel)
        machine = machine_with(image)
        attach(machine, SourceMap(), (), off)
        machine.launch(launch_of(image))
        machine.run()
        assert machine.findings.kinds() == kinds


STALE_PROLOGUE = """
_start:
    csrr t1, mhartid
set: li sp, 0xffff0000
    slli t1, t1, 13
    sub sp, sp, t1
"""


@pytest.mark.parametrize("tier", ["readable", pytest.param("fast", marks=needs_compiler)])
def test_lanes_that_skipped_the_prologue(tier: str) -> None:
    """A start-up code without TMC -1: the warp that begins with the one thread of the last rank has no stack pointer
    in its other lanes, when it runs a full rank of a later block. Blocks of 9 threads on 4 warps of 4 lanes."""
    image = program("addi sp, sp, -16\n sw t0, 0(sp)\n addi sp, sp, 16\n ret", prologue=STALE_PROLOGUE)
    machine = machine_with(image)
    machine.tier = "fast" if tier == "fast" else "readable"
    attach(machine, SourceMap(), ("stack",))
    machine.launch(launch_of(image, grid=(6, 1, 1), block=(9, 1, 1)))
    machine.run()
    found = [finding for finding in machine.findings if finding.kind is K.STALE_STACK_POINTER]
    assert [(finding.pc, finding.lanes) for finding in found] == [(image.labels["kernel"] + 4, 0b1110)]
    assert found[0].other is not None
    assert (found[0].other.pc, found[0].other.lanes) == (image.labels["set"], 0b0001)


# ------------------------------------------------------------------ allowances and sources


@needs_compiler
def test_allowances_by_place() -> None:
    races = Image("races.cpp")
    line = next(number for (_, number), tag in races.tags.items() if tag == "block store")
    pc = races.run("block_race", grid=2)[0].pc
    for allowed in ("race-cta", "races", "race-cta@block_race", f"race-cta@races.cpp:{line}", f"races@{pc:#x}"):
        assert races.run("block_race", grid=2, allow=(allowed,)) == [], allowed
    for other in ("race-warp", "race-cta@lane_race", f"race-cta@races.cpp:{line + 1}", f"race-cta@{pc + 4:#x}"):
        assert races.run("block_race", grid=2, allow=(other,)), other


def test_allowances_that_mean_nothing() -> None:
    empty = SourceMap()
    for text, problem in (
        ("race", "'race' is no finding and no check"),
        ("races@k", "no function 'k' is known; give the image's ELF file with --elf"),
        ("races@k.cpp:3", "no ELF file with line numbers is known"),
    ):
        with pytest.raises(AllowanceError, match=problem):
            parse_allowance(text, empty)
    with pytest.raises(AllowanceError, match=r"VX_ALLOW at 0x10 names 'nothing'"):
        declared(SourceMap(marks=[(0x10, "nothing")]))


def test_allowances_of_a_source_belong_to_its_function() -> None:
    allowances = declared(Image("races.cpp").sources)
    assert [(allowance.function, set(allowance.kinds)) for allowance in allowances] == [
        ("block_race_allowed", {K.RACE_CTA})
    ]


def test_elf_files_that_are_none(tmp_path: Path) -> None:
    bad = tmp_path / "k.elf"
    bad.write_bytes(b"\x7fELF" + bytes(20))
    with pytest.raises(SourceError, match="no ELF file"):
        SourceMap.from_elf(bad)
    with pytest.raises(SourceError, match="cannot be read"):
        SourceMap.from_elf(tmp_path / "none.elf")
    assert find_elf(tmp_path / "k.vxbin") == bad
    bad.write_bytes(b"text")
    assert find_elf(tmp_path / "k.vxbin") is None


# ------------------------------------------------------------------ command line


def test_run_with_checks(tmp_path: Path) -> None:
    races = Image("races.cpp")
    copy = tmp_path / "races.vxbin"
    copy.write_bytes(races.vxbin.read_bytes())
    common = ["run", str(copy), "--kernel", "block_race", "--grid", "2", "--block", "4", "--arg", "zeros:64",
              "--arg", "zeros:64", "--tier", "readable"]  # fmt: skip
    assert RUNNER.invoke(app, common).exit_code == 0
    plain = RUNNER.invoke(app, [*common, "--check", "races"])
    assert plain.exit_code == 1
    assert "race-cta" in plain.output and "races.cpp" not in plain.output
    line = next(number for (_, number), tag in races.tags.items() if tag == "block store")
    lines = RUNNER.invoke(app, [*common, "--check", "races", "--elf", str(races.elf)]).output
    assert lines.count(f"races.cpp:{line} <block_race+") == 2
    allowed = RUNNER.invoke(app, [*common, "--check", "races", "--elf", str(races.elf), "--allow", "races@block_race"])
    assert allowed.exit_code == 0
    for bad in (["--check", "x"], ["--no-check", "x"], ["--allow", "x"], ["--elf", str(tmp_path / "none")]):
        refused = RUNNER.invoke(app, [*common, *bad])
        assert refused.exit_code == 2 and "Traceback" not in refused.output, bad


def test_diagnosis_that_began_in_python_ends_there() -> None:
    """The tier is changed between start and run: the state of the checks is Python's."""
    image = program("csrr t0, thread_id\n sw t0, 0(a0)\n ret")
    machine: Machine = machine_with(image, CONFIG)
    attach(machine, SourceMap(), ("races",))
    machine.launch(launch_of(image))
    machine.tier = "fast"
    machine.run()
    assert machine.findings.kinds() == {K.RACE_LANE}
