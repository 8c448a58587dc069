"""Second runs: which cycles are traced, when two runs count as the same, and what the commands refuse."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from config import RunConfig
from golden_model.follow.difference import Category, Difference, OperandWriter
from golden_model.hang.report import HangReport, HangVerdict, Progress, Wait
from golden_model.records.layout import Kind
from golden_model.records.ring import RingWriter
from tests.regression import cli, pipeline
from tests.regression.errors import RunError
from tests.regression.failure.report import Cause, Committed, Context, FailureReport, Probable, Producer
from tests.regression.images import Images
from tests.regression.job import Job, WavesWindow
from tests.regression.pipeline import Request, run_test
from tests.regression.rerun import rerun as again
from tests.regression.rerun.command import parse_windows, waves_request
from tests.regression.rerun.mode import DebugMode
from tests.regression.rerun.scope import explain_scope
from tests.regression.rerun.stream import CommitStream, compare, write_streams
from tests.regression.rerun.window import windows_of
from tests.regression.result import Failure, RunResult

CONFIG = RunConfig(test="vecadd_i")


def _result(cycle: int, check: str = "lane result") -> RunResult:
    failure = Failure(check, "rtl result", "m", "s", cycle=cycle)
    return RunResult("vecadd_i", "cosim", CONFIG.knobs(), CONFIG.repro_line(), failures=(failure,))


def _report(cycle: int, writers: list[int], stores: list[int], hang: HangReport | None = None) -> FailureReport:
    difference = Difference("lane result", Category.RESULT, "m", cycle=cycle)
    difference.writers = [OperandWriter("x1", 1, at, 0, "", []) for at in writers]
    producers = [Producer(0, 0, Committed(0, 0, 0, at, 0, 15, ""), ()) for at in stores]
    return FailureReport(
        "t", "cosim", "k", "lane result", "rtl result", "m", Probable(Cause.RTL_RESULT), "s", {}, {}, "make",
        difference, Context(producers=tuple(producers)), hang,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("writers", "stores", "expected"),
    [
        ([], [], [(48_200, 50_200, "waves.fst")]),
        ([49_000], [49_900], [(48_200, 50_200, "waves.fst")]),
        ([45_000], [49_900], [(44_900, 50_200, "waves.fst")]),
        ([49_000], [7_000], [(6_900, 7_200, "cause1.fst"), (48_200, 50_200, "waves.fst")]),
        ([1000, 7_150], [7_000], [(6_900, 7_350, "cause1.fst"), (48_200, 50_200, "waves.fst")]),
        ([60_000], [], [(48_200, 50_200, "waves.fst")]),
    ],
)
def test_windows_are_around_the_causes(
    writers: list[int], stores: list[int], expected: list[tuple[int, int, str]]
) -> None:
    """Near causes widen the window of the failure, far ones have their own; what comes later is no cause."""
    found = windows_of(_report(50_000, writers, stores), _result(50_000))
    assert [dataclasses.astuple(window) for window in found] == expected


def test_a_hang_is_traced_where_progress_ended() -> None:
    hang = HangReport(HangVerdict.RTL_DEADLOCK, "r", 150_000, progress=(Progress("a", 30_000), Progress("b", None)))
    (window,) = windows_of(_report(150_000, [], [], hang), _result(150_000))
    assert window.first <= 30_000 <= window.last < 31_000
    waits = (Wait("warp 0", "runs", 29_000), Wait("warp 1", "x", 12_000), Wait("warp 2", "x"))
    found = windows_of(_report(150_000, [], [], dataclasses.replace(hang, waits=waits)), _result(150_000))
    assert [(window.first, window.last) for window in found] == [(11_900, 12_200), (28_200, 30_200)]


def test_without_a_cycle_the_end_is_traced() -> None:
    (window,) = windows_of(None, _result(0), end=9000)
    assert (window.first, window.last) == (7200, 9200)


def _ring(folder: Path, cycles: list[int], warp: int = 0) -> None:
    (folder / "sim").mkdir(parents=True, exist_ok=True)
    ring = RingWriter(folder / "sim" / "ring.bin", 4)
    for uid, cycle in enumerate(cycles):
        ring.write(Kind.COMMIT, cycle=cycle, uid=uid, warp=warp, pc=0x8000_0000)


def test_two_runs_are_the_same_if_their_streams_are(tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir()
        write_streams(folder, [CommitStream("kmu", 1000, 0xABC, 5000), CommitStream("bar", 1024, 0xDEF, 9000)])
    same, sentence = compare(first, second)
    assert same
    assert sentence.startswith("the same 1,024 commit packets in the same cycles: checksum kmu 0x0000000000000abc, bar")
    write_streams(second, [CommitStream("kmu", 1000, 0xABC, 5000), CommitStream("bar", 1024, 0xDEE, 9000)])
    same, sentence = compare(first, second)
    assert not same and "the commit streams differ on path bar" in sentence
    write_streams(second, [CommitStream("kmu", 1000, 0xABC, 5000)])
    assert compare(first, second) == (False, "2 launch paths were run, then 1")


def test_dead_processes_are_compared_by_their_rings(tmp_path: Path) -> None:
    """One of them may have come further before it was stopped."""
    first, second, third = (tmp_path / name for name in "abc")
    _ring(first, [10, 20, 30])
    _ring(second, [10, 20, 30, 40])
    _ring(third, [10, 20, 31])
    assert compare(first, second) == (True, "the last 3 commit packets that both runs left behind are the same")
    assert compare(first, third)[0] is False
    assert "can't be compared" in compare(first, tmp_path / "none")[1]


def test_cores_without_probes_prove_nothing(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
        write_streams(tmp_path / name, [CommitStream("bar", 0, 0, 9000)])
    assert "only the verdicts can be compared" in compare(tmp_path / "a", tmp_path / "b")[1]


def test_windows_of_the_command_line() -> None:
    assert parse_windows("", "") == ()
    assert parse_windows("10", "20") == (WavesWindow(10, 20, "waves.fst"),)
    assert parse_windows("1_000,10", "2000, 20") == (
        WavesWindow(10, 20, "waves1.fst"),
        WavesWindow(1000, 2000, "waves2.fst"),
    )
    for first, last, text in (
        ("10", "", "TO=: must be a cycle number"),
        ("x", "5", "FROM=x: must be a cycle number"),
        ("-1", "5", "FROM=-1: must be a cycle number"),
        ("9", "5", "the window ends before it begins"),
        ("1,5", "5,9", "windows must not overlap"),
        ("1,5", "9", "2 windows begin, 1 end"),
    ):
        with pytest.raises(RunError, match=text):
            parse_windows(first, last)
    with pytest.raises(RunError, match="FROM and TO are missing"):
        waves_request(Request(CONFIG), "", "", "")
    with pytest.raises(RunError, match="the golden model has no signals"):
        waves_request(Request(CONFIG, "golden"), "1", "2", "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["debug"], "RUN is missing"),
        (["debug", "RUN=none"], "RUN=none: no such folder"),
        (["debug", "RUN=none", "COLOUR=red"], "debug does not know COLOUR"),
        (["waves", "TEST=vecadd_i"], "FROM and TO are missing"),
        (["run", "DEBUG=maybe"], "DEBUG=maybe: must be one of auto, off, always"),
    ],
)
def test_refusals(
    arguments: list[str], expected: str, capsys: pytest.CaptureFixture[str], tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(pipeline, "RESULTS", tmp_path)
    assert cli.main(arguments, {}) == cli.EXIT_USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"error: {expected}")


def test_a_scope_of_nothing_is_named() -> None:
    explain_scope("", _result(0, "simulator"))
    explain_scope("vx_tb_top.dut", _result(9))
    with pytest.raises(RunError, match="SCOPE=core: the simulator died, as it does if no instance has this path"):
        explain_scope("core", _result(0, "simulator"))


class _Stub:
    """In the place of simulations: says how runs end, and counts those on the debug model."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, result: RunResult, *, ready: bool) -> None:
        self.reruns: list[tuple[WavesWindow, ...]] = []

        def rerun(job: Job, result: RunResult, windows: tuple[WavesWindow, ...], *rest: object) -> again.Evidence:
            self.reruns.append(windows)
            return again.Evidence(job.folder, True, "same", (), 0.0, ("run again",))

        monkeypatch.setattr(pipeline, "prepare_simulation", lambda *rest: lambda job, progress: result)
        monkeypatch.setattr(pipeline, "rerun", rerun)
        monkeypatch.setattr(pipeline, "is_ready", lambda *rest: ready)


