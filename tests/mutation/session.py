"""A pytest session that serves mutants: it collects the tests once, and forks for each mutant."""

from __future__ import annotations

import contextlib
import gc
import os
import resource
import signal
from collections import Counter
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

import pytest

from tests.mutation.change import Live, SourceFinder
from tests.mutation.lines import IMPORT
from tests.mutation.mutants import Mutant, Work
from tests.mutation.targets import ARGUMENTS, FILES, ROOT, TESTS

KILLED, SURVIVED, TIMEOUT, UNREACHED, AT_IMPORT = "killed", "survived", "timeout", "unreached", "at import"
Outcome = tuple[str, str]  # one of those, and the test that noticed
_CPU_SECONDS = 400  # of one mutant
_TEST_SECONDS, _TIMES = 5, 20  # CPU time of one test, beyond so many times its usual one: an endless loop is noticed


class Server:
    """pytest plugin. Answers the numbers of mutants that come over `pipe`, until None comes."""

    def __init__(self, work: list[Work], pipe: Connection, known: Mapping[str, Any]) -> None:
        self._work, self._pipe, self._known = work, pipe, known
        self._by_line: dict[tuple[str, int], list[str]] = {}  # tests that execute a statement
        self._items: dict[str, pytest.Item] = {}
        self._kills: Counter[tuple[str, str]] = Counter()  # function or file, test

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self._items = {item.nodeid: item for item in session.items}
        for test, entry in self._known.items():
            for name, numbers in entry["lines"].items():
                for line in numbers:
                    self._by_line.setdefault((name, line), []).append(test)
        live = Live(frozenset(str(ROOT / name) for name in FILES))
        gc.collect()
        gc.freeze()
        self._pipe.send("ready")
        while (number := self._pipe.recv()) is not None:
            self._pipe.send(self._judge(live, *self._work[number]))
        return True

    # ------------------------------------------------------------------ one mutant

    def _judge(self, live: Live, mutant: Mutant, make: Callable[[], Any]) -> Outcome:
        tests = {
            test
            for line in range(mutant.lines[0], mutant.lines[1] + 1)
            for test in self._by_line.get((mutant.path, line), ())
        }
        if IMPORT in tests:
            return AT_IMPORT, ""  # what runs at import lasts: the module must be loaded anew
        if not tests:
            return UNREACHED, ""
        function = f"{mutant.path}:{mutant.function}"

        def rank(test: str) -> tuple[int, float]:
            return -min(self._kills[function, test], 3), self._known[test]["seconds"] / (
                1 + self._kills[mutant.path, test]
            )

        ordered = sorted(tests, key=rank)

        def child() -> Outcome:
            if not live.change(mutant, make()):
                return AT_IMPORT, ""
            for test in ordered:
                limit_cpu(_TEST_SECONDS + _TIMES * self._known[test]["seconds"])
                try:
                    if not run_item(self._items[test]):
                        return KILLED, test
                except BaseException as error:  # whatever a mutant does is a kill
                    return KILLED, f"{test} {type(error).__name__}"
            return SURVIVED, f"{len(ordered)} tests"

        outcome, by = forked(child)
        if outcome == KILLED:
            self._kills[function, by] += 1
            self._kills[mutant.path, by] += 1
        return outcome, by


def judge_at_import(mutant: Mutant, make: Callable[[], Any]) -> Outcome:
    """In a process without the golden model: import it with the mutant in it, and run the tests."""

    def child() -> Outcome:
        SourceFinder(mutant.path, make()).install()
        watch = _Watch()
        for tests in (TESTS[:2], TESTS[2:10], TESTS[10:]):
            status = pytest.main([*ARGUMENTS, *tests], plugins=[watch])
            if status != 0:
                return KILLED, watch.failed or f"pytest status {status}"
        return SURVIVED, "all tests"

    return forked(child)


def forked(work: Callable[[], Outcome]) -> Outcome:
    """What the function returns in a child process, which may also die or run out of time."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with contextlib.suppress(BaseException):
            limit_cpu(_CPU_SECONDS)
            resource.setrlimit(resource.RLIMIT_AS, (6 << 30, 6 << 30))
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            os.dup2(quiet, 2)
            try:
                outcome, by = work()
            except BaseException as error:
                outcome, by = KILLED, type(error).__name__
            os.write(writer, f"{outcome}\n{by}".encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        text = answer.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return TIMEOUT, ""
    outcome, _, by = text.partition("\n")
    return (outcome, by) if text else (KILLED, "the process died")


def limit_cpu(seconds: float) -> None:
    """This process may use so many more seconds of CPU time."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime + seconds) + 1, resource.RLIM_INFINITY))


def run_item(item: pytest.Item) -> bool:
    """One test on its own; all its fixtures end with it."""
    watch = _Watch()
    item.config.pluginmanager.register(watch)
    try:
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=None)
    finally:
        item.config.pluginmanager.unregister(watch)
    return not watch.failed


class _Watch:
    def __init__(self) -> None:
        self.failed = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self.failed = report.nodeid
