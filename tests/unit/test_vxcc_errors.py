"""Every failure of the driver is a message for people, with non-zero exit and nothing half-written."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from config import HardwareConfig
from sw.kernel.vxcc import (
    CompileError,
    ImageError,
    LinkError,
    MissingToolError,
    SourceError,
    Toolchain,
    VxccError,
    compile_kernel,
)
from sw.kernel.vxcc.__main__ import main
from sw.kernel.vxcc.toolchain import run_tool
from tests.unit.vxcc_image import source

NO_FLOAT = HardwareConfig(ext_f=False)
GOOD = "__kernel void k(int *p) { *p = 1; }"


def test_missing_tools_name_their_packages(tmp_path: Path) -> None:
    with pytest.raises(MissingToolError) as caught:
        Toolchain.find(str(tmp_path))
    assert str(caught.value) == (
        "clang-19 and ld.lld-19 not found on PATH: install the Debian package(s) clang-19 lld-19 "
        "(apt-get install clang-19 lld-19)"
    )


def test_one_missing_tool_names_only_its_package(tmp_path: Path) -> None:
    (tmp_path / "clang-19").write_text("#!/bin/sh\n")
    (tmp_path / "clang-19").chmod(0o755)
    with pytest.raises(MissingToolError, match=r"^ld\.lld-19 not found on PATH: .* lld-19 \(apt-get install lld-19\)$"):
        Toolchain.find(str(tmp_path))


def test_tool_that_cannot_start(tmp_path: Path) -> None:
    with pytest.raises(MissingToolError, match="cannot be started"):
        run_tool(tmp_path / "absent", [])


def test_compile_error_shows_place_and_line(tmp_path: Path) -> None:
    path = source(tmp_path, "__kernel void k(int *p) {\n  *p = unknown_thing;\n}")
    with pytest.raises(CompileError) as caught:
        compile_kernel([path], tmp_path / "k.vxbin", cache_dir=tmp_path / "cache")
    text = str(caught.value)
    assert text.startswith(f"{path} does not compile: 1 error\n")
    assert "kernel.cpp:3:8: error: use of undeclared identifier 'unknown_thing'" in text
    assert "*p = unknown_thing;" in text
    assert not (tmp_path / "k.vxbin").exists()
    assert list((tmp_path / "cache").iterdir()) == []


def test_missing_header_is_a_compile_error(tmp_path: Path) -> None:
    path = source(tmp_path, '#include "nowhere.h"\n' + GOOD)
    with pytest.raises(CompileError, match=r"1 error\n.*kernel\.cpp:2:10: fatal error: 'nowhere\.h' file not found"):
        compile_kernel([path], cache_dir=tmp_path / "cache")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("extern int missing(int);\n__kernel void k(int *p) { *p = missing(1); }", ["undefined symbol missing(int)"]),
        ("__kernel void k(float *p) { p[0] = p[1] * p[2]; }", ["__mulsf3", "floating-point arithmetic"]),
        ("__kernel void k(int **p) { *p = new int; }", ["operator new", "no heap"]),
    ],
)  # fmt: skip
def test_undefined_symbol_says_where_and_why(tmp_path: Path, text: str, words: list[str]) -> None:
    with pytest.raises(LinkError) as caught:
        compile_kernel([source(tmp_path, text)], tmp_path / "k.vxbin", NO_FLOAT, cache_dir=tmp_path / "cache")
    message = str(caught.value)
    assert message.startswith("the kernel cannot be linked: undefined symbol ")
    assert "kernels are linked without a C library" in message
    assert all(word in message for word in words), message
    assert "kernel.cpp:" in message, "the source line that needs it"
    assert not (tmp_path / "k.vxbin").exists()
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["support"]


def test_image_that_runs_into_the_stacks_is_refused(tmp_path: Path) -> None:
    text = "char huge[0x7ffe8000];\n__kernel void k(int *p) { huge[*p] = 1; }"
    with pytest.raises(ImageError, match="overlaps the stacks of 16 harts"):
        compile_kernel([source(tmp_path, text)], cache_dir=tmp_path / "cache")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ([], "no source file was given"),
        (["absent.cpp"], r"source file .*absent\.cpp does not exist"),
        (["notes.txt"], r"notes\.txt is not a source file"),
        (["."], "is not a source file"),
    ],
)
def test_wrong_sources(tmp_path: Path, names: list[str], words: str) -> None:
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(SourceError, match=words):
        compile_kernel([tmp_path / name for name in names], cache_dir=tmp_path / "cache")


def test_unknown_optimisation_level(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="-O9: the optimisation level must be one of 0, 1, 2, 3, s"):
        compile_kernel([source(tmp_path, GOOD)], opt="9", cache_dir=tmp_path / "cache")


def test_unreadable_plugin(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"pass plugin .*none\.so cannot be read"):
        compile_kernel([source(tmp_path, GOOD)], plugin=tmp_path / "none.so", cache_dir=tmp_path / "cache")


def test_plugin_without_a_report_is_refused(tmp_path: Path) -> None:
    code, plugin = tmp_path / "silent.cpp", tmp_path / "silent.so"
    code.write_text(
        "#include <llvm/Passes/PassPlugin.h>\n#include <llvm/Passes/PassBuilder.h>\n"
        'extern "C" llvm::PassPluginLibraryInfo llvmGetPassPluginInfo() {\n'
        '  return {LLVM_PLUGIN_API_VERSION, "silent", "1", [](llvm::PassBuilder &) {}};\n}\n'
    )
    include = "-I/usr/lib/llvm-19/include"
    subprocess.run(
        ["g++", "-std=c++17", "-shared", "-fPIC", "-fno-rtti", include, str(code), "-o", str(plugin)], check=True
    )
    with pytest.raises(CompileError, match="the pass plugin left no report"):
        compile_kernel([source(tmp_path, GOOD)], plugin=plugin, cache_dir=tmp_path / "cache")


def test_plugin_is_given_to_the_compiler(tmp_path: Path) -> None:
    plugin = tmp_path / "broken.so"
    plugin.write_bytes(b"not a shared object")
    with pytest.raises(CompileError, match=r"broken\.so"):
        compile_kernel([source(tmp_path, GOOD)], plugin=plugin, cache_dir=tmp_path / "cache")


def test_unusable_cache_folder(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    with pytest.raises(VxccError, match=r"the cache folder .*cache cannot be written"):
        compile_kernel([source(tmp_path, GOOD)], cache_dir=tmp_path / "cache")


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = source(tmp_path, GOOD), tmp_path / "k.vxbin"
    assert main([str(path), "-o", str(out), "--elf", str(tmp_path / "k.elf")]) == 0
    assert "k" in capsys.readouterr().out
    assert out.read_bytes().endswith(b"VXSYMTAB")
    assert (tmp_path / "k.elf").read_bytes().startswith(b"\x7fELF")


@pytest.mark.parametrize(
    ("extra", "words"),
    [
        (["--set", "num_threads=3"], "num_threads=3: must be a power of two"),
        (["--set", "num_lanes=4"], "unknown hardware parameter 'num_lanes'"),
        (["--set", "num_threads=many"], "--set num_threads=many: must be name=number"),
        (["--config", "absent.toml"], "absent.toml cannot be read"),
        (["--kernel", "k"], "a kernel is chosen only for generation direct"),
        (["-O", "7"], "-O7: the optimisation level"),
    ],
)
def test_command_line_errors_are_one_sentence(
    extra: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "k.vxbin"
    assert main([str(source(tmp_path, GOOD)), "-o", str(out), *extra]) == 1
    text = capsys.readouterr().err
    assert text.startswith("vxcc: ")
    assert words in text
    assert text.count("\n") == 1
    assert not out.exists()


def test_output_folder_that_does_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(source(tmp_path, GOOD)), "-o", str(tmp_path / "no" / "k.vxbin")]) == 1
    assert "k.vxbin cannot be written: No such file or directory" in capsys.readouterr().err
