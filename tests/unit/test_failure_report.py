"""From a failed run to failure.json, failure.html and the lines on the terminal; records are written by hand."""

from __future__ import annotations

import dataclasses
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from config import RunConfig
from golden_model.follow.difference import Category, Difference, Transaction
from golden_model.hang import HangVerdict
from golden_model.launch import dcr_writes
from golden_model.records.layout import AxiChannel, Kind, MemoryOp
from tests.regression.failure.page import lane_rows
from tests.regression.failure.report import Cause, FailureReport
from tests.regression.failure.write import failure_lines, make_report, write_failure
from tests.regression.images import Images
from tests.regression.job import Job
from tests.regression.result import Failure, RunResult
from tests.regression.typed_json import TypedJsonError, read_json, write_json
from tests.unit import follow_kernels
from tests.unit.browser import DESKTOP, PHONE, look
from tests.unit.follow_bench import Bench, Rows
from tests.unit.follow_kernels import CALLS
from tests.unit.hang_records import CODE, LOAD_A5, Story, write_ring

CONFIG = RunConfig(test="vecadd_i", seed=7)
STORE = 0x00A5_2023  # sw a0, 0(a0)
_VOID = {"meta", "br"}


class _Page(HTMLParser):
    """Checks that elements nest, and collects what a page needs from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elsewhere: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elsewhere += [f"{name}={value}" for name, value in attrs if name in ("src", "href")]
        self.elsewhere += [tag] if tag in ("script", "link") else []
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


def _job(folder: Path) -> Job:
    return Job(CONFIG, "cosim", Images(()), folder)


def _result(difference: Difference, **more: object) -> RunResult:
    failure = Failure(
        difference.check,
        str(difference.category),
        difference.message,
        difference.render(),
        "kernel",
        difference.launch,
        difference.cycle,
        difference,
    )
    result = RunResult("vecadd_i", "cosim", CONFIG.knobs(), CONFIG.repro_line(), failures=(failure,))
    return dataclasses.replace(result, **more)  # type: ignore[arg-type]


def _page(folder: Path) -> str:
    text = (folder / "failure.html").read_text()
    page = _Page()
    page.feed(text)
    assert page.open == []
    assert page.elsewhere == []
    return text


def _wrong_load(rows: Rows, bench: Bench) -> None:
    load = bench.address("product") - 12
    row = next(row for row in rows[Kind.COMMIT] if row["pc"] == load and row["wmask"] == 15 and row["flags"] & 3 == 3)
    row["data"] = [value ^ 0x10 if lane == 1 else value for lane, value in enumerate(row["data"])]


def test_a_difference_of_the_follower_with_its_records(tmp_path: Path) -> None:
    bench = Bench(CALLS, mutate=_wrong_load)
    launch = follow_kernels.launch(bench.image)
    batches = bench.hardware.launch(launch)
    for address, value in dcr_writes(launch, bench.config, bench.golden.entry):
        bench.golden.dcr_write(address, value)
    bench.follower.begin_launch(1)
    for batch in batches:
        bench.follower.feed(batch)
    difference = bench.difference
    assert difference is not None
    write_ring(tmp_path / "ring.bin", batches, 4)
    report = write_failure(_job(tmp_path), _result(difference), tmp_path / "ring.bin")
    assert report is not None
    assert report.difference == difference
    assert report.probable.cause is Cause.RTL_RESULT
    assert "differing bits lane 1: 0x10" in report.probable.evidence
    last = report.context.commits[-1]
    assert (last.core, last.warp) == (difference.core, difference.warp)
    assert difference.uid in [entry.uid for entry in report.context.commits]
    wrong = next(entry for entry in report.context.commits if entry.uid == difference.uid)
    assert wrong.disassembly == "lw s2, 0(a1)"
    assert wrong.result.startswith("x18 <- ")
    assert wrong.access.startswith("load at ")
    assert all(entry.cycle <= difference.cycle for entry in report.context.commits)
    assert any(slot.slot == difference.slot for slot in report.context.slots)
    assert read_json(tmp_path / "failure.json", FailureReport) == report
    text = _page(tmp_path)
    for part in ("lw s2, 0(a1)", "RTL result", 'id="values"', CONFIG.repro_line(), "num_barriers", "SEED"):
        assert part in text, part
    assert 'aria-label="thread mask 0xf"' in text


def _shared(barrier: bool) -> tuple[Story, Difference]:
    """Warp 1 stores a word that warp 0 loads; lane 2 gets another value than the golden model's."""
    story = Story()
    story.launch(block=8)
    story.accept(0, [0, 1])
    story.memory(1, MemoryOp.STORE, 0x3_0010, story.commit(1, CODE + 0x10, STORE))
    if barrier:
        story.barrier(1, count=2)
        story.barrier(0, count=2, released=3)
        story.barrier(1, count=2, phase=1)
    story.add(Kind.IPDOM, core=0, warp=0, mask=15, pc=CODE + 0x60, op=0)
    uid = story.commit(0, CODE + 0x20, LOAD_A5, wmask=15, rd=15, rd_file=1, data=[1, 1, 9, 1])
    story.memory(0, MemoryOp.LOAD, 0x3_0010, uid)
    cycle = story.cycle
    story.cycle += 50
    story.memory(1, MemoryOp.STORE, 0x3_0010, story.commit(1, CODE + 0x30, STORE))  # after the difference
    difference = Difference(
        "lane result", Category.RESULT, "x15 got a wrong value in lane 2", 1, cycle, 0, 0, lanes=[2], uid=uid,
        pc=CODE + 0x20, expected=[1, 1, 1, 1], actual=[1, 1, 9, 1], tmask_expected=15, tmask_actual=7, num_lanes=4,
    )  # fmt: skip
    return story, difference


