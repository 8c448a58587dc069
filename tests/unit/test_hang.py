"""Hang explanation on records written by hand: verdict, root and the place of everybody."""

from __future__ import annotations

from config import HardwareConfig
from golden_model.follow.explain import SourceLocation
from golden_model.hang import HangVerdict, explain_hang
from golden_model.records.layout import AxiChannel, Kind, MemoryOp, RunEvent
from tests.unit.hang_records import CODE, GIVEN_UP, JUMP_TO_SELF, LOAD_A5, Story, explain, started


def test_a_warp_that_ended_is_missed_at_a_barrier() -> None:
    story = started()
    for warp in range(3):
        story.barrier(warp, count=4)
    story.end(3)
    ended = story.cycle - 1
    report = explain(story)
    assert report.verdict is HangVerdict.KERNEL_DEADLOCK
    assert "barrier 0 of core 0 slot 0 waits for 4 warps, 3 have arrived" in report.root
    assert f"core 0 warp 3 (CTA (0, 0, 0) rank 3) ended in cycle {ended}" in report.root
    assert report.others == ()
    assert report.waits[0].who == "core 0 warp 0 (CTA (0, 0, 0) rank 0)"
    assert "0x80000040" in report.waits[0].place
    assert "3 of 4 arrived" in report.waits[0].waits_for


def test_two_barriers_that_wait_for_each_other() -> None:
    story = started(2)
    story.barrier(0, count=2, number=1)
    story.barrier(1, count=2, number=2)
    report = explain(story)
    assert report.verdict is HangVerdict.KERNEL_DEADLOCK
    assert "circle of waits" in report.root
    assert "barrier 1" in report.chain[0] and "barrier 2" in report.chain[1]


def test_a_full_barrier_that_lets_nobody_go_is_the_design() -> None:
    story = started(2)
    story.barrier(0, count=2)
    story.barrier(1, count=2)
    report = explain(story)
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert "all 2 have arrived, but nobody was let go" in report.root


def test_a_barrier_that_was_released_holds_nobody() -> None:
    story = started(2)
    story.barrier(0, count=2)
    story.barrier(1, count=2, released=3)
    story.barrier(0, count=2, phase=1)
    story.end(1)
    report = explain(story)
    assert report.verdict is HangVerdict.KERNEL_DEADLOCK
    assert "1 have arrived" in report.root
    assert "core 0 warp 1" in report.root


def test_a_response_that_was_dropped_is_the_root_of_a_barrier() -> None:
    story = started()
    for warp in range(3):
        story.barrier(warp, count=4)
    story.read(0x3_0000, 5, answered=True)
    uid = story.commit(3, CODE + 4, LOAD_A5)
    story.memory(3, MemoryOp.LOAD, 0x3_0010, uid)
    story.commit(3, CODE + 8, to=CODE + 4)
    story.memory(3, MemoryOp.LOAD, 0x3_0050, story.issue(3))
    story.read(0x3_0040, 9, answered=False)
    since = story.cycle - 1
    report = explain(story)
    assert report.verdict is HangVerdict.MEMORY_SILENT
    assert f"bank 0 id 0x9 address 0x00030040, outstanding since cycle {since}" in report.root
    assert [request.axi_id for request in report.outstanding] == [9]
    assert "barrier 0" in report.chain[0]
    assert "waits for register a5, which the LSU owes" in report.chain[1]
    assert "AXI read bank 0 id 0x9" in report.chain[-1]


def test_a_load_that_never_left_the_cache_is_the_design() -> None:
    story = started(1)
    story.memory(0, MemoryOp.LOAD, 0x3_0050, story.issue(0))
    report = explain(story)
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert "no AXI request of block 0x30040 left the processor" in report.root


def test_an_answer_that_the_cache_lost_is_the_design() -> None:
    story = started(1)
    story.memory(0, MemoryOp.LOAD, 0x3_0050, story.issue(0))
    story.read(0x3_0040, 9, answered=True)
    answered = story.cycle - 1
    report = explain(story)
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert f"memory answered block 0x30040 in cycle {answered}" in report.root


def test_a_fence_waits_for_the_write_without_a_response() -> None:
    story = started(1)
    story.add(Kind.AXI, channel=AxiChannel.AW, id=3, addr=0x4_0000)
    story.memory(0, MemoryOp.FENCE, 0, story.issue(0))
    report = explain(story)
    assert report.verdict is HangVerdict.MEMORY_SILENT
    assert "AXI write bank 0 id 0x3 address 0x00040000" in report.root


def test_an_instruction_that_was_overtaken_names_register_and_unit() -> None:
    story = started(2)
    story.commit(1, CODE + 4, LOAD_A5)
    story.issue(0)
    story.commit(0, CODE + 8)
    report = explain(story)
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert any(
        "core 0 warp 0" in wait.who and "register a5, which the LSU owes" in wait.waits_for for wait in report.waits
    )


