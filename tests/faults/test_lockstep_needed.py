"""Why lockstep exists: a fault that leaves every result right, seen without it."""

from __future__ import annotations

from pathlib import Path

from tests.faults.campaign import put_in_times, run_with
from tests.faults.catalogue import find_fault

_FAULT = find_fault(
    "stale_return_address"
)  # test_faults.py: lockstep names the instruction and who should have written


def test_the_host_sees_nothing(tmp_path: Path) -> None:
    """Constructors run twice; every element of every result is what the host expects."""
    run = run_with(_FAULT, tmp_path, backend="rtl", host_only=True)
    assert put_in_times(_FAULT, run) == 1
    assert run.result.passed
    assert [kernel.elements > 0 for kernel in run.result.kernels] == [True] * 3


def test_free_mode_sees_a_number_only(tmp_path: Path) -> None:
    """Without commit records the golden model knows how many instructions there should be, not which one is wrong."""
    run = run_with(_FAULT, tmp_path, backend="rtl")
    assert put_in_times(_FAULT, run) == 1
    assert [failure.check for failure in run.result.failures] == ["minstret"]
    assert "0x80000" not in run.result.failures[0].screen
