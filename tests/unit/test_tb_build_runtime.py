"""The store of Verilator's run time: what a model needs, what is shared, what is compiled again."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hw.tb.build import runtime
from hw.tb.build.runtime import compile_commands, provide_runtime, runtime_names
from hw.tb.build.toolchain import Toolchain

CLASSES = """VM_SUPPORT_SLOW += \\
  Vtop__Syms__Slow \\

VM_GLOBAL_FAST += \\
  one \\
  two \\

VM_GLOBAL_SLOW += \\
  three \\

"""
MAKE = """OPT_GLOBAL ?= -Os
%.o: {sources}/%.cpp
\tc++ $(OPT_GLOBAL) -I. -MMD -c -o $@ $<
model: one.o two.o three.o
"""


def _generated(folder: Path, sources: Path) -> Path:
    """A folder as Verilator leaves it, with a run time of three small files."""
    folder.mkdir()
    sources.mkdir(exist_ok=True)
    (folder / "Vtop_classes.mk").write_text(CLASSES)
    (folder / "Vtop.mk").write_text(MAKE.format(sources=sources))
    for name in ("one", "two", "three"):
        if not (sources / f"{name}.cpp").exists():
            (sources / f"{name}.cpp").write_text(f"int {name}() {{ return 1; }}\n")
    return folder


def _compiled_by_make(folder: Path, *variables: str) -> int:
    made = subprocess.run(["make", "-f", "Vtop.mk", "model", *variables], cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    return made.stdout.count(" -c -o ")


def test_names_are_those_of_both_lists() -> None:
    assert runtime_names(CLASSES) == ["one", "two", "three"]
    assert runtime_names("VM_CLASSES_FAST += \\\n  Vtop \\\n\n") == []


def test_commands_are_found_by_their_output() -> None:
    plan = "make: Entering\ng++ -c -o one.o a/one.cpp\ng++ -c -o more.o a/more.cpp\n"
    assert compile_commands(plan, ["one", "two"]) == {"one": ["g++", "-c", "-o", "one.o", "a/one.cpp"]}


def test_the_second_model_compiles_nothing_and_make_neither(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = Toolchain.find()
    first, second = (_generated(tmp_path / name, tmp_path / "sources") for name in ("first", "second"))
    store = tmp_path / "store"
    provide_runtime(tools, first, [], objects=store)
    assert len(list(store.glob("*.o"))) == 3
    monkeypatch.setattr(runtime, "_compile", lambda *_: pytest.fail("compiled again"))
    provide_runtime(tools, second, [], objects=store)
    assert [_compiled_by_make(folder) for folder in (first, second)] == [0, 0]


def test_other_options_are_other_objects(tmp_path: Path) -> None:
    tools = Toolchain.find()
    store = tmp_path / "store"
    for level in ("-O1", "-O2"):
        folder = _generated(tmp_path / level, tmp_path / "sources")
        provide_runtime(tools, folder, [f"OPT_GLOBAL={level}"], objects=store)
    assert len(list(store.glob("*.o"))) == 6


def test_a_file_that_does_not_compile_is_left_to_make(tmp_path: Path) -> None:
    folder = _generated(tmp_path / "model", tmp_path / "sources")
    (tmp_path / "sources" / "two.cpp").write_text("nonsense\n")
    store = tmp_path / "store"
    provide_runtime(Toolchain.find(), folder, [], objects=store)
    assert sorted(path.stem.split("-")[0] for path in store.glob("*.o")) == ["one", "three"]
    made = subprocess.run(["make", "-f", "Vtop.mk", "model"], cwd=folder, capture_output=True, text=True)
    assert made.returncode != 0 and "two.cpp" in made.stderr
