"""Hang explanation: blocks that no core takes, that do not start, or that do not retire."""

from __future__ import annotations

from golden_model.hang import HangVerdict
from golden_model.records.layout import Kind, MemoryOp, RunEvent
from tests.unit.hang_records import CODE, Story, explain, started


def test_a_block_that_no_core_can_hold() -> None:
    story = Story()
    story.launch()
    row = next(row for row in story.rows[Kind.RUN] if row.get("addr") == 0x1D)  # BLOCK_SIZE
    row["data"] = 20
    report = explain(story)
    assert report.verdict is HangVerdict.KERNEL_DEADLOCK
    assert "a block of 20 threads never starts: a core has 16 lanes in all" in report.root


def test_local_memory_that_no_core_has() -> None:
    story = Story()
    story.launch()
    row = next(row for row in story.rows[Kind.RUN] if row.get("addr") == 0x1C)  # LMEM_SIZE
    row["data"] = story.config.lmem_size + 64
    report = explain(story)
    assert report.verdict is HangVerdict.KERNEL_DEADLOCK
    assert "bytes of local memory" in report.root


def test_a_slot_that_leaks_keeps_the_next_block_out() -> None:
    story = started(1, grid=8)
    story.end(0)
    story.retire()
    report = explain(story)
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert "no core takes CTA (1, 0, 0), although nothing keeps core 0 from it" in report.root
    assert report.waits[-1].who == "CTA (1, 0, 0)"


def test_a_block_behind_a_stuck_one_says_who_holds_the_slot() -> None:
    story = Story()
    story.launch(grid=8, block=4)
    for slot in range(4):
        story.accept(slot, [slot], slot=slot)
        story.commit(slot, CODE)
        story.memory(slot, MemoryOp.LOAD, 0x3_0000, story.issue(slot))
    story.read(0x3_0000, 1, answered=False)
    report = explain(story)
    assert report.verdict is HangVerdict.MEMORY_SILENT
    assert report.others == ()
    assert "slot 0, whose turn it is, is held by CTA (0, 0, 0)" in report.waits[-1].waits_for


def test_a_block_that_does_not_retire() -> None:
    story = started(1)
    story.end(0)
    report = explain(story)
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert "all of its warps ended, but it does not retire" in report.root


def test_a_rank_that_is_neverstarted() -> None:
    story = Story()
    story.launch(block=8)
    story.accept(0, [0], of=2)
    story.commit(0, CODE)
    story.barrier(0, count=2)
    report = explain(story)
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert "only 1 were started" in report.root or "rank 1 is not started" in report.root


def test_busy_that_does_not_fall() -> None:
    story = started(1)
    story.end(0)
    story.retire()
    assert "stays busy" in explain(story).root
    story.add(Kind.RUN, event=RunEvent.BUSY_FALL)
    assert explain(story).verdict is HangVerdict.UNDECIDED
