"""Failures that are known: a list that a user keeps for a core, so that only what changes is news.

One failure a line, `test: check: reason`; `check` is the name on the first screen. Blank lines and lines that begin
with `#` are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.regression.catalogue import find_test
from tests.regression.errors import RunError
from tests.regression.result import RunResult


@dataclass(frozen=True)
class Expectation:
    """The first failure that a test is expected to have, and why."""

    check: str
    reason: str


def read_expectations(path: Path) -> dict[str, Expectation]:
    """Test name to what is expected of it.

    Raises:
        RunError: the file cannot be read, a line has another form, a test does not exist or is named twice.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"XFAIL={path}: the list cannot be read: {error}") from error
    expected: dict[str, Expectation] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        test, *rest = (part.strip() for part in line.split(":", 2))
        if len(rest) != 2 or not all((test, *rest)):
            raise RunError(f"{path.name}:{number}: {line.strip()!r}: write `test: check: reason`")
        find_test(test)
        if test in expected:
            raise RunError(f"{path.name}:{number}: {test} has a line already")
        expected[test] = Expectation(*rest)
    return expected


def judge(result: RunResult, expected: Mapping[str, Expectation]) -> tuple[bool, str]:
    """Whether the run went as expected, and a sentence if it is in the list."""
    known = expected.get(result.test)
    if known is None:
        return result.passed, ""
    if result.passed:
        return False, f"XPASS  {result.test} passed, but was expected to fail by: {known.check}; take it off the list"
    first = result.failures[0].check if result.failures else ""
    if first != known.check:
        return False, f"{result.test} was expected to fail by: {known.check}, not by: {first}"
    return True, f"XFAIL  {result.test}  {known.check}: {known.reason}"
