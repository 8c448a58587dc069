"""Every program on every shape, in lockstep, under kind and hostile memory; 0 mismatches."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from config import HardwareConfig, LaunchPath, MemoryPolicyName, RunConfig
from hw.tb.build.spec import ModelSpec
from tests.cosim.runs import assert_lockstep
from tests.matrix.configurations import CONFIGURATIONS
from tests.regression.pipeline import Request, run_test

CHOSEN = os.environ.get("MATRIX", "").split() or list(CONFIGURATIONS)


def sizes(hardware: HardwareConfig) -> dict[str, int]:
    """Programs and the elements that they work on; some need whole blocks."""
    block = hardware.core_threads
    return {
        "multikernel": max(64, hardware.num_threads),
        "sgemm": 16,
        "amo": 32,
        "lmem_tree": 2 * hardware.total_cores * block,
        "isa_programs": 0,
    }


@pytest.mark.parametrize("memory", [MemoryPolicyName.KIND, MemoryPolicyName.HOSTILE], ids=lambda policy: policy.value)
@pytest.mark.parametrize("name", CHOSEN)
@pytest.mark.xdist_group("matrix")
def test_matrix(name: str, memory: MemoryPolicyName, tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    hardware = CONFIGURATIONS[name]
    spec = ModelSpec(hardware=hardware, quick=True)
    compared = 0
    for program, size in sizes(hardware).items():
        launch = LaunchPath.BOTH if program == "multikernel" else LaunchPath.BAR
        config = RunConfig(test=program, hardware=hardware, mem=memory, launch=launch, seed=1, size=size)
        result = run_test(Request(config=config, folder=tmp_path / program, spec=spec)).result
        assert_lockstep(result)
        compared += result.compared
    report_figure(f"matrix {name} {memory.value}: {compared:,} instructions compared, 0 mismatches")
