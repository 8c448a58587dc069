"""The table of cycles: goals, shares, and its place in a document. No simulation."""

from __future__ import annotations

import pytest

from tests.cycles.__main__ import main
from tests.cycles.counted_run import BREAKDOWN
from tests.cycles.rows import Reference, Row
from tests.cycles.table import BEGIN, END, Measured, inserted, markdown


def measured(cycles: int, instructions: int = 700) -> Measured:
    counters = dict.fromkeys(BREAKDOWN, 0) | {"issued": cycles * 3 // 4, "lsu": cycles - cycles * 3 // 4}
    counters |= {"loads": 10, "load latency": 25, "dcache reads": 8, "dcache read misses": 2}
    return Measured(Row("vecadd", 64, Reference(700, 1400)), instructions, cycles, counters)


def test_both_goals_count() -> None:
    assert measured(900).good  # 1.56 times fewer cycles, 1.56 times the IPC
    assert measured(1000, 1000).good, "exactly 1.4 times fewer cycles"
    assert not measured(900, 600).good, "IPC only 1.33 times"
    assert not measured(1100, 2000).good, "cycles only 1.27 times fewer"


def test_shares_and_latency() -> None:
    row = markdown([measured(1000)]).splitlines()[-1]
    assert row.split(" | ")[1] == "75%" and "| 2.5 | 25% |" in row


def test_table_goes_between_the_markers() -> None:
    assert inserted(f"a\n{BEGIN}\nold\n{END}\nb\n", "new\n") == f"a\n{BEGIN}\nnew\n{END}\nb\n"
    with pytest.raises(ValueError, match="no lines"):
        inserted("a\n", "new\n")


def test_unknown_kernel_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["K=no_such"]) == 2
    assert "there is no no_such" in capsys.readouterr().err
