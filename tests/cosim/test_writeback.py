"""A small write-back D-cache under hostile memory: lockstep, all memory right after the flush, and fewer writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config import HardwareConfig, LaunchPath, MemoryPolicyName, RunConfig
from hw.tb.build.spec import ModelSpec
from tests.cosim.runs import assert_lockstep, figure
from tests.regression.pipeline import Request, run_test

# Small, so that lines lose their places.
SHAPE = HardwareConfig(num_warps=2, num_threads=2, dcache_size=1024, dcache_ways=2, dcache_writeback=True)


@pytest.mark.parametrize(
    ("name", "size", "launch"),
    [
        ("multikernel", 64, LaunchPath.BOTH),
        ("amo", 16, LaunchPath.KMU),
        ("isa_programs", 0, LaunchPath.KMU),
        ("printf", 0, LaunchPath.BAR),
    ],
)
@pytest.mark.xdist_group("write-back")
def test_writeback(
    name: str, size: int, launch: LaunchPath, tmp_path: Path, report_figure: Callable[[str], None]
) -> None:
    config = RunConfig(test=name, hardware=SHAPE, mem=MemoryPolicyName.HOSTILE, launch=launch, seed=1, size=size)
    request = Request(config=config, folder=tmp_path / "run", spec=ModelSpec(hardware=SHAPE, quick=True))
    result = run_test(request).result
    assert_lockstep(result)
    report_figure(f"write-back D-cache, {figure(result)}")
