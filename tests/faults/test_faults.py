"""Each fault alone, in a real simulation: it happened, and the first report is the one that it must cause."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.faults.campaign import explain, misses, put_in_times, run_with
from tests.faults.catalogue import FAULTS
from tests.faults.fault import Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_first_report(fault: Fault, tmp_path: Path) -> None:
    run = run_with(fault, tmp_path)
    missing = misses(fault, run)
    assert not missing, explain(fault, run, missing)
    assert put_in_times(fault, run) == 1
