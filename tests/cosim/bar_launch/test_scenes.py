"""The scenes of scenes.py, all in one simulator process."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from config import RunConfig
from hw.tb.run import simulate

MODULE = "tests.cosim.bar_launch.scenes"
SOURCE = Path(__file__).with_name("scenes.py")
_DECLARED = re.compile(r"^@(?:scene|cocotb\.test)\(.*\n(?:async )?def (\w+)", re.MULTILINE)


def test_scenes(tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    result = simulate(RunConfig(), MODULE, tmp_path / "run")
    assert result.passed, f"{result.reason}\n{result.log_tail(40)}"
    names = [test.name for test in result.tests]
    assert names == _DECLARED.findall(SOURCE.read_text(encoding="utf-8")), "a scene did not run"
    report_figure(f"launches through the BARs: {len(names)} scenes in lockstep, {result.wall_seconds:.0f} s")
