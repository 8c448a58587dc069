"""Timelines of a hand-made run: states and their reasons, Chrome trace and Konata through readers of their own."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from hw.tb.debug.library.run import Run
from hw.tb.debug.timeline.chrome import write_chrome
from hw.tb.debug.timeline.konata import write_konata
from hw.tb.debug.timeline.scene import Scene, WindowError, default_window, make_scene
from hw.tb.debug.timeline.states import State
from hw.tb.debug.timeline.tracks import spread
from tests.unit.debug_records import two_warps
from tests.unit.trace_readers import read_chrome, read_konata


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    return make_scene(Run.open(two_warps(tmp_path)), 90, 240)


def test_where_the_cycles_of_a_warp_went(scene: Scene) -> None:
    """From the table in debug_records: what blocked warp 0 before each issue."""
    states = scene.states
    spans = [
        (State(int(states.state[at])), int(states.begin[at]), int(states.end[at]))
        for at in range(len(states))
        if int(states.stream[at]) & 0xFF == 0
    ]
    assert (State.FETCH, 99, 102) in spans, "from the start of the warp to its first decode"
    assert (State.MEMORY, 111, 160) in spans, "add waits for the load"
    assert (State.BARRIER, 176, 200) in spans, "warp 1 arrives in cycle 200"
    assert (State.FETCH, 200, 205) in spans
    assert [begin for state, begin, _ in spans if state is State.ISSUE] == [105, 110, 161, 170, 175, 207]
    assert spans[0][1] == 99 and spans[-1][2] == 209, "from start to end of the warp"
    assert all(a[2] == b[1] for a, b in itertools.pairwise(spans)), "every cycle has exactly one state"


def test_chrome_trace(scene: Scene, tmp_path: Path) -> None:
    path = tmp_path / "trace.json"
    write_chrome(scene, path)
    trace = read_chrome(path)
    assert [(item["name"], item["ts"], item["dur"]) for item in trace.slices["core 0/CTA slot 2"]] == [
        ("block 7, 1, 0", 98, 125)
    ]
    (barrier,) = trace.slices["core 0/barriers 0"]
    assert (barrier["name"], barrier["ts"], barrier["args"]["arrived"]) == ("barrier 0x2", 175, [0, 1])
    (read,) = trace.slices["memory/open 0"]
    assert (read["name"], read["ts"], read["args"]["id"], read["args"]["latency"]) == ("read 0x10000", 115, 3, 35)
    waits = [item for item in trace.slices["core 0/warp 0"] if item["name"] == "waits for memory"]
    assert len(waits) == 1 and waits[0]["args"]["register"] == "a1" and "uid 1, lw a1" in waits[0]["args"]["owed by"]
    (flow,) = trace.flows.values()
    assert [item["name"] for item in flow] == ["lw a1, 0(a0)", "read 0x10000", "commit"]
    assert flow[2]["ts"] == 160


def test_konata_log(scene: Scene, tmp_path: Path) -> None:
    path = tmp_path / "log.kanata"
    write_konata(scene, path)
    instructions = read_konata(path)
    assert len(instructions) == 9
    load = next(item for item in instructions if "lw a1" in item.text)
    assert load.stages == [("Dc", 104, 110), ("Ex", 110, 160), ("Cm", 160, 161)]
    add = next(item for item in instructions if "add a2" in item.text)
    assert [instructions[at].text for at in add.woken_by] == [load.text]
    assert {item.thread for item in instructions} == {0, 1}


def test_a_window_cuts(tmp_path: Path) -> None:
    run = Run.open(two_warps(tmp_path))
    scene = make_scene(run, 205, 215)
    path = tmp_path / "trace.json"
    write_chrome(scene, path)
    names = {item["name"] for slices in read_chrome(path).slices.values() for item in slices}
    assert "lw a3, 64(a0)" in names and "lw a1, 0(a0)" not in names
    with pytest.raises(WindowError, match="FROM=9 TO=3: the window ends before it begins"):
        default_window(run, 9, 3)
    with pytest.raises(WindowError, match="the run was recorded from 10 to 230"):
        default_window(run, 5000, 6000)


def test_rows_never_overlap_and_are_few() -> None:
    spans = [(0, 10), (2, 4), (4, 6), (5, 12), (10, 11)]
    assert spread(spans) == [0, 1, 1, 2, 0]
