"""The catalogue itself, and runs in which nothing happens. No simulation except the last one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.campaign import misses, run_without
from tests.faults.catalogue import FAULTS, NoSuchFaultError, find_fault


def test_names_are_identifiers_and_unique() -> None:
    names = [fault.name for fault in FAULTS]
    assert len(set(names)) == len(names) > 0
    assert all(name.isidentifier() for name in names)
    with pytest.raises(NoSuchFaultError, match="no_such_fault"):
        find_fault("no_such_fault")


def test_readme_names_every_fault() -> None:
    table = (Path(__file__).parent / "README.md").read_text(encoding="utf-8")
    assert [fault.name for fault in FAULTS if f"`{fault.name}`" not in table] == []


def test_a_simulation_that_runs_no_test_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COCOTB_TEST_FILTER", "no_such_test")
    fault = find_fault("wrong_alu_lane")
    run = run_without(fault, tmp_path)
    assert not run.result.passed
    assert [failure.check for failure in run.result.failures] == ["simulator"]
    assert "no test ran" in run.result.failures[0].message
    assert misses(fault, run)