@pytest.mark.parametrize("barrier", [False, True])
def test_the_warp_that_wrote_a_loaded_word(barrier: bool, tmp_path: Path) -> None:
    story, difference = _shared(barrier)
    write_ring(tmp_path / "ring.bin", [story.batch()], 4)
    report = write_failure(_job(tmp_path), _result(difference), tmp_path / "ring.bin")
    assert report is not None
    (producer,) = report.context.producers
    assert (producer.lane, producer.address) == (2, 0x3_0010)
    assert (producer.store.warp, producer.store.pc) == (1, CODE + 0x10)
    assert producer.history[-1] == producer.store
    assert report.probable.cause is (Cause.RTL_RESULT if barrier else Cause.KERNEL_RACE)
    assert any("core 0 warp 1 wrote in cycle" in text for text in report.probable.evidence)
    assert [(level.mask, level.pc) for level in report.context.ipdom] == [(15, CODE + 0x60)]
    assert [(b.phase, b.arrivals, b.waiting) for b in report.context.barriers] == (
        [(1, 1, ((0, 1),))] if barrier else []
    )
    assert [(slot.block, slot.warps) for slot in report.context.slots] == [((0, 0, 0), (0, 1))]
    text = _page(tmp_path)
    assert "Lane 2 loaded 0x00030010, written last by core 0 warp 1" in text
    assert 'aria-label="thread mask 0x7"' in text
    lines = "\n".join(failure_lines(report, tmp_path))
    assert "written by  0x00030010 (lane 2): core 0 warp 1" in lines
    assert str(tmp_path / "failure.html") in lines


@pytest.mark.parametrize("width", [PHONE, DESKTOP])
def test_everything_of_the_page_can_be_reached(width: int, tmp_path: Path) -> None:
    story, difference = _shared(barrier=True)
    write_ring(tmp_path / "ring.bin", [story.batch()], 4)
    result = _result(difference)
    later = dataclasses.replace(result.failures[0], check="core-fault", message="the warp stopped by a fault")
    result = dataclasses.replace(result, failures=(*result.failures, *[later] * 8))
    write_failure(_job(tmp_path), result, tmp_path / "ring.bin")
    seen = look(tmp_path / "failure.html", width)
    assert (seen.wide, seen.small, seen.console) == ([], [], [])
    assert seen.text.count("also core-fault") == 4 and "4 more" in seen.text, "the others are folded"
    for part in ("x15 got a wrong value in lane 2", "0x00000009", "written last by core 0 warp 1", "RTL result"):
        assert part in seen.text, part


