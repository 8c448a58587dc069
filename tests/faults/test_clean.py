"""Each scene without its fault passes on the same model, and no fault's report can be found in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.cosim.runs import assert_lockstep
from tests.faults.campaign import misses, run_without
from tests.faults.catalogue import FAULTS, find_fault
from tests.faults.fault import FaultyKernel, Scene


def _label(scene: Scene) -> str:
    knobs = "-".join(f"{name}{value}" for name, value in scene.knobs)
    return f"{scene.test}-{scene.policy.name if scene.policy else knobs}"


_SCENES = tuple(dict.fromkeys(fault.scene for fault in FAULTS if fault.scene.passes))


@pytest.mark.parametrize("scene", _SCENES, ids=_label)
def test_scene_passes(scene: Scene, tmp_path: Path) -> None:
    faults = [fault for fault in FAULTS if fault.scene == scene]
    assert not any(isinstance(fault.put_in, FaultyKernel) for fault in faults)
    run = run_without(faults[0], tmp_path)
    assert_lockstep(run.result)
    witness = run.witness()
    assert witness.forced == witness.injected == 0
    for fault in faults:
        assert misses(fault, run), f"the test of {fault.name} would pass without the fault"


def test_clobbering_s11_is_legal_in_the_newest_generation(tmp_path: Path) -> None:
    """The window of `cta_entry` loads s11 anew for every block, so the kernel that fails in `s11` passes there."""
    fault = find_fault("clobbered_s11")
    run = run_without(replace(fault, scene=replace(fault.scene, knobs=(("N", "64"), ("ENTRY", "cta_entry")))), tmp_path)
    assert_lockstep(run.result)
    assert misses(fault, run)
