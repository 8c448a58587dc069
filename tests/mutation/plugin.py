"""Runs inside one pytest session: which test calls which function, then each mutant in a forked child.

The session imports and collects once. A mutant is the new code of one function, put into every function object that
has the old code, so that tables and closures made at import see it too. The child runs the tests that call the
function, quick ones first, until one fails.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import gc
import hashlib
import json
import os
import resource
import signal
import sys
import time
from pathlib import Path
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

from tests.mutation.mutants import Mutant, Work
from tests.mutation.targets import ROOT

KILLED, SURVIVED, TIMEOUT, UNREACHED, INVALID = "killed", "survived", "timeout", "unreached", "invalid"
_CPU_SECONDS = 120  # of one mutant; an endless loop is noticed, too
Function = tuple[str, str, int]  # file, name, first line


class Plugin:
    """`mutants` with their trees; `results` (key → outcome) is written to `store` as it grows."""

    def __init__(self, work: list[Work], store: Path, calls: Path, workers: int) -> None:
        self._work, self._store, self._calls_file, self._workers = work, store, calls, workers
        self._calls: dict[str, list[tuple[float, str]]] = {}  # function -> (seconds, test)
        self._items: dict[str, pytest.Item] = {}
        self._started: dict[int, tuple[Mutant, float]] = {}
        self.results: dict[str, dict[str, object]] = json.loads(store.read_text()) if store.exists() else {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        self._learn_calls(session)
        self._run_mutants(session)
        return True

    # ------------------------------------------------------------------ who calls what

    def _learn_calls(self, session: pytest.Session) -> None:
        known: dict[str, Any] = json.loads(self._calls_file.read_text()) if self._calls_file.exists() else {}
        folder = str(ROOT / "golden_model")
        for number, item in enumerate(session.items):
            digest = _digest(item.path)
            if item.nodeid in known and known[item.nodeid][2] == digest:
                continue
            seen: set[CodeType] = set()

            def note(frame: FrameType, event: str, argument: object, seen: set[CodeType] = seen) -> None:
                if event == "call" and frame.f_code not in seen:
                    seen.add(frame.f_code)

            began = time.process_time()
            sys.setprofile(note)
            try:
                passed = _run(session, item)
            finally:
                sys.setprofile(None)
            if not passed:
                raise pytest.UsageError(f"{item.nodeid} fails without any mutant")
            names = [_name(code) for code in seen if code.co_filename.startswith(folder)]
            known[item.nodeid] = [round(time.process_time() - began, 4), sorted(set(names)), digest]
            if number % 50 == 0:
                self._calls_file.write_text(json.dumps(known))
        self._calls_file.write_text(json.dumps(known))
        for test, (seconds, names, _) in known.items():
            for name in names:
                if test in self._items:
                    self._calls.setdefault(name, []).append((seconds, test))

    # ------------------------------------------------------------------ mutants

    def _run_mutants(self, session: pytest.Session) -> None:
        for mutant, make in self._work:
            if mutant.key in self.results:
                continue
            while len(self._started) >= self._workers:
                self._wait()
            tests = sorted(self._calls.get(f"{mutant.path}:{mutant.first_line}:{mutant.function.split('.')[-1]}", []))
            if not tests:
                self._note(mutant, UNREACHED, "")
                continue
            reader, writer = os.pipe()
            child = os.fork()
            if child == 0:
                os.close(reader)
                with contextlib.suppress(BaseException):
                    outcome, by = self._child(session, mutant, make(), [test for _, test in tests])
                    os.write(writer, f"{outcome}\n{by}".encode())
                os._exit(0)
            os.close(writer)
            self._started[child] = mutant, time.monotonic()
            self._readers = getattr(self, "_readers", {})
            self._readers[child] = reader
        while self._started:
            self._wait()

    def _wait(self) -> None:
        child, status = os.wait()
        mutant, _ = self._started.pop(child)
        reader = self._readers.pop(child)
        text = os.read(reader, 65536).decode()
        os.close(reader)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
            self._note(mutant, TIMEOUT, "")
        elif not text:
            self._note(mutant, KILLED, "the process died")
        else:
            outcome, _, by = text.partition("\n")
            self._note(mutant, outcome, by)

    def _note(self, mutant: Mutant, outcome: str, by: str) -> None:
        self.results[mutant.key] = {"outcome": outcome, "by": by, "function": mutant.function}
        scratch = self._store.with_suffix(".new")
        scratch.write_text(json.dumps(self.results, indent=0))
        scratch.replace(self._store)

    def _child(self, session: pytest.Session, mutant: Mutant, tree: ast.Module, tests: list[str]) -> tuple[str, str]:
        resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS + 5))
        resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        if not _install(mutant, tree):
            return INVALID, ""
        for test in tests:
            try:
                if not _run(session, self._items[test]):
                    return KILLED, test
            except BaseException as error:  # whatever a mutant does is a kill
                return KILLED, f"{test} {type(error).__name__}"
        return SURVIVED, ""


def _run(session: pytest.Session, item: pytest.Item) -> bool:
    """One test on its own; all its fixtures end with it."""
    passed: list[bool] = []
    item.config.pluginmanager.register(watch := _Watch(passed))
    try:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    finally:
        item.config.pluginmanager.unregister(watch)
    return all(passed)


class _Watch:
    def __init__(self, passed: list[bool]) -> None:
        self._passed = passed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._passed.append(not report.failed)


@functools.cache
def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:12]


def _name(code: CodeType) -> str:
    return f"{Path(code.co_filename).relative_to(ROOT).as_posix()}:{code.co_firstlineno}:{code.co_name}"


def _install(mutant: Mutant, tree: ast.Module) -> bool:
    """Put the mutated code into every function that has the old one; False if it cannot be."""
    path = str(ROOT / mutant.path)
    wanted = (mutant.function.split(".")[-1], mutant.first_line)
    new = [c for c in _codes(compile(tree, path, "exec")) if (c.co_name, c.co_firstlineno) == wanted]
    if len(new) != 1:
        return False
    done = False
    for thing in gc.get_objects():
        if isinstance(thing, FunctionType) and thing.__code__.co_filename == path:
            old = thing.__code__
            if (old.co_name, old.co_firstlineno) == wanted and old.co_freevars == new[0].co_freevars:
                thing.__code__ = new[0]
                done = True
        elif isinstance(thing, functools._lru_cache_wrapper) and thing.__module__.startswith("golden_model"):
            thing.cache_clear()
    return done


def _codes(code: CodeType) -> list[CodeType]:
    inner = [constant for constant in code.co_consts if isinstance(constant, CodeType)]
    return [code, *(found for c in inner for found in _codes(c))]