@pytest.mark.parametrize(("word", "cause"), [(1, Cause.RTL_RESULT), (9, Cause.MEMORY_PROTOCOL), (5, Cause.RTL_RESULT)])
def test_what_memory_delivered_decides(word: int, cause: Cause, tmp_path: Path) -> None:
    story, difference = _shared(barrier=False)
    story.rows[Kind.MEMORY] = [row for row in story.rows[Kind.MEMORY] if row["op"] == MemoryOp.LOAD]
    data = [*word.to_bytes(4, "little")] * 16
    for channel, cycle in ((AxiChannel.AR, 90), (AxiChannel.R, 95)):
        story.add(Kind.AXI, channel=channel, id=6, addr=0x3_0000, last=1, data=data)
        story.rows[Kind.AXI][-1]["cycle"] = cycle
    write_ring(tmp_path / "ring.bin", [story.batch()], 4)
    report = make_report(_job(tmp_path), _result(difference), tmp_path / "ring.bin")
    (transaction,) = report.context.transactions
    assert (transaction.axi_id, transaction.request_cycle, transaction.response_cycle) == (6, 90, 95)
    assert report.probable.cause is cause


def test_a_failed_assertion_is_told_from_the_log(tmp_path: Path) -> None:
    """The first one is the cause; without a log nothing is claimed."""
    first = Failure(
        "rtl assertion", str(Category.HOST), "cycle 9: 1 SystemVerilog assertion(s) failed", "rtl assertion"
    )
    result = RunResult("vecadd_i", "cosim", CONFIG.knobs(), CONFIG.repro_line(), failures=(first,))
    assert make_report(_job(tmp_path), result, tmp_path / "ring.bin").probable.cause is Cause.UNKNOWN
    told = "vx_icache.sv:242: Assertion failed in vx_tb_top.dut.icache: address 3 is not aligned"
    log = f"     0.00ns INFO nothing\n[90] %Error: {told}\n" + "[95] %Error: vx_x.sv:1: Assertion failed in x\n" * 9
    (tmp_path / "sim.log").write_text(log)
    report = make_report(_job(tmp_path), result, tmp_path / "ring.bin")
    assert report.probable.cause is Cause.RTL_CONTROL
    assert report.probable.evidence[0] == told and len(report.probable.evidence) == 4
    assert told in "\n".join(failure_lines(report, tmp_path))


def test_a_hang_is_explained_from_the_ring(tmp_path: Path) -> None:
    story = Story()
    story.launch(block=8)
    story.accept(0, [0, 1])
    story.barrier(0, count=2)
    story.end(1)
    write_ring(tmp_path / "ring.bin", [story.batch()], 4)
    stuck = Difference("hang", Category.PROGRESS, "nothing was committed", 1, 100_000)
    report = write_failure(_job(tmp_path), _result(stuck), tmp_path / "ring.bin")
    assert report is not None and report.hang is not None
    assert report.hang.verdict is HangVerdict.KERNEL_DEADLOCK
    assert report.probable.cause is Cause.KERNEL
    assert read_json(tmp_path / "failure.json", FailureReport) == report
    text = _page(tmp_path)
    assert "kernel deadlock" in text
    assert "barrier 0 of core 0 slot 0 waits for 2 warps" in text
    assert "HANG  kernel deadlock" in "\n".join(failure_lines(report, tmp_path))


@pytest.mark.parametrize(("bound", "verdict"), [(3000, HangVerdict.RTL_DEADLOCK), (20, HangVerdict.RTL_DEADLOCK)])
def test_a_short_bound_of_the_watchdog_is_believed(bound: int, verdict: HangVerdict, tmp_path: Path) -> None:
    """A warp that nothing holds and that did nothing for as long as the watchdog waited has stopped."""
    story = Story()
    story.launch()
    story.accept(0, [0])
    story.commit(0, CODE)
    last = story.cycle - 1
    write_ring(tmp_path / "ring.bin", [story.batch()], 4)
    stuck = Difference("hang", Category.PROGRESS, "nothing was committed", 1, last + bound)
    report = make_report(_job(tmp_path), _result(stuck), tmp_path / "ring.bin")
    assert report.hang is not None and report.hang.verdict is verdict
    assert "core 0 warp 0" in report.hang.root and "could go on" in report.hang.root
    slow = Difference("cycle limit", Category.PROGRESS, "the launch is too long", 1, last + bound)
    report = make_report(_job(tmp_path), _result(slow), tmp_path / "ring.bin")
    assert report.hang is not None and report.hang.verdict is HangVerdict.UNDECIDED, "a bound on a launch says less"