def test_a_fetch_that_memory_does_not_answer() -> None:
    story = started(1)
    story.commit(0, CODE + 4, to=CODE + 0x100)
    story.read(CODE + 0x100, 2, answered=False)
    report = explain(story)
    assert report.verdict is HangVerdict.MEMORY_SILENT
    assert "is being fetched" in report.chain[1]


def test_a_warp_with_nothing_outstanding_is_the_design() -> None:
    report = explain(started(1))
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert "could go on at 0x80000004" in report.root


def _spinning(story: Story, warp: int, rounds: int = 8, address: int = 0x3_0000) -> None:
    for _ in range(rounds):
        uid = story.commit(warp, CODE + 0x80, LOAD_A5, wmask=15, rd=15, rd_file=1, data=[1, 1, 1, 1])
        story.memory(warp, MemoryOp.LOAD, address, uid)
        story.commit(warp, CODE + 0x84, JUMP_TO_SELF, to=CODE + 0x80)


def test_a_warp_that_spins_on_a_lock_of_one_that_ended() -> None:
    story = started(2)
    story.memory(1, MemoryOp.ATOMIC, 0x3_0000, story.commit(1, CODE + 4))
    story.end(1)
    _spinning(story, 0)
    report = explain(story, cycle=0)
    assert report.verdict is HangVerdict.KERNEL_LIVELOCK
    assert "polling 0x30000" in report.root
    assert "core 0 warp 1 (CTA (0, 0, 0) rank 1) wrote it last and ended" in report.root


def test_the_holder_of_a_lock_waits_for_memory() -> None:
    """The spinning warp is a consequence."""
    story = started(2)
    story.memory(1, MemoryOp.ATOMIC, 0x3_0000, story.commit(1, CODE + 4))
    story.memory(1, MemoryOp.LOAD, 0x5_0000, story.issue(1))
    story.read(0x5_0000, 4, answered=False)
    story.cycle += 20_000
    _spinning(story, 0)
    report = explain(story, cycle=0)
    assert report.verdict is HangVerdict.MEMORY_SILENT
    assert "id 0x4" in report.root
    assert report.others == ()


def test_a_loop_that_counts_is_no_livelock() -> None:
    story = started(1)
    for number in range(40):
        story.commit(0, CODE + 0x80, wmask=15, rd=15, rd_file=1, data=[number] * 4)
        story.commit(0, CODE + 0x84, JUMP_TO_SELF, to=CODE + 0x80)
    report = explain(story, cycle=0)
    assert report.verdict is HangVerdict.UNDECIDED
    assert "core 0 warp 0: still at work" in report.root


def test_lanes_of_the_same_warp_hold_the_lock() -> None:
    story = started(1)
    story.add(Kind.IPDOM, core=0, warp=0, mask=0x1F, pc=CODE + 0x90, op=0)
    _spinning(story, 0)
    assert "lanes 0x10 of the same warp wait" in explain(story, cycle=0).root


def test_a_barrier_across_cores_names_the_core_that_does_not_come() -> None:
    story = Story(HardwareConfig(num_cores=2))
    story.launch(grid=2, block=4)
    for core in range(2):
        story.accept(core, [0], core=core)
        story.commit(0, CODE, core=core)
    story.barrier_across(0, core=0)
    story.memory(0, MemoryOp.LOAD, 0x3_0000, story.issue(0, core=1), core=1)
    report = explain(story)
    assert report.verdict is HangVerdict.RTL_DEADLOCK
    assert "core 1 warp 0" in report.root
    assert "barrier 0 across cores" in report.chain[0]


def test_what_lies_before_a_reset_does_not_count() -> None:
    """Instruction numbers begin again, and what was open is gone."""
    story = started(2)
    story.memory(0, MemoryOp.LOAD, 0x3_0000, story.issue(0) + 7)
    story.read(0x3_0000, 5, answered=False)
    story.add(Kind.RUN, event=RunEvent.RESET)
    story.uids.clear()
    story.launch(block=8)
    story.accept(0, [0, 1])
    story.commit(1, CODE)
    story.barrier(0, count=2)
    story.end(1)
    report = explain(story)
    assert report.verdict is HangVerdict.KERNEL_DEADLOCK
    assert report.outstanding == ()


def test_symbols_progress_and_the_screen() -> None:
    story = started()
    for warp in range(3):
        story.barrier(warp, count=4)
    story.end(3)
    report = explain_hang(
        story.batch(), story.config, cycle=GIVEN_UP, symbolize=lambda _: SourceLocation("kernel+0x40", "kernel.cpp:7")
    )
    last = {item.unit: item.cycle for item in report.progress}
    assert last["core 0 LSU"] is None
    assert last["core 0 barrier unit"] == story.rows[Kind.BARRIER][-1]["cycle"]
    screen = report.render()
    for text in (
        "HANG  kernel deadlock",
        "<kernel+0x40> kernel.cpp:7",
        "core 0 LSU              never",
        "who waits for whom",
    ):
        assert text in screen


def test_records_of_nothing() -> None:
    report = explain(Story())
    assert report.verdict is HangVerdict.UNDECIDED
    assert report.notes
