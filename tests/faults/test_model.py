"""The model on which faults are put in behaves, without a fault, like the one that every other run uses."""

from __future__ import annotations

from pathlib import Path

from hw.tb.build.spec import ModelKind
from tests.cosim.runs import assert_lockstep
from tests.faults.campaign import run_without
from tests.faults.catalogue import find_fault


def test_debug_model_commits_what_the_fast_model_commits(tmp_path: Path) -> None:
    """Same instructions, values and cycles: a checksum over all commit packets."""
    fault = find_fault("wrong_alu_lane")
    runs = [run_without(fault, tmp_path / kind.value, kind=kind) for kind in ModelKind]
    for run in runs:
        assert_lockstep(run.result)
    fast, debug = (run.witness() for run in runs)
    assert fast.commits > 0
    assert fast.commit_checksum != 0
    assert fast == debug
