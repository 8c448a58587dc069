"""The folder structure is the architecture: imports point one way, and every folder says what lives in it."""

from __future__ import annotations

import ast
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Folder -> project folders that it may import (itself is always allowed). The longest matching prefix counts.
MAY_IMPORT: dict[str, set[str]] = {
    "config": set(),
    "sw/kernel/vxbin": set(),
    "sw/kernel": {"config", "sw/kernel"},
    "golden_model": {"config", "golden_model", "sw/kernel/vxbin"},
    "sw/runtime": {"config", "golden_model", "sw/kernel", "sw/runtime"},
    "hw/tb": {"config", "golden_model", "sw", "hw/tb"},
    "tests": {"config", "golden_model", "sw", "hw/tb", "tests"},
}
PROJECT_ROOTS = {"config", "golden_model", "sw", "hw", "tests"}


def _tracked(pattern: str) -> list[Path]:
    listing = subprocess.run(["git", "ls-files", pattern], cwd=ROOT, capture_output=True, text=True, check=True)
    return [ROOT / line for line in listing.stdout.splitlines() if (ROOT / line).exists()]


def _imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name for name in names if name.split(".")[0] in PROJECT_ROOTS}


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder + "/")


def test_imports_point_one_way() -> None:
    wrong = []
    for path in _tracked("*.py"):
        source = path.relative_to(ROOT).as_posix()
        owner = max((folder for folder in MAY_IMPORT if _below(source, folder)), key=len, default=None)
        if owner is None:
            continue
        for name in _imports(path):
            target = name.replace(".", "/")
            if not any(_below(target, folder) for folder in {owner, *MAY_IMPORT[owner]}):
                wrong.append(
                    f"{source} imports {name}; {owner} may import only {sorted(MAY_IMPORT[owner]) or 'nothing'}"
                )
    assert not wrong, "\n".join(wrong)


def test_rtl_knows_nothing_of_the_testbench() -> None:
    wrong = [
        path.relative_to(ROOT).as_posix()
        for path in _tracked("hw/rtl/*")
        if path.suffix in {".sv", ".svh"} and any(word in path.read_text() for word in ('"DPI-C"', "hw/tb", "vx_tb"))
    ]
    assert not wrong


def test_one_module_a_file() -> None:
    wrong = []
    for path in _tracked("hw/rtl/*.sv"):
        starts = ("module ", "package ", "interface ")
        heads = [line.split()[1] for line in path.read_text().splitlines() if line.startswith(starts)]
        if [head.split("#")[0].split("(")[0].rstrip(";") for head in heads] != [path.stem]:
            wrong.append(f"{path.relative_to(ROOT)} declares {heads}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("root", ["config", "golden_model", "sw", "hw", "tests", "docs", "setup"])
def test_every_folder_has_a_readme(root: str) -> None:
    folders = {path.parent for path in _tracked(f"{root}/*")} | {ROOT / root}
    missing = [
        folder.relative_to(ROOT).as_posix()
        for folder in sorted(folders)
        if not any((parent / "README.md").exists() for parent in (folder, folder.parent))
    ]
    assert not missing, f"folders without a README.md of their own or of their parent: {missing}"
