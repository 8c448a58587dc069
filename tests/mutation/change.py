"""Putting a mutant into a process: new code for live functions, or a mutated source for an import to come."""

from __future__ import annotations

import ast
import functools
import gc
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from tests.mutation.mutants import Mutant
from tests.mutation.targets import ROOT

Key = tuple[str, str, int]  # file, name, first line


class Live:
    """Every function object of the mutated files in this process, and every cache that may hold its results."""

    def __init__(self, files: frozenset[str]) -> None:
        self.functions: dict[Key, list[FunctionType]] = {}
        self._caches = []
        for thing in gc.get_objects():
            if isinstance(thing, FunctionType) and thing.__code__.co_filename in files:
                code = thing.__code__
                key = (code.co_filename, code.co_name, code.co_firstlineno)
                self.functions.setdefault(key, []).append(thing)
            elif isinstance(thing, functools._lru_cache_wrapper) and thing.__module__.startswith("golden_model"):
                self._caches.append(thing)

    def change(self, mutant: Mutant, tree: ast.Module) -> bool:
        """Put the mutated code into every function that has the old one; False if that is not possible."""
        path, name = str(ROOT / mutant.path), mutant.function.split(".")[-1]
        wanted = (name, mutant.first_line)
        new = [c for c in _codes(compile(tree, path, "exec")) if (c.co_name, c.co_firstlineno) == wanted]
        old = self.functions.get((path, name, mutant.first_line), [])
        if len(new) != 1 or not old or any(f.__code__.co_freevars != new[0].co_freevars for f in old):
            return False
        for function in old:
            function.__code__ = new[0]
        for cache in self._caches:
            cache.cache_clear()
        return True


def _codes(code: CodeType) -> list[CodeType]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(found for c in inner for found in _codes(c))]


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, mutant: Mutant, tree: ast.Module) -> None:
        self._module = mutant.path.removesuffix(".py").replace("/", ".")
        self._path, self._tree = ROOT / mutant.path, tree

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._module:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self._tree, str(self._path), "exec"), module.__dict__)


def change_import(mutant: Mutant, tree: ast.Module) -> None:
    """The module will be imported with the mutant in it; for what runs at import, such as the rows of the table."""
    assert not any(Path(name).parts[0].startswith("golden_model") for name in sys.modules), "imported already"
    sys.meta_path.insert(0, _Finder(mutant, tree))
