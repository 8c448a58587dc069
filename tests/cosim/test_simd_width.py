"""Units with fewer lanes than a warp, in lockstep: a beat that is lost or misplaced shows as a wrong lane."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from config import RunConfig
from hw.tb.build.spec import ModelSpec
from tests.cosim.runs import assert_lockstep, figure
from tests.regression.pipeline import Request, run_test


@pytest.mark.parametrize(("program", "size"), [("isa_programs", ""), ("sgemm", "16")])
def test_beats(program: str, size: str, tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    knobs = {"TEST": program, "THREADS": "8", "SIMD_WIDTH": "2", "MEM": "hostile", "LAUNCH": "kmu", "N": size}
    config = RunConfig.from_knobs(knobs)
    spec = ModelSpec(hardware=config.hardware, quick=True)
    result = run_test(Request(config=config, folder=tmp_path / "run", spec=spec)).result
    assert_lockstep(result)
    report_figure("SIMD_WIDTH 2, " + figure(result))
