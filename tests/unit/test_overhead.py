"""What the divergence pass adds, and what somebody by hand would; the kernels are right all three ways."""

from __future__ import annotations

from pathlib import Path

from tests.overhead.measure import KERNELS, measure


def test_cost_of_the_pass(tmp_path: Path) -> None:
    rows = {row.kernel: row for row in measure(tmp_path)}
    assert tuple(rows) == KERNELS
    assert all(row.splits + row.preds > 0 and row.over_bare > 0 for row in rows.values()), (
        "each has something to insert"
    )
    # Bounds with some room: a pass that got worse shows.
    assert rows["guard"].over_hand <= 0.01 and rows["reduce"].over_hand <= 0.01
    assert rows["bisect"].over_hand < 0 and rows["rows"].over_hand < 0
    assert rows["sides"].over_hand < 0.15 and rows["collatz"].over_hand < 0.45
