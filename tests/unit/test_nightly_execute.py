"""A chunk against a scripted simulator: what is recorded when, and what survives."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hw.tb.run import SimResult
from tests.nightly import execute
from tests.nightly.case import Case
from tests.nightly.execute import InterruptedRunError, run_chunk
from tests.nightly.folders import case_folder
from tests.nightly.local import LocalRunner
from tests.nightly.record import RECORD, Verdict, read_record, record_of
from tests.regression.bucket import bucket_of
from tests.regression.errors import RunError
from tests.regression.images import Images
from tests.regression.job import JOB_OPTION, Job
from tests.regression.pipeline import Request
from tests.regression.result import Failure, KernelResult, Outcome, RunResult
from tests.regression.typed_json import read_json, write_json
from tests.unit.nightly_cases import case, chunk

Script = Callable[[Job, int], str]


class ScriptedSimulator:
    """Stands for `simulate`: does with each job what the script says.

    `script(job, process number)` returns pass, fail, late (passes beyond the budget of cycles), crash or hang.
    """

    def __init__(self, script: Script) -> None:
        self._script = script
        self.processes: list[list[str]] = []

    def __call__(
        self,
        config: Any,
        module: str,
        run_dir: Path,
        *,
        model: Any,
        options: Mapping[str, str],
        timeout_s: float,
        watch: Callable[[], str],
    ) -> SimResult:
        jobs = [read_json(Path(name), Job) for name in options[JOB_OPTION].split(os.pathsep)]
        self.processes.append([job.config.test for job in jobs])
        log = run_dir / "sim.log"
        log.write_text("the simulator said this\n")
        for job in jobs:
            job.started.touch()
            deed = self._script(job, len(self.processes))
            if deed == "crash":
                return SimResult(False, f"the simulator died by signal SIGSEGV; log: {log}", (), run_dir, log, 1.0)
            if deed == "hang":
                os.utime(job.started, (time.time() - 1000, time.time() - 1000))
                reason = watch()
                assert reason, "nobody noticed"
                return SimResult(False, f"{reason}; log: {log}", (), run_dir, log, 1.0)
            write_json(job.result, _result(job, deed))
            if deed == "fail":
                break
            watch()
        return SimResult(True, "", (), run_dir, log, 1.0)


def _result(job: Job, deed: str) -> RunResult:
    failures = (Failure("reg", "data", "x5 is 0x10, expected 0x20", "reg\n  x5 is wrong"),) if deed == "fail" else ()
    outcome = Outcome.FAIL if failures else Outcome.PASS
    kernel = KernelResult("k", 1, outcome, "1 block", instructions=10, cycles=5000 if deed == "late" else 100)
    return RunResult(job.config.test, "cosim", job.config.knobs(), "make it", (kernel,), failures=failures)


@pytest.fixture
def simulator(monkeypatch: pytest.MonkeyPatch) -> Callable[[Script], ScriptedSimulator]:
    def install(script: Script) -> ScriptedSimulator:
        made = ScriptedSimulator(script)
        monkeypatch.setattr(execute, "simulate", made)
        monkeypatch.setattr(execute, "prepare_model", lambda config, progress, spec: SimpleNamespace())
        monkeypatch.setattr(execute, "make_images", lambda request, progress: Images(()))
        monkeypatch.setattr(execute, "make_job", _make_job)
        return made

    return install


def _make_job(request: Request, images: Images) -> Job:
    assert request.folder is not None
    request.folder.mkdir(parents=True, exist_ok=True)
    return Job(request.config, "cosim", images, request.folder)


def _cases(count: int) -> list[Case]:
    return [case(test=f"t{index}") for index in range(count)]


def _run(tmp_path: Path, cases: list[Case]) -> list[str]:
    records = run_chunk(tmp_path, chunk(cases), {item.id for item in cases})
    return [record.verdict.value for record in records]


def test_a_chunk_needs_one_process(tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]) -> None:
    made = simulator(lambda job, process: "pass")
    assert _run(tmp_path, _cases(4)) == ["pass"] * 4
    assert made.processes == [["t0", "t1", "t2", "t3"]]


def test_only_wanted_cases_run(tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]) -> None:
    made, cases = simulator(lambda job, process: "pass"), _cases(4)
    run_chunk(tmp_path, chunk(cases), {cases[1].id, cases[3].id})
    assert made.processes == [["t1", "t3"]]


def test_a_failure_ends_its_process_and_the_rest_gets_another(
    tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]
) -> None:
    made, cases = simulator(lambda job, process: "fail" if job.config.test == "t1" else "pass"), _cases(4)
    assert _run(tmp_path, cases) == ["pass", "fail", "pass", "pass"]
    assert made.processes == [["t0", "t1", "t2", "t3"], ["t1"], ["t2", "t3"]]
    record = read_record(case_folder(tmp_path, cases[1]))
    assert record is not None
    assert (record.bucket, record.flaky) == ("reg: x5 is #, expected #", False)


def test_one_that_passes_alone_is_flaky(tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]) -> None:
    simulator(lambda job, process: "fail" if (job.config.test, process) == ("t0", 1) else "pass")
    cases = _cases(1)
    assert _run(tmp_path, cases) == ["fail"]
    record = read_record(case_folder(tmp_path, cases[0]))
    assert record is not None
    assert record.flaky


def test_a_crash_is_a_failure_with_its_log_and_its_last_commits(
    tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]
) -> None:
    made, cases = simulator(lambda job, process: "crash" if job.config.test == "t1" else "pass"), _cases(3)
    assert _run(tmp_path, cases) == ["pass", "fail", "pass"]
    assert made.processes[-1] == ["t2"]
    folder = case_folder(tmp_path, cases[1])
    record = read_record(folder)
    assert record is not None
    assert record.bucket == "simulator: the simulator died by signal SIGSEGV"
    assert "the simulator said this" in record.screen
    assert (folder / "sim.log").read_text() == "the simulator said this\n"
    assert (folder / "last_commits.txt").read_text().startswith("no records")


def test_a_hang_is_stopped_by_the_budget(tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]) -> None:
    simulator(lambda job, process: "hang" if job.config.test == "t0" else "pass")
    cases = _cases(2)
    assert _run(tmp_path, cases) == ["fail", "pass"]
    record = read_record(case_folder(tmp_path, cases[0]))
    assert record is not None
    assert record.message == "the case exceeded its budget of 60 s of wall time and was stopped"
    assert "last commits" in record.screen


def test_a_budget_of_cycles_is_judged(tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]) -> None:
    simulator(lambda job, process: "late")
    cases = _cases(1)
    assert _run(tmp_path, cases) == ["fail"]
    record = read_record(case_folder(tmp_path, cases[0]))
    assert record is not None
    assert record.message == "5,000 cycles, the budget of suite s is 1,000"


def test_what_is_finished_is_not_run_again(tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]) -> None:
    simulator(lambda job, process: "pass")
    cases = _cases(3)
    run_chunk(tmp_path, chunk(cases), {cases[0].id})
    (case_folder(tmp_path, cases[1])).mkdir(parents=True)
    (case_folder(tmp_path, cases[1]) / RECORD).write_text("{ half of a rec")  # the power went
    made = simulator(lambda job, process: "pass")
    assert _run(tmp_path, cases) == ["pass"] * 3
    assert made.processes == [["t1", "t2"]]


def test_a_record_is_there_while_the_process_goes_on(
    tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]
) -> None:
    cases, seen = _cases(2), []

    def script(job: Job, process: int) -> str:
        seen.append(read_record(case_folder(tmp_path, cases[0])) is not None)
        return "pass"

    simulator(script)
    _run(tmp_path, cases)
    assert seen == [False, True]


def test_an_interrupted_chunk_keeps_what_is_finished(
    tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]
) -> None:
    cases, stop = _cases(3), threading.Event()

    def script(job: Job, process: int) -> str:
        if job.config.test == "t1":
            stop.set()
            return "crash"
        return "pass"

    simulator(script)
    with pytest.raises(InterruptedRunError):
        run_chunk(tmp_path, chunk(cases), {item.id for item in cases}, stop.is_set)
    assert [read_record(case_folder(tmp_path, item)) is not None for item in cases] == [True, False, False]


def test_sources_that_do_not_compile_are_refused(
    tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator], monkeypatch: pytest.MonkeyPatch
) -> None:
    simulator(lambda job, process: "pass")

    def make_images(request: Request, progress: Any) -> Images:
        if request.config.test == "t0":
            raise RunError("kernel.cpp:3: no such type")
        return Images(())

    monkeypatch.setattr(execute, "make_images", make_images)
    assert _run(tmp_path, _cases(2)) == ["refused", "pass"]


def test_a_model_that_cannot_be_built_refuses_its_cases(
    tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = simulator(lambda job, process: "pass")

    def prepare_model(config: Any, progress: Any, spec: Any) -> None:
        raise RunError("Verilator failed")

    monkeypatch.setattr(execute, "prepare_model", prepare_model)
    assert _run(tmp_path, _cases(2)) == ["refused", "refused"]
    assert made.processes == []


def test_a_runner_hands_out_records_and_stops(tmp_path: Path, simulator: Callable[[Script], ScriptedSimulator]) -> None:
    simulator(lambda job, process: "pass")
    cases = _cases(2)
    runner = LocalRunner(tmp_path, {item.id for item in cases})
    assert [runner.wait(chunk(cases), item).verdict for item in cases] == [Verdict.PASS] * 2
    runner.close()
    with pytest.raises(RuntimeError, match="ended without case"):
        runner.wait(chunk(cases), case(test="other"))


@pytest.mark.parametrize(
    ("deed", "expected", "verdict"),
    [
        ("pass", "", Verdict.PASS),
        ("fail", "", Verdict.FAIL),
        ("fail", "known", Verdict.EXPECTED_FAIL),
        ("pass", "known", Verdict.UNEXPECTED_PASS),
    ],
)
def test_verdicts(tmp_path: Path, deed: str, expected: str, verdict: Verdict) -> None:
    item = case(expected_failure=expected)
    job = Job(item.config(), "cosim", Images(()), tmp_path)
    assert record_of(item, _result(job, deed), 1.0).verdict is verdict


def test_what_a_host_program_refuses_is_skipped_with_its_reason() -> None:
    refusal = Failure("launch-refused", "host", "N=3: must be even", "launch-refused\n  N=3: must be even")
    record = record_of(case(), RunResult("alpha", "cosim", {}, "", failures=(refusal,)), 1.0)
    assert (record.verdict, record.message) == (Verdict.SKIPPED, "N=3: must be even")
    late = RunResult("alpha", "cosim", {}, "", (KernelResult("k", 1, Outcome.PASS, "1"),), failures=(refusal,))
    assert record_of(case(), late, 1.0).verdict is Verdict.FAIL


def test_a_run_of_nothing_has_not_passed() -> None:
    assert record_of(case(), RunResult("alpha", "cosim", {}, ""), 1.0).verdict is Verdict.FAIL


@pytest.mark.parametrize(
    ("message", "bucket"),
    [
        ("x5 of lane 3 is 0x8000_0010, 17 expected", "c: x5 of lane # is #, # expected"),
        ("died; see /tmp/run 3/log", "c: died; see PATH #/log"),
        ("first line\nsecond line", "c: first line"),
    ],
)
def test_buckets_leave_out_what_differs(message: str, bucket: str) -> None:
    assert bucket_of("c", "", message) == bucket


def test_a_bucket_names_the_kernel_once() -> None:
    assert bucket_of("c", "add_k", "wrong") == "c: add_k: wrong"
    assert bucket_of("c", "add_k", "add_k was wrong") == "c: add_k was wrong"
