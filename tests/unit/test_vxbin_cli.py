"""`python -m sw.kernel.vxbin`: exit status, one sentence per error, nothing half-written; and generation detection."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from sw.kernel.vxbin import Generation, detect_generation, load
from sw.kernel.vxbin.__main__ import main
from tests.unit.vxbin_elf import BASE, UNDEFINED, ElfSymbol, program
from tests.unit.vxbin_files import write_vxbin


def test_build_then_info_and_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elf, out = tmp_path / "k.elf", tmp_path / "k.vxbin"
    elf.write_bytes(program([ElfSymbol("__vx_kentry_add_k", BASE + 8)]).to_bytes())
    assert main(["build", str(elf), str(out)]) == 0
    assert main(["check", str(out)]) == 0
    assert main(["info", str(out)]) == 0
    text = capsys.readouterr().out
    assert "k.vxbin: good" in text
    assert "0x80000008 add_k" in text
    assert "0x80000008 main (alias)" in text
    assert "0x80000000..0x80000080, image 64 bytes" in text


def test_build_refuses_what_the_loader_would_refuse(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    elf, out = tmp_path / "k.elf", tmp_path / "k.vxbin"
    elf.write_bytes(program([ElfSymbol("__vx_kentry_k", 0, section=UNDEFINED)]).to_bytes())
    assert main(["build", str(elf), str(out)]) == 1
    assert "kernel 'k' starts at 0x0, outside the image" in capsys.readouterr().err
    assert not out.exists()
    assert main(["build", "--force", str(elf), str(out)]) == 0
    assert out.read_bytes().endswith(b"VXSYMTAB")
    assert main(["check", str(out)]) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["info", "absent.vxbin"], "absent.vxbin cannot be read"),
        (["build", "absent.elf", "out.vxbin"], "absent.elf cannot be read"),
        (["build", "k.elf", "no/such/folder/out.vxbin"], "no/such/folder/out.vxbin cannot be written"),
        (["build", "text.elf", "out.vxbin"], "text.elf is not a usable ELF file"),
    ],
)
def test_errors_are_one_sentence(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("k.elf").write_bytes(program([]).to_bytes())
    Path("text.elf").write_text("hello")
    assert main(arguments) == 1
    text = capsys.readouterr().err
    assert text.startswith("vxbin: ")
    assert words in text
    assert text.count("\n") == 1
    assert not Path("out.vxbin").exists()


CSRR_A0 = 0x3400_2573
S11_WINDOW = (CSRR_A0, 0x000D_80E7, 0x0000_700B, 0x0000_000B)
DIRECT_WINDOW = (CSRR_A0, 0x0080_00EF, 0x0000_000B)
WSPAWN_START = (0xFC10_22F3, 0x0062_900B)  # csrr t0, NUM_WARPS; wspawn t0, t1


def detect(tmp_path: Path, window: tuple[int, ...], kernels: tuple[str, ...] = ()) -> Generation:
    return detect_generation(load(write_vxbin(tmp_path / "k.vxbin", kernels, window=window)))


def test_generation_is_recognised_by_its_code(tmp_path: Path) -> None:
    assert detect_generation(load(write_vxbin(tmp_path / "g2.vxbin"))) is Generation.CTA_ENTRY
    assert detect(tmp_path, S11_WINDOW) is Generation.S11
    assert detect(tmp_path, DIRECT_WINDOW) is Generation.DIRECT
    assert detect(tmp_path, WSPAWN_START) is Generation.LEGACY
    assert detect(tmp_path, (0x0000_0013,)) is Generation.UNKNOWN


def test_generation_s11_is_recognised_by_its_stubs(tmp_path: Path) -> None:
    stub = struct.pack("<III", 0x0000_0D97, 0x010D_8D93, 0xFF9F_F06F)  # lla s11, kernel; j
    code = struct.pack("<4I", *S11_WINDOW) + stub
    entry = b"k" + struct.pack("<IHHQ", 0, 1, 0, BASE + 16)
    data = struct.pack("<QQ", BASE, BASE + 64) + code + entry + struct.pack("<I", 1) + b"VXSYMTAB"
    assert detect_generation(load(data)) is Generation.S11