@pytest.mark.parametrize(
    ("mode", "ready", "check", "reruns"),
    [
        (DebugMode.AUTO, True, "simulator", 1),
        (DebugMode.AUTO, False, "simulator", 0),
        (DebugMode.ALWAYS, False, "simulator", 1),
        (DebugMode.OFF, True, "simulator", 0),
        (DebugMode.ALWAYS, True, "host", 0),  # nothing was launched
        (DebugMode.ALWAYS, True, "", 0),  # a pass
    ],
)
def test_when_a_run_is_run_again(
    mode: DebugMode, ready: bool, check: str, reruns: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = _result(5000, check)
    stub = _Stub(monkeypatch, result if check else dataclasses.replace(result, failures=()), ready=ready)
    outcome = run_test(Request(CONFIG, images=Images(()), folder=tmp_path / "run", debug=mode))
    assert len(stub.reruns) == reruns
    assert ("run again" in outcome.result.notes) == bool(reruns)
    hints = [note for note in outcome.result.notes if note.startswith("waves: make debug RUN=")]
    assert len(hints) == (mode is DebugMode.AUTO and not ready)
    if reruns:
        assert outcome.failure is not None and "run again" in outcome.failure.notes, "the page says it too"


def test_tests_do_not_run_twice() -> None:
    """Only the command line asks for second runs."""
    assert Request(CONFIG).debug is DebugMode.OFF
    assert cli.parse_request([], {}).debug is DebugMode.AUTO
