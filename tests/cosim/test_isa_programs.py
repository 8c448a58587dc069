"""Assembly programs in lockstep: every instruction and every CSR, under full and under partial thread masks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config import RunConfig
from tests.cosim import isa_coverage
from tests.cosim.runs import assert_lockstep
from tests.regression.pipeline import Request, run_test


@pytest.mark.parametrize(
    "knobs",
    [{}, {"MEM": "hostile", "SEED": "2"}, {"WARPS": "2", "THREADS": "2"}, {"CORES": "2", "WARPS": "8", "THREADS": "8"}],
    ids=lambda knobs: " ".join(knobs.values()) or "default",
)
def test_every_instruction_and_csr(knobs: dict[str, str], tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    config = RunConfig.from_knobs({"TEST": "isa_programs", "LAUNCH": "kmu", **knobs})
    request = Request(config, folder=tmp_path / "run", prepare="tests.cosim.isa_coverage:install")
    result = run_test(request).result
    assert_lockstep(result)
    report = isa_coverage.read(tmp_path)
    assert report.missing_full == ()
    assert report.missing_partial == ()
    assert report.missing_csrs == ()
    assert report.full > 0
    assert report.partial > 0
    assert report.csr_accesses > 0
    assert result.compared == report.full + report.partial
    report_figure(
        f"assembly programs {config.hardware.label()} {config.mem.value}: {report.instructions} instructions and "
        f"{report.csrs} CSRs in lockstep, {report.full:,} executions under the full mask, {report.partial:,} under "
        f"partial masks, {report.csr_accesses:,} CSR accesses"
    )
