"""Runs a body on the transport of this simulator process, and adds what its coverage saw to that of the process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from golden_model.device.sequences.coverage import Coverage
from hw.tb.bar_alone.environment import Body, run_bar_test
from hw.tb.bar_alone.model import VRAM_SIZE
from hw.tb.bar_alone.run import seed_of_run, transport_of_run
from hw.tb.run.settings import RunSettings

COVERAGE = Coverage(VRAM_SIZE)  # of all tests in this process


async def run_body(dut: Any, body: Body, hostile: bool = True) -> None:
    agent = await run_bar_test(dut, transport_of_run(), body, seed_of_run(), hostile)
    assert agent.monitor.counts["accesses"] > 0, "the monitor saw nothing, so nothing was checked"
    COVERAGE.merge(agent.coverage.table)
    (RunSettings.read().run_dir / "coverage.txt").write_text(COVERAGE.report(most=1000) + "\n", encoding="utf-8")


def share_of_sweep() -> float:
    """Of states × errors; packets are several times slower than pins, and the device behind them is the same."""
    return float(RunSettings.read().options.get("sweep", "1"))


def vectors_to_try() -> Sequence[int]:
    """MSI-X vectors: the entries are alike, and pins try them all."""
    return range(16) if transport_of_run() == "pins" else (0, 11)
