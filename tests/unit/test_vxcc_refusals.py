"""Builds that must fail, one for each check that stands between a kernel and a silently wrong image."""

from __future__ import annotations

from pathlib import Path

import pytest

from config import HardwareConfig
from sw.kernel.vxbin.__main__ import main as vxbin
from sw.kernel.vxcc import CompileError, ImageError, LinkError, compile_kernel
from tests.unit.vxcc_image import source

_DIVERGENT = "__kernel void k(uint32_t *p) { if (p[threadIdx.x]) p[threadIdx.x + 64] = 1; %s }"


def test_a_duplicated_join(tmp_path: Path) -> None:
    """Text that uses the label of the pass stands for a compiler that copies the instruction."""
    text = _DIVERGENT % '__asm__ volatile(".Lvx_once_0: nop");'
    with pytest.raises(
        CompileError, match=r"kernel\.cpp: the compiler duplicated a SPLIT, JOIN or PRED of the divergence"
    ):
        compile_kernel([source(tmp_path, text)], cache_dir=tmp_path / "cache")


@pytest.mark.parametrize(
    ("text", "hardware"),
    [
        (_DIVERGENT % '\n__asm__ volatile("beqz %0, 1f\\n nop\\n1:" : : "r"(p));', HardwareConfig()),
        (_DIVERGENT % "\n__atomic_compare_exchange_n(p, p + 1, p[2], false, 0, 0);", HardwareConfig(ext_a=True)),
    ],
    ids=["of assembly", "of the back end"],
)
def test_an_extra_branch(text: str, hardware: HardwareConfig, tmp_path: Path) -> None:
    words = r"kernel\.cpp: function k has \d conditional branches where the divergence pass left \d: .*"
    with pytest.raises(CompileError, match=words + r"\(from kernel\.cpp:3\)"):
        compile_kernel([source(tmp_path, text)], hardware=hardware, cache_dir=tmp_path / "cache")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('extern "C" int printf(const char *, ...);\n__kernel void k(int *p) { *p = printf("%d", *p); }', "vx_printf"),
        ('extern "C" void *malloc(size_t);\n__kernel void k(void **p) { *p = malloc(8); }', "no heap"),
        ('extern "C" double exp(double);\n__kernel void k(double *p) { *p = exp(*p); }', "use expf"),
        ("__kernel void k(int *p) { __atomic_fetch_add(p, 1, 0); }", "ext_a"),
    ],
    ids=["printf", "malloc", "exp", "atomic"],
)
def test_a_forbidden_symbol(text: str, words: str, tmp_path: Path) -> None:
    without_atomics = HardwareConfig(ext_a=False)
    with pytest.raises(LinkError, match=f"undefined symbol .*{words}.*used at .*kernel\\.cpp:\\d+"):
        compile_kernel([source(tmp_path, text)], hardware=without_atomics, cache_dir=tmp_path / "cache")


def test_an_over_large_stack_frame(tmp_path: Path) -> None:
    text = "__kernel void k(uint32_t *p) { volatile uint32_t big[2100]; big[p[0]] = 1; p[1] = big[p[2]]; }"
    with pytest.raises(ImageError, match=r"calls need 84\d\d bytes of stack and a lane has 8192: k \(84\d\d bytes\)"):
        compile_kernel([source(tmp_path, text)], cache_dir=tmp_path / "cache")


def test_frames_of_the_library_count(tmp_path: Path) -> None:
    text = "#include <vx_print.h>\n__kernel void k(uint32_t *p) { volatile uint32_t big[1850]; big[p[0]] = 1;"
    text += ' p[1] = big[p[2]]; vx_printf("%f", 1.0 * p[3]); }'
    with pytest.raises(
        ImageError,
        match=r"calls need \d+ bytes of stack and a lane has 8192: k .* → vx_printf .* → print .* → put_double",
    ):
        compile_kernel([source(tmp_path, text)], None, HardwareConfig(ext_f=True), cache_dir=tmp_path / "cache")


def test_check_takes_modules_and_elf_files_of_any_compiler(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    built = compile_kernel([source(tmp_path, _DIVERGENT % "")], cache_dir=tmp_path / "cache")
    assert vxbin(["check", str(built.vxbin), str(built.elf)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("kernel.vxbin: good, entry generation cta_entry, kernels k, main")
    assert lines[1].endswith("kernel.elf: makes a good module, entry generation cta_entry, kernels k, main")
    foreign = tmp_path / "foreign.elf"
    foreign.write_bytes(b"\x7fELF" + bytes(60))
    assert vxbin(["check", str(foreign)]) == 1
    text = capsys.readouterr().err
    assert text.startswith("vxbin: ") and "foreign.elf" in text and text.count("\n") == 1
