"""Function symbols as read from the raw table, against those that pyelftools makes of it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from sw.kernel.elf_functions import FunctionSymbol, function_symbols

_SOURCE = """
int absolute_value;
static int hidden(int x) { return x ? x * 3 : absolute_value; }
int (*volatile table)(int) = hidden;
int seen(int x) { return table(x) + 1; }
extern int elsewhere(int);
int calls(int x) { return elsewhere(x); }
"""


def _by_pyelftools(elf: ELFFile) -> list[FunctionSymbol]:
    table = elf.get_section_by_name(".symtab")
    assert isinstance(table, SymbolTableSection)
    return [
        FunctionSymbol(
            symbol.name,
            symbol["st_shndx"],
            symbol["st_value"],
            symbol["st_size"],
            symbol["st_info"]["bind"] == "STB_LOCAL",
        )
        for symbol in table.iter_symbols()
        if symbol["st_info"]["type"] == "STT_FUNC" and not isinstance(symbol["st_shndx"], str)
    ]


@pytest.mark.parametrize("target", ["riscv32", "riscv64", "host"])
def test_functions_of_an_object_file(tmp_path: Path, target: str) -> None:
    source, path = tmp_path / "f.c", tmp_path / "f.o"
    source.write_text(_SOURCE)
    compiler = (
        ["gcc"] if target == "host" else ["clang-19", f"--target={target}-unknown-elf", "-march=" + f"rv{target[5:]}im"]
    )
    subprocess.run([*compiler, "-c", "-O1", str(source), "-o", str(path)], check=True)
    with path.open("rb") as handle:
        elf = ELFFile(handle)
        found = list(function_symbols(elf))
        assert found == _by_pyelftools(elf)
    assert {(symbol.name, symbol.local) for symbol in found} >= {("hidden", True), ("seen", False), ("calls", False)}
    assert "elsewhere" not in {symbol.name for symbol in found}


def test_a_stripped_file_has_none(tmp_path: Path) -> None:
    source, path = tmp_path / "f.c", tmp_path / "f.so"
    source.write_text("int seen(int x) { return x; }")
    subprocess.run(["gcc", "-shared", "-s", str(source), "-o", str(path)], check=True)
    with path.open("rb") as handle:
        assert list(function_symbols(ELFFile(handle))) == []
