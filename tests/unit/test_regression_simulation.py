"""What the end of the simulating process adds to the verdict, and how far it is while it runs."""

from __future__ import annotations

import dataclasses
import threading
from pathlib import Path

import numpy as np
import pytest

from config import RunConfig
from golden_model.records.layout import Kind, dtype
from golden_model.records.ring import RingWriter
from hw.tb.run import SimResult
from tests.regression.images import Images
from tests.regression.job import Job
from tests.regression.progress import committed, make_progress, watch_simulation
from tests.regression.report import make_console
from tests.regression.rerun.window import windows_of
from tests.regression.result import Failure, KernelResult, Outcome, RunResult
from tests.regression.simulation import _collect
from tests.regression.typed_json import read_json, write_json

CONFIG = RunConfig()
GOOD = RunResult(
    "multikernel", "cosim", CONFIG.knobs(), CONFIG.repro_line(), (KernelResult("add_k", 1, Outcome.PASS, "1 block"),)
)


@pytest.fixture
def job(tmp_path: Path) -> Job:
    return Job(CONFIG, "cosim", Images(()), tmp_path)


def _ended(folder: Path, reason: str = "") -> SimResult:
    log = folder / "sim.log"
    log.write_text("first line\nsegmentation fault\n")
    return SimResult(not reason, reason, (), folder, log, 1.0)


def test_good_end_changes_nothing(job: Job) -> None:
    write_json(job.result, GOOD)
    assert _collect(job, _ended(job.folder)) == GOOD


@pytest.mark.parametrize("written", [True, False])
def test_bad_end_is_a_failure(job: Job, written: bool) -> None:
    if written:
        write_json(job.result, GOOD)
    result = _collect(job, _ended(job.folder, "the simulator died by signal SIGSEGV"))
    assert not result.passed
    assert result.failures[0].message == "the simulator died by signal SIGSEGV"
    assert "  | segmentation fault" in result.failures[0].screen
    assert len(result.kernels) == written
    assert read_json(job.result, RunResult) == result


def test_known_failure_stays_first(job: Job) -> None:
    bad = dataclasses.replace(GOOD, failures=(Failure("result", "rtl result", "lane 2 differs", "lane 2"),))
    write_json(job.result, bad)
    assert _collect(job, _ended(job.folder, "1 test failed")) == bad


def test_half_written_result_is_no_result(job: Job) -> None:
    job.result.write_text('{"test": "multikernel", ')
    result = _collect(job, _ended(job.folder, "the simulator was stopped"))
    assert not result.passed
    assert result.kernels == ()


class _Listener:
    live = True

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.told = threading.Event()

    def stage(self, text: str) -> None:
        self.texts.append(text)
        self.told.set()


def test_progress_counts_commit_packets(tmp_path: Path) -> None:
    assert committed(tmp_path / "ring.bin") == 0
    writer = RingWriter(tmp_path / "ring.bin", lanes=4, capacity=8)
    writer.append(Kind.COMMIT, np.zeros(1, dtype(Kind.COMMIT, 4)))
    assert committed(tmp_path / "ring.bin") == 1
    listener = _Listener()
    with watch_simulation(tmp_path, listener):
        assert listener.told.wait(10)
    assert listener.texts[0].startswith("simulating: 1 commit packets")


def test_no_progress_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with make_progress(make_console()) as progress:
        assert not progress.live
        progress.stage("building")
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("cycles", "window"),
    [([], (0, 2000)), ([0, 1000], (0, 2000)), ([5000], (3200, 5200)), ([0, 9000, 1], (7200, 9200))],
)
def test_waves_are_around_the_first_known_cycle(cycles: list[int], window: tuple[int, int]) -> None:
    failures = tuple(Failure("c", "host", "m", "s", cycle=cycle) for cycle in cycles)
    (found,) = windows_of(None, dataclasses.replace(GOOD, failures=failures))
    assert (found.first, found.last) == window
