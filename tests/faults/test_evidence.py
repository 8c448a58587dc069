"""A failed run is run again with waves: the same run, and the fault can be seen in them."""

from __future__ import annotations

from pathlib import Path

from hw.tb.debug.find import open_run
from hw.tb.debug.waves.fst import CYCLE_NS
from tests.faults.campaign import run_with
from tests.faults.catalogue import find_fault
from tests.regression.rerun.mode import DebugMode
from tests.unit.gtkwave import open_layout, shows_all

_MOST_BYTES = 30_000_000


def test_the_wrong_bit_is_in_the_waves(tmp_path: Path) -> None:
    """One bit of lane 2 of an addition is forced; the window has it, in the cycle and warp that the report names."""
    run = run_with(find_fault("wrong_alu_lane"), tmp_path, debug=DebugMode.ALWAYS)
    assert any("the same" in note and "commit packets in the same cycles" in note for note in run.result.notes)
    first = run.result.failures[0].detail
    assert first is not None and first.warp is not None and isinstance(first.actual, list)
    waves = run.folder / "debug" / "waves.fst"
    assert 0 < waves.stat().st_size < _MOST_BYTES
    recorded, _ = open_run(str(run.folder))
    (commit,) = recorded.commits(warp=first.warp, first=first.cycle, last=first.cycle)
    assert commit.uid == first.uid
    core = "vx_tb_top.dut.g_core[0].socket.core"
    # A record carries the number of the cycle in which the wires held it.
    uid = recorded.wave(f"{core}.trace_commit.uid", first.cycle, first.cycle)[-1].value
    lane = recorded.wave(f"{core}.trace_commit.*data.[2]", first.cycle, first.cycle)[-1].value
    assert (uid, lane) == (first.uid, first.actual[2])
    state = recorded.wave(f"lanes.core0.warp{first.warp}.block", first.cycle, first.cycle)[0].value
    assert state == f"block {first.block} rank {first.rank}"
    layout = waves.with_suffix(".gtkw")
    window = open_layout(layout)
    assert shows_all(window, layout)
    assert window.marker == first.cycle * CYCLE_NS
    values = {row.name: row.value for row in window.rows}
    assert values["commit"].startswith("add a2, a2, a3  a2 <- ") and f" {first.actual[2]:x} " in values["commit"]
