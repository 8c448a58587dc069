"""Which statements of the mutated files each test executes: they are imported with a note in each statement."""

from __future__ import annotations

import ast
import contextlib
import hashlib
import importlib
import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.mutation.change import SourceFinder
from tests.mutation.targets import ARGUMENTS, FILES, ROOT, TESTS

IMPORT = "import"  # what runs before any test
_SEEN = "__statements_seen__"


class _Notes(ast.NodeTransformer):
    """`__statements_seen__.add(line)` before every statement."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list):
                setattr(node, name, [piece for statement in block for piece in self._noted(statement)])
        return node

    def _noted(self, statement: ast.stmt) -> list[ast.stmt]:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            return [statement]
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            return [statement]
        note = ast.parse(f"{_SEEN}.add({statement.lineno})").body[0]
        return [ast.copy_location(note, statement), statement]


class _Learner:
    """pytest plugin: runs every test and writes what it executed."""

    def __init__(self, seen: dict[str, set[int]], store: Path, known: dict[str, Any]) -> None:
        self._seen, self._store, self._known = seen, store, known

    def note(self, test: str, seconds: float) -> None:
        lines = {name: sorted(numbers) for name, numbers in self._seen.items() if numbers}
        self._known[test] = {"seconds": round(seconds, 3), "lines": lines}
        for numbers in self._seen.values():
            numbers.clear()

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Any:
        began = os.times().user
        yield
        self.note(item.nodeid, os.times().user - began)

    def pytest_sessionfinish(self, exitstatus: int) -> None:
        if exitstatus == 0:
            digests = {name: digest([name]) for name in TESTS}
            self._store.write_text(json.dumps({"sources": digest(FILES), "files": digests, "tests": self._known}))


def digest(files: Iterable[str]) -> str:
    """Of everything in some files."""
    return hashlib.sha256(b"".join((ROOT / name).read_bytes() for name in files)).hexdigest()[:16]


def learn(store: Path) -> None:
    """In a process that has not imported the golden model: run the tests that are not known, and write their lines."""
    known, stale = read(store)
    seen: dict[str, set[int]] = {name: set() for name in FILES}
    for name in FILES:
        tree = ast.fix_missing_locations(_Notes().visit(ast.parse((ROOT / name).read_text(encoding="utf-8"))))
        SourceFinder(name, tree, {_SEEN: seen[name]}).install()
    for name in FILES:
        importlib.import_module(name.removesuffix(".py").replace("/", "."))
    learner = _Learner(seen, store, known)
    learner.note(IMPORT, 0.0)
    pytest.main([*ARGUMENTS, *stale], plugins=[learner])


def read(store: Path) -> tuple[dict[str, Any], list[str]]:
    """Per test its seconds and lines by file, and the test files of which that is not known."""
    known: dict[str, Any] = {"sources": "", "files": {}, "tests": {}}
    with contextlib.suppress(OSError, ValueError):
        known |= json.loads(store.read_text())
    if known["sources"] != digest(FILES):
        return {}, list(TESTS)
    stale = [name for name in TESTS if known["files"].get(name) != digest([name])]
    fresh = {IMPORT, *TESTS} - set(stale)
    return {test: entry for test, entry in known["tests"].items() if test.partition("::")[0] in fresh}, stale
