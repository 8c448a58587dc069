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


class SourceFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The module of a file will be imported from another tree, with some names in it from the start."""

    def __init__(self, path: str, tree: ast.Module, names: dict[str, object] | None = None) -> None:
        self._module = path.removesuffix(".py").replace("/", ".")
        self._path, self._tree, self._names = ROOT / path, tree, names or {}

    def install(self) -> None:
        assert self._module not in sys.modules, f"{self._module} has been imported already"
        sys.meta_path.insert(0, self)

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self._module:
            return None
        return importlib.util.spec_from_file_location(name, self._path, loader=self)

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(self._names)
        exec(compile(self._tree, str(self._path), "exec"), module.__dict__)
