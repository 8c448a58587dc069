"""Two cores with an L2 smaller than what they touch, two banks, hostile memory: lockstep, and an L2 that is used."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config import HardwareConfig, LaunchPath, MemoryPolicyName, RunConfig
from hw.tb.build.spec import ModelSpec
from hw.tb.run import simulate
from tests.cosim.l2_run import COUNTERS_FILE
from tests.cosim.runs import assert_lockstep, figure
from tests.regression.job import JOB_OPTION
from tests.regression.pipeline import Request, make_images, make_job
from tests.regression.progress import SilentProgress
from tests.regression.result import RunResult
from tests.regression.simulation import prepare_model
from tests.regression.typed_json import read_json, write_json

SHAPE = HardwareConfig(num_cores=2, num_warps=2, num_threads=2, axi_num_banks=2, l2_size=4096, l2_ways=2)


@pytest.mark.parametrize(
    ("name", "size", "reads_what_it_writes"), [("multikernel", 64, True), ("sgemm_i", 16, False), ("amo", 16, True)]
)
@pytest.mark.xdist_group("l2")
def test_l2(
    name: str, size: int, reads_what_it_writes: bool, tmp_path: Path, report_figure: Callable[[str], None]
) -> None:
    config = RunConfig(
        test=name, hardware=SHAPE, mem=MemoryPolicyName.HOSTILE, launch=LaunchPath.KMU, seed=1, size=size
    )
    request = Request(config=config, folder=tmp_path / "run")
    job = make_job(request, make_images(request, SilentProgress()))
    write_json(job.file, job)
    model = prepare_model(config, SilentProgress(), ModelSpec(hardware=SHAPE, quick=True))
    options = {JOB_OPTION: str(job.file)}
    ended = simulate(config, "tests.cosim.l2_run", tmp_path / "sim", model=model, options=options, timeout_s=600.0)
    assert ended.passed, ended.reason
    result = read_json(job.result, RunResult)
    assert_lockstep(result)
    counts: dict[str, int] = read_json(job.folder / COUNTERS_FILE, dict[str, int])
    hits = counts["reads"] - counts["read_misses"]
    # What the L2 let through and what it got for itself is every transfer of the launches but those of the I/O window.
    transfers = sum(kernel.axi_transactions for kernel in result.kernels)
    assert counts["read_misses"] + counts["writes"] == transfers
    assert hits > counts["reads"] // 10
    assert (counts["writes"] > counts["write_misses"]) == reads_what_it_writes
    report_figure(f"L2, {figure(result)}; {hits:,} of {counts['reads']:,} reads hit")
