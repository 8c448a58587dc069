"""Random command sequences: the RTL device against the golden one, for a share of the time that `make test` has."""

from __future__ import annotations

from collections.abc import Callable

from tests.cosim.bar.campaign import campaign
from tests.cosim.bar.model import build

SECONDS = 40
FIRST = 0


def test_random_sequences(report_figure: Callable[[str], None]) -> None:
    figures = campaign(build(), range(FIRST, FIRST + 10_000), seconds=SECONDS)
    report_figure(f"BAR device, RTL against golden: seeds {FIRST} to {FIRST + figures.sequences - 1}: {figures}")
    assert not figures.failures, figures.failures[0]
    for choice in ("ACCEPTED", "TABLE_BAD", "DONE", "FAULT", "DMA_PIECE", "DMA_END", "DCR_ANSWER"):
        assert figures.choices[choice], f"no sequence reached {choice}"
