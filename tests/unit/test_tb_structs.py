"""Headers that are generated from ctypes structures compile, and their layout is that of ctypes."""

from __future__ import annotations

import ctypes
import subprocess
from enum import IntEnum
from pathlib import Path

import pytest

from hw.tb.agents.axi import policy
from hw.tb.build.c_structs import cpp_header
from hw.tb.build.toolchain import Toolchain
from hw.tb.top import abi


class Colour(IntEnum):
    RED = 1
    BLUE = 7


class Inner(ctypes.Structure):
    _fields_ = (("a", ctypes.c_uint8), ("b", ctypes.c_uint64))


class Outer(ctypes.Structure):
    _fields_ = (("one", Inner), ("many", Inner * 3), ("tail", ctypes.c_uint16))


class Wrong(ctypes.Structure):
    _fields_ = (("text", ctypes.c_char_p),)


def _compile(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    source = folder / "test.cpp"
    source.write_text(text, encoding="utf-8")
    command = [Toolchain.find().cxx, "-std=c++20", "-fsyntax-only", str(source)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_headers_compile_with_offsets_of_ctypes(tmp_path: Path) -> None:
    header = cpp_header([Colour], [Inner, Outer], "here")
    checks = [
        f"static_assert(offsetof(vx::Outer, many) == {Outer.many.offset});",
        f"static_assert(offsetof(vx::Outer, tail) == {Outer.tail.offset});",
        "static_assert(vx::Colour::BLUE == 7);",
    ]
    done = _compile(tmp_path, "#include <cstddef>\n" + header.replace("#pragma once", "") + "\n".join(checks))
    assert done.returncode == 0, done.stderr


def test_a_wrong_size_does_not_compile(tmp_path: Path) -> None:
    header = cpp_header([], [Inner], "here").replace("#pragma once", "").replace("uint64_t b", "uint32_t b")
    done = _compile(tmp_path, header)
    assert done.returncode != 0 and "layout differs from ctypes" in done.stderr


def test_the_real_headers_compile(tmp_path: Path) -> None:
    text = "\n".join(header.replace("#pragma once", "") for header in (abi.cpp_header(), policy.cpp_header()))
    done = _compile(tmp_path, text)
    assert done.returncode == 0, done.stderr


def test_types_without_a_fixed_width_are_refused() -> None:
    with pytest.raises(TypeError, match="field text has type c_char_p"):
        cpp_header([], [Wrong], "here")