def test_a_simulator_that_died_is_explained_too(tmp_path: Path) -> None:
    story = Story()
    story.launch()
    story.accept(0, [0])
    story.memory(0, MemoryOp.LOAD, 0x3_0000, story.issue(0))
    story.read(0x3_0000, 3, answered=False)
    story.add(Kind.RUN, event=4)
    story.rows[Kind.RUN][-1]["cycle"] = 50_000
    write_ring(tmp_path / "ring.bin", [story.batch()], 4)
    died = Failure("simulator", "simulator", "it was stopped", "simulator\n  it was stopped")
    result = RunResult("vecadd_i", "cosim", CONFIG.knobs(), CONFIG.repro_line(), failures=(died,))
    report = make_report(_job(tmp_path), result, tmp_path / "ring.bin")
    assert report.hang is not None
    assert report.hang.verdict is HangVerdict.MEMORY_SILENT
    assert report.probable.cause is Cause.MEMORY_PROTOCOL


@pytest.mark.parametrize("content", [None, b"", b"not a ring" * 1000])
def test_without_records_the_page_says_so(content: bytes | None, tmp_path: Path) -> None:
    ring = tmp_path / "ring.bin"
    if content is not None:
        ring.write_bytes(content)
    difference = Difference(
        "pc", Category.CONTROL, "went <elsewhere> & back", 1, 5, 0, 1, expected=4, actual=8, num_lanes=4
    )
    report = write_failure(_job(tmp_path), _result(difference), ring)
    assert report is not None
    assert report.context.missing
    assert report.probable.cause is Cause.RTL_CONTROL
    text = _page(tmp_path)
    assert "State of the design is not shown" in text
    assert "went &lt;elsewhere&gt; &amp; back" in text


def test_a_passed_run_leaves_no_report(tmp_path: Path) -> None:
    result = RunResult("vecadd_i", "cosim", CONFIG.knobs(), CONFIG.repro_line())
    assert write_failure(_job(tmp_path), result, tmp_path / "ring.bin") is None
    assert list(tmp_path.iterdir()) == []


def test_values_side_by_side() -> None:
    rows = lane_rows(Difference("c", Category.RESULT, "m", expected=[1, None, 3], actual=[1, None, 7]))
    assert [(row.lane, row.expected, row.actual, row.differs) for row in rows] == [
        (0, "0x00000001", "0x00000001", False),
        (2, "0x00000003", "0x00000007", True),
    ]
    assert [31 - index for index, on in enumerate(rows[1].bits) if on] == [2]
    (text,) = lane_rows(Difference("c", Category.RESULT, "m", expected="uid 3", actual="no commit"))
    assert (text.expected, text.actual, text.bits) == ("uid 3", "no commit", ())
    (wide,) = lane_rows(Difference("c", Category.RESULT, "m", expected=1 << 40, actual=0))
    assert [63 - index for index, on in enumerate(wide.bits) if on] == [40]


def test_a_difference_survives_the_results_file(tmp_path: Path) -> None:
    _, difference = _shared(barrier=True)
    difference.block, difference.expected = (1, 2, 3), "text"
    difference.actual = [1, None]
    difference.transactions = [Transaction(0, 7, 64, None, 9, "a5")]
    write_json(tmp_path / "results.json", _result(difference))
    assert read_json(tmp_path / "results.json", RunResult) == _result(difference)
    content = json.loads((tmp_path / "results.json").read_text())
    content["failures"][0]["detail"]["block"] = [1, 2]
    (tmp_path / "results.json").write_text(json.dumps(content))
    with pytest.raises(TypedJsonError, match=r"block: expected 3 elements"):
        read_json(tmp_path / "results.json", RunResult)
    content["failures"][0]["detail"].update(block=None, expected=1.5)
    (tmp_path / "results.json").write_text(json.dumps(content))
    with pytest.raises(TypedJsonError, match=r"expected: expected .*found 1\.5"):
        read_json(tmp_path / "results.json", RunResult)
