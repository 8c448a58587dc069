"""Seeded faults of the blocks: they fit the sources, no block is left out, and the campaign tells found from missed."""

from __future__ import annotations

import dataclasses

import pytest

from tests.rtl.runner import RTL
from tests.rtl.seeded.__main__ import run
from tests.rtl.seeded.table import ELSEWHERE, FAULTS, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.block)
def test_fits(fault: Fault) -> None:
    assert fault.fits() == ""


def test_every_block_has_a_fault_or_a_reason() -> None:
    blocks = {path.stem for path in RTL.rglob("*.sv") if not path.stem.endswith("_pkg")}
    faulty = {fault.block for fault in FAULTS}
    assert blocks == faulty | set(ELSEWHERE)
    assert not faulty & set(ELSEWHERE)


def test_a_fault_is_found_and_no_fault_is_not() -> None:
    fault = FAULTS[0]
    assert run(fault).found
    outcome = run(dataclasses.replace(fault, new=fault.old))
    assert (outcome.found, outcome.message) == (False, "the test passed")


def test_a_copy_that_does_not_build_is_no_finding() -> None:
    outcome = run(dataclasses.replace(FAULTS[0], new="if (no_such_signal) count_q"))
    assert not outcome.found
    assert "not built" in outcome.message
