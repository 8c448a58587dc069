"""The BAR agent on the device's RTL: the same tests on every transport."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hw.tb.bar_alone.environment import TRANSPORTS
from hw.tb.bar_alone.model import build_bar_model
from hw.tb.bar_alone.run import simulate_bar

SCENARIOS = ("registers", "traffic", "programs", "sweep")
ONLY = {"pins": (), "packets": ("enumeration",)}
# Share of states × errors in which every register is tried; `python -m tests.cosim.bar_agent` takes all of them.
SWEEP = {"pins": "0.2", "packets": "0.05"}


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_scenarios(transport: str, tmp_path: Path, report_figure: Callable[[str], None]) -> None:
    modules = ",".join(f"{__package__}.scenario_{name}" for name in (*SCENARIOS, *ONLY[transport]))
    options = {"sweep": SWEEP[transport]}
    result = simulate_bar(build_bar_model(), modules, tmp_path, transport, options=options)
    assert result.passed, f"{result.reason}\n{result.log_tail(60)}"
    coverage = (tmp_path / "coverage.txt").read_text(encoding="utf-8").splitlines()[0]
    report_figure(f"BAR agent on {transport}: {len(result.tests)} tests, {coverage}")
