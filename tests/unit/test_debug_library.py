"""Questions to a hand-made run: commits, state at a cycle, writers, reasons, difference of two runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden_model.records.layout import CommitFlag, CtaEvent, Kind, RunEvent
from hw.tb.debug.library.run import Run
from tests.unit.debug_records import BASE, LINE, HandMade, two_warps


@pytest.fixture
def run(tmp_path: Path) -> Run:
    return Run.open(two_warps(tmp_path))


def test_commits_are_found_by_what_they_are(run: Run) -> None:
    assert [commit.uid for commit in run.commits(warp=1)] == [0, 1, 2]
    assert [(commit.warp, commit.cycle) for commit in run.commits(pc=BASE + 20)] == [(0, 209), (1, 222)]
    assert [commit.cycle for commit in run.commits(first=164, last=176)] == [164, 172, 176]
    assert len(run.commits(block=(7, 1, 0))) == 9 and len(run.commits(block=(0, 0, 0))) == 0
    limited = run.commits(limit=2)
    assert len(limited) == 2 and limited.total == 9 and "7 more of 9" in repr(limited)
    (add,) = run.commits(pc=BASE + 8)
    assert (add.text, add.data, add.issue) == ("add a2, a1, a0", (47, 48, 49, 50), 161)
    with pytest.raises(ValueError, match="there is no symbol 'sgemm'"):
        run.commits(pc="sgemm+0x40")
    with pytest.raises(ValueError, match="write an address"):
        run.commits(pc="0xnothing")


def test_state_at_a_cycle(run: Run) -> None:
    before, after = run.at(163).warp(0, 0), run.at(164).warp(0, 0)
    assert "a2" not in before.registers and after.registers["a2"] == [47, 48, 49, 50]
    assert after.life.block == (7, 1, 0) and after.last is not None and after.last.text == "add a2, a1, a0"
    held = run.at(199)
    assert held.warp(0, 0).barrier == 2 and held.warp(0, 1).barrier is None
    assert run.at(200).warp(0, 0).barrier is None, "the barrier let it go in this cycle"
    with pytest.raises(KeyError, match="core 0 warp 0 is not active in cycle 210"):
        run.at(210).warp(0, 0)


def test_who_wrote_an_address(run: Run) -> None:
    (store,) = run.who_wrote(LINE + 64 + 4)
    assert (store.uid, store.lane, store.data, store.cycle) == (3, 1, 48, 171)
    assert run.who_wrote(LINE + 64 + 4, before=170) == []
    assert run.who_wrote(LINE) == [], "only read, never written"
    assert run.who_wrote(LINE + 64 + 4, local_of=0) == []
    assert [access.lane for access in run.who_wrote(LINE + 64, 8, limit=5)] == [1, 0]


def test_why_leads_back_to_the_loads_and_the_bus(run: Run) -> None:
    (reload,) = run.commits(pc=BASE + 24)
    text = repr(run.why(reload))
    chain = ["lw a3", "sw a2", "operand a2", "add a2", "operand a1", "lw a1", "load of 0x10000, lane 0"]
    places = [text.index(part) for part in chain]
    assert places == sorted(places)
    assert "AXI bank 0 id 3 at 0x10000, request 115, response 150" in text


def test_runs_with_equal_results_do_not_differ(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    mine, later = Run.open(two_warps(tmp_path)), Run.open(two_warps(tmp_path / "other", shift=40))
    assert mine.diff(later) == []


def test_the_first_deviation_of_two_runs(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    mine, other = Run.open(two_warps(tmp_path)), Run.open(two_warps(tmp_path / "other", sum_of=48))
    first, second = mine.diff(other)
    assert (first.field, first.place, first.number) == ("data", (0, (7, 1, 0), 0, 0), 2)
    assert second.place == (0, (7, 1, 0), 1, 0), "the other warp loads what differs"
    assert first.mine is not None
    found = mine.commit(first.mine)
    assert found is not None and found.text == "add a2, a1, a0"


def test_packets_of_an_instruction_are_joined_and_a_reset_begins_anew(tmp_path: Path) -> None:
    made = HandMade(tmp_path)
    made.run_event(1, RunEvent.RESET)
    made.cta(2, CtaEvent.WARP_START, warp=3, uid=0)
    made.commit(3, 0, BASE, 0x13, (3, 4, 8), rd=5, data=[0, 7, 0, 7], wmask=0b1010, mask=0b1010, flags=CommitFlag.FIRST)
    made.commit(3, 0, BASE, 0x13, (3, 4, 9), rd=5, data=[6, 0, 6, 0], wmask=0b0101, mask=0b0101, flags=CommitFlag.LAST)
    made.run_event(20, RunEvent.RESET)
    made.cta(21, CtaEvent.WARP_START, warp=3, uid=0)
    made.commit(3, 0, BASE, 0x13, (23, 24, 28), rd=6, data=[1, 1, 1, 1])
    run = Run.open(made.record(tmp_path / "recording"))
    first, second = run.commits()
    assert (first.data, first.tmask, first.cycle) == ((6, 7, 6, 7), 15, 9)
    assert second.data == (1, 1, 1, 1) and first.key != second.key
    assert run.at(10).warp(0, 3).registers == {"t0": [6, 7, 6, 7]}
    assert run.at(28).warp(0, 3).registers == {"t1": [1, 1, 1, 1]}, "registers from before the reset are still there"


def test_ipdom_and_local_memory_at_a_cycle(tmp_path: Path) -> None:
    made = HandMade(tmp_path)
    made.run_event(1, RunEvent.RESET)
    made.cta(2, CtaEvent.WARP_START, warp=0, uid=0)
    for cycle, op, mask in ((5, 0, 3), (7, 0, 1), (9, 1, 2), (11, 2, 2)):
        made.writer.write(Kind.IPDOM, cycle=cycle, op=op, mask=mask, pc=BASE)
    made.writer.write(Kind.MEMORY, cycle=8, op=1, space=1, size=2, mask=2, addr=[0, 0x40, 0, 0], data=[0, 0x1234, 0, 0])
    made.commit(0, 0, BASE, 0x13, (3, 4, 30))
    run = Run.open(made.record(tmp_path / "recording"))
    assert run.at(7).warps[0].ipdom == [(3, BASE), (1, BASE)]
    assert run.at(10).warps[0].ipdom == [(3, BASE), (2, BASE)]
    assert run.at(11).warps[0].ipdom == [(3, BASE)]
    assert run.at(7).lmem == {} and run.at(8).lmem == {0: {0x40: 0x34, 0x41: 0x12}}
