"""The cases as pytest items; collected only with the plugin, which hands in one case after the other."""

from __future__ import annotations

import pytest

from tests.nightly.case import Case
from tests.nightly.local import Runner
from tests.nightly.plan import Chunk
from tests.nightly.record import Verdict


def test_case(chunk: Chunk, case: Case, runner: Runner, record_property: pytest.FixtureRequest) -> None:
    """One case; the first screen of a failure is what pytest prints."""
    record = runner.wait(chunk, case)
    record_property("seed", case.seed)  # type: ignore[operator]
    record_property("repro", record.repro)  # type: ignore[operator]
    record_property("cycles", record.cycles)  # type: ignore[operator]
    record_property("bucket", record.bucket)  # type: ignore[operator]
    if record.verdict is Verdict.EXPECTED_FAIL:
        pytest.xfail(f"{case.expected_failure}: {record.message}")
    if record.verdict is Verdict.SKIPPED:
        pytest.skip(record.message)
    if record.verdict is Verdict.UNEXPECTED_PASS:
        pytest.fail(f"it passes now; take it off the expected failures of suite {case.suite}", pytrace=False)
    if not record.verdict.good:
        pytest.fail(f"{record.screen}\n\n  reproduce   {record.repro}", pytrace=False)
