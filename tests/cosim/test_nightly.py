"""Nightly runs on the RTL: shared processes change nothing, and no kill loses what was finished."""

from __future__ import annotations

import datetime
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from tests.nightly.case import Case
from tests.nightly.choose import choose, every_test
from tests.nightly.execute import run_chunk
from tests.nightly.folders import case_folder
from tests.nightly.history import History
from tests.nightly.plan import Chunk, Plan, read_plan
from tests.nightly.record import Record, Verdict, read_record
from tests.nightly.run import ROOT
from tests.nightly.suite import SUITES_FOLDER, Suite, Tier, load_suite, load_suites

_SUITE = """
description = "short cases of one model"
tier = "smoke"
tests = ["vecadd_i", "split_join"]
[size]
vecadd_i = 64
[axes]
launch = ["kmu", "bar"]
memory = ["kind", "hostile"]
"""
_WAIT_S = 300.0


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    folder = tmp_path / "suites"
    folder.mkdir()
    (folder / "short.toml").write_text(_SUITE)
    return folder


def _cases(suites: Path) -> tuple[Case, ...]:
    suite: Suite = load_suite(suites / "short.toml")
    return choose(suite, every_test(), night_seed=5).cases


def test_a_shared_process_changes_nothing(tmp_path: Path, suites: Path) -> None:
    cases = _cases(suites)[:4]
    together = run_chunk(tmp_path / "together", Chunk(name="c", cases=cases), {case.id for case in cases})
    assert [record.verdict for record in together] == [Verdict.PASS] * 4
    assert len(list((tmp_path / "together" / "chunks" / "c").iterdir())) == 1
    for record in together[1:]:
        chunk = Chunk(name="c", cases=(record.case,))
        (alone,) = run_chunk(tmp_path / record.case.id, chunk, {record.case.id})
        assert (alone.cycles, alone.instructions, alone.compared) == (
            record.cycles,
            record.instructions,
            record.compared,
        )


def _start(results: Path, suites: Path, *options: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.nightly", "run", "--tier", "smoke", "--seed", "5", "--quiet"]
    command += ["--results", str(results), "--suites", str(suites), *options]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def _wait(process: subprocess.Popen[str], ready: Callable[[], bool]) -> None:
    end = time.monotonic() + _WAIT_S
    while not ready():
        assert process.poll() is None, f"it ended early:\n{process.communicate()[0]}"
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.05)


def _run_folder(results: Path) -> Path:
    (folder,) = (path for path in results.iterdir() if path.is_dir())
    return folder


def _finished(results: Path) -> list[Path]:
    return list(results.glob("*/cases/*/record.json"))


def _short_chunks(results: Path, suites: Path) -> None:
    """Earlier nights in which every case took half a chunk, so that tonight's chunks have two cases."""
    earlier = [Record(case=case, verdict=Verdict.PASS, seconds=20.0) for case in _cases(suites)]
    plan = Plan(
        id="earlier",
        tier=Tier.SMOKE,
        night_seed=1,
        started=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC),
        commit="c",
        versions={},
        chunks=(),
    )
    results.mkdir()
    History(results).add(plan, earlier)


def test_a_killed_worker_and_a_killed_run_lose_nothing(tmp_path: Path, suites: Path) -> None:
    results = tmp_path / "results"
    _short_chunks(results, suites)
    process = _start(results, suites)
    _wait(process, lambda: len(_finished(results)) >= 1)
    psutil.Process(process.pid).children()[0].kill()  # a pytest worker
    _wait(process, lambda: len(_finished(results)) >= 3)
    for child in psutil.Process(process.pid).children(recursive=True):
        child.kill()
    process.kill()
    process.communicate()
    run = _run_folder(results)
    kept = {path: path.stat().st_mtime_ns for path in _finished(results)}
    assert len(kept) < len(read_plan(run).cases)

    resumed = _start(results, suites, "--resume", run.name)
    output, _ = resumed.communicate(timeout=_WAIT_S)
    assert (resumed.returncode, "8 pass" in output) == (0, True), output
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@contextmanager
def _dask(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return int(server.getsockname()[1])


def test_a_cluster_survives_the_loss_of_a_worker(tmp_path: Path, suites: Path) -> None:
    results = tmp_path / "results"
    _short_chunks(results, suites)
    address = f"tcp://127.0.0.1:{_free_port()}"
    worker = ("worker", address, "--nthreads", "1", "--no-dashboard", "--no-nanny", "--local-directory", str(tmp_path))
    with (
        _dask("scheduler", "--host", "127.0.0.1", "--port", address.rpartition(":")[2], "--no-dashboard"),
        _dask(*worker) as lost,
        _dask(*worker),
    ):
        process = _start(results, suites, "--scheduler", address)
        _wait(process, lambda: len(_finished(results)) >= 1)
        os.killpg(lost.pid, signal.SIGKILL)
        output, _ = process.communicate(timeout=_WAIT_S)
    assert (process.returncode, "8 pass" in output) == (0, True), output
    records = [read_record(case_folder(_run_folder(results), case)) for case in _cases(suites)]
    assert all(record is not None and record.verdict is Verdict.PASS for record in records)


def test_nobody_at_the_address_is_a_sentence(tmp_path: Path, suites: Path) -> None:
    process = _start(tmp_path / "results", suites, "--scheduler", f"tcp://127.0.0.1:{_free_port()}")
    output, _ = process.communicate(timeout=_WAIT_S)
    assert process.returncode != 0
    assert "no Dask scheduler answers there" in output


def test_the_smoke_tier_passes_beside_another_nightly(
    tmp_path: Path, suites: Path, report_figure: Callable[[str], None]
) -> None:
    """Two at once in one results folder: each has its cases, and the history has both."""
    results = tmp_path / "results"
    began = time.monotonic()
    smoke = _start(results, SUITES_FOLDER, "--workers", "1")
    other = _start(results, suites, "--workers", "1", "-k", "kind")
    outputs = [process.communicate(timeout=_WAIT_S)[0] for process in (smoke, other)]
    assert [smoke.returncode, other.returncode] == [0, 0], "\n".join(outputs)
    (expected,) = (len(choose(suite, every_test(), 5).cases) for suite in load_suites() if suite.tier is Tier.SMOKE)
    runs = History(results).runs(10)
    assert sorted(run.passed for run in runs) == [4, expected]
    assert len(_finished(results)) == 4 + expected
    report_figure(f"smoke tier: {expected} cases in {time.monotonic() - began:.0f} s beside another nightly")
