"""`lint`: each complaint from a kernel written for it, none from clean ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from config import EntryGeneration, HardwareConfig
from golden_model.__main__ import app
from golden_model.lint import lint
from sw.kernel.vxbin import Entry, encode, load
from tests.unit.golden_program import Program, program

CLEAN = """
    csrr t0, thread_id
    andi t1, t0, 1
    split t2, t1
    beqz t1, other
    call helper
    j end
other:
    addi t0, t0, 1
end:
    join t2
    sw t0, 0(a0)
    ret
helper:
    addi t0, t0, 2
    ret
"""


def kinds(kernel: str, config: HardwareConfig | None = None) -> dict[str, int]:
    """Complaints by kind, with the offset of the first from the kernel's start."""
    image = program(kernel)
    found = lint(image, config or HardwareConfig(), EntryGeneration.CTA_ENTRY)
    return {c.kind: c.pc - image.labels["kernel"] for c in reversed(found)}


def test_clean_code() -> None:
    assert kinds(CLEAN.replace("call helper", "jal ra, helper")) == {}


@pytest.mark.parametrize(
    ("kernel", "kind", "offset"),
    [
        ("beqz t0, x\n .word 0xffffffff\nx: ret", "encoding", 4),
        ("nop\n csrr t0, 0x123\n ret", "csr", 4),
        ("csrrw t0, mhartid, t1\n ret", "csr", 0),
        ("nop\n join t0\n ret", "join", 4),
        ("split t0, t1\n ret", "open-split", 4),
        ("split t0, t1\n tmc zero", "open-split", 4),
        ("split t0, t1\n beqz t1, x\n join t0\nx: nop\n ret", "split-depth", 12),
        ("split s1, t1\n split s2, t1\n split s3, t1\n split s4, t1\n join s4\n join s3\n join s2\n join s1\n ret",
         "split-nesting", 12),
        ("j kernel - 0x1000", "outside-image", 0),
        ("nop", "outside-image", 0),
        ("jal ra, x\n ret\nx: .word 0", "encoding", 8),
    ],
)  # fmt: skip
def test_each_complaint(kernel: str, kind: str, offset: int) -> None:
    if "0x1000" in kernel:
        kernel = ".word 0x800ff06f"  # jal zero, -2048 … far before the image
    found = kinds(kernel)
    assert kind in found, found
    assert found[kind] == offset


def test_extension_that_is_off() -> None:
    kernel = "vote.all t0, t1\n ret"
    assert kinds(kernel, HardwareConfig(ext_simt_full=False))["extension"] == 0
    assert kinds(kernel) == {}


def test_code_that_nobody_reaches_is_not_looked_at() -> None:
    assert kinds("ret\n .word 0xffffffff") == {}


def test_without_a_window() -> None:
    image = program("ret")
    broken = Program(image.image.replace((0x0000000B).to_bytes(4, "little"), (0x13).to_bytes(4, "little")),
                     image.labels, image.kernels)  # fmt: skip
    assert "no-window" in {c.kind for c in lint(broken, HardwareConfig(), EntryGeneration.CTA_ENTRY)}
    assert "no-window" not in {c.kind for c in lint(image, HardwareConfig(), EntryGeneration.CTA_ENTRY)}


@pytest.mark.parametrize("name", ["multikernel", "sgemm_i", "sgemm"])
def test_compiled_kernels_are_clean(name: str) -> None:
    image = load(Path(f"golden_model/bench/images/{name}.vxbin"))
    assert lint(image, HardwareConfig(ext_f=name == "sgemm"), EntryGeneration.CTA_ENTRY) == []


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["lint", *(str(argument) for argument in arguments)])


def write(path: Path, kernel: str) -> Path:
    built = program(kernel)
    entries = [Entry(name, pc) for name, pc in built.kernels.items()]
    path.write_bytes(encode(built.min_vma, built.max_vma, built.image, entries))
    return path


def test_command(tmp_path: Path) -> None:
    clean, bad = write(tmp_path / "clean.vxbin", "ret"), write(tmp_path / "bad.vxbin", "nop\n join t0\n ret")
    result = invoke(clean)
    assert (result.exit_code, result.output) == (0, f"{clean}: 0 static complaints\n")
    result = invoke(bad)
    assert result.exit_code == 1
    assert result.output.startswith("static: join: 0x8")
    assert "from k: JOIN without a SPLIT before it" in result.output


def test_command_with_a_launch(tmp_path: Path) -> None:
    """All warps store their index to one word: a race."""
    racing = "csrr t0, cta_rank\n lw t1, 0(a0)\n sw t0, 0(t1)\n ret"
    path = write(tmp_path / "race.vxbin", racing)
    arguments = ("--kernel", "k", "--block", 8, "--arg", "zeros:64")
    result = invoke(path, *arguments)
    assert result.exit_code == 1, result.output
    assert "0 static complaints" in result.output
    assert "finding: race-warp" in result.output
    assert invoke(path, *arguments, "--allow", "race-warp").exit_code == 0
    assert invoke(path, "--kernel", "nope").exit_code == 2
    assert invoke(path, *arguments, "--allow", "nonsense").exit_code == 2
    assert invoke(tmp_path / "absent.vxbin").exit_code == 2
    assert invoke(path, "--threads", 3).exit_code == 2
