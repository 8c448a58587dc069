"""The scenes of scenes.py and wrong.py, all in one simulator process."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from config import RunConfig
from hw.tb.run import simulate

MODULES = ("scenes", "wrong")
_DECLARED = re.compile(r"^@(?:scene|cocotb\.test)\(.*\n(?:async )?def (\w+)", re.MULTILINE)


def test_scenes(tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    result = simulate(RunConfig(), ",".join(f"{__package__}.{name}" for name in MODULES), tmp_path / "run")
    assert result.passed, f"{result.reason}\n{result.log_tail(40)}"
    names = [test.name for test in result.tests]
    sources = [Path(__file__).with_name(f"{name}.py").read_text(encoding="utf-8") for name in MODULES]
    assert names == [name for source in sources for name in _DECLARED.findall(source)], "a scene did not run"
    report_figure(f"launches through the BARs: {len(names)} scenes in lockstep, {result.wall_seconds:.0f} s")
