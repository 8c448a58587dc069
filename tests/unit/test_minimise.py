"""The minimiser against scripted runners: which run it ends with, in how many runs, and what it prints."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

import pytest

from config import CopyMode, HardwareConfig, LaunchPath, MemoryPolicyName, RunConfig
from tests.regression.bucket import first_difference
from tests.regression.cli import main
from tests.regression.errors import RunError
from tests.regression.images import Images
from tests.regression.job import Job
from tests.regression.minimise.command import run_minimise
from tests.regression.minimise.failed import find_failed
from tests.regression.minimise.shrink import minimise
from tests.regression.progress import SilentProgress
from tests.regression.result import Failure, RunResult
from tests.regression.typed_json import write_json

BIG = RunConfig(
    test="vecadd_i",
    seed=7,
    size=256,
    mem=MemoryPolicyName.HOSTILE,
    launch=LaunchPath.BOTH,
    hardware=HardwareConfig(num_clusters=2, num_cores=4, num_warps=8, num_threads=8),
)
WANTED = "lane result: kernel: wrong"


class Scripted:
    """Fails with WANTED where `fails` says so, otherwise as `otherwise` says."""

    def __init__(self, fails: Callable[[RunConfig], bool], otherwise: Callable[[RunConfig], str | None] | None = None):
        self._fails, self._otherwise = fails, otherwise or (lambda _: "")
        self.asked: list[RunConfig] = []

    def __call__(self, config: RunConfig) -> str | None:
        assert config not in self.asked, "the same run twice"
        self.asked.append(config)
        return WANTED if self._fails(config) else self._otherwise(config)


def _shape(config: RunConfig) -> tuple[int, ...]:
    h = config.hardware
    return h.num_clusters, h.num_cores, h.num_warps, h.num_threads


def test_what_always_fails_becomes_the_smallest_of_all() -> None:
    attempt = Scripted(lambda _: True)
    found = minimise(BIG, WANTED, attempt)
    assert _shape(found.config) == (1, 1, 1, 1)
    assert (found.config.size, found.config.mem, found.config.launch) == (1, MemoryPolicyName.KIND, LaunchPath.KMU)
    assert found.config.seed == 7
    assert found.complete
    assert found.runs == len(attempt.asked) <= 10


def test_each_part_goes_as_far_down_as_the_failure_allows() -> None:
    attempt = Scripted(
        lambda c: c.size >= 37 and c.hardware.num_warps >= 4 and c.mem is not MemoryPolicyName.KIND
        and c.launch is not LaunchPath.KMU
    )  # fmt: skip
    found = minimise(BIG, WANTED, attempt, most_runs=200)
    assert found.config.size == 37
    assert _shape(found.config) == (1, 1, 4, 1)
    assert (found.config.mem, found.config.launch) == (MemoryPolicyName.ORDERED, LaunchPath.BAR)
    assert found.complete


def test_another_difference_is_not_the_same_failure() -> None:
    attempt = Scripted(lambda c: c.size == 256, lambda _: "host: another")
    found = minimise(dataclasses.replace(BIG, hardware=HardwareConfig()), WANTED, attempt, most_runs=100)
    assert found.config.size == 256
    assert any(tried.ended == "host: another" and not tried.kept for tried in found.tried)


def test_runs_that_cannot_be_started_are_no_failure() -> None:
    attempt = Scripted(lambda c: c.size % 16 == 0, lambda _: None)
    found = minimise(BIG, WANTED, attempt, most_runs=100)
    assert found.config.size % 16 == 0
    assert found.config.size < 256


@pytest.mark.parametrize("bound", [1, 3, 10])
def test_the_number_of_runs_is_bounded(bound: int) -> None:
    attempt = Scripted(lambda c: c.size >= 200)
    found = minimise(BIG, WANTED, attempt, most_runs=bound)
    assert len(attempt.asked) == found.runs == bound
    assert not found.complete


def test_other_seeds_are_tried_where_a_smaller_run_passes() -> None:
    small = dataclasses.replace(
        BIG, hardware=HardwareConfig(), mem=MemoryPolicyName.KIND, launch=LaunchPath.KMU, size=4
    )
    attempt = Scripted(lambda c: c.size >= 4 or (c.seed == 9 and c.size >= 2))
    assert minimise(small, WANTED, attempt, most_runs=100).config.size == 4
    attempt = Scripted(lambda c: c.size >= 4 or (c.seed == 9 and c.size >= 2))
    found = minimise(small, WANTED, attempt, most_runs=100, seeds=(8, 9))
    assert (found.config.size, found.config.seed) == (2, 9)
    assert {tried.config.seed for tried in found.tried} >= {7, 8, 9}


def test_bulk_data_past_the_bus_and_no_path_without_it() -> None:
    attempt = Scripted(lambda c: c.copy is CopyMode.BAR)
    found = minimise(dataclasses.replace(BIG, copy=CopyMode.BAR), WANTED, attempt, most_runs=200)
    assert (found.config.copy, found.config.launch) == (CopyMode.BAR, LaunchPath.BAR)
    assert not any(c.copy is CopyMode.BAR and c.launch is LaunchPath.KMU for c in attempt.asked)


def _failed_run(results: Path, message: str = "x5 got a wrong value in lanes 1, 3", config: RunConfig = BIG) -> Path:
    folder = results / config.test / "label"
    folder.mkdir(parents=True)
    failures = (Failure("lane result", "rtl result", message, "screen", "kernel"),) if message else ()
    write_json(folder / "job.json", Job(config, "cosim", Images(()), folder, policy="fixed20", prepare="a.b:c"))
    write_json(folder / "results.json", RunResult(config.test, "cosim", config.knobs(), "make", failures=failures))
    return folder


def test_the_class_of_a_failure_does_not_depend_on_the_shape(tmp_path: Path) -> None:
    def of(message: str) -> str:
        failures = (Failure("lane result", "rtl result", message, "screen", "kernel"),)
        return first_difference(RunResult("t", "cosim", {}, "make", failures=failures))

    same = {of(f"x5 got a wrong value in {lanes}") for lanes in ("lane 1", "lanes 0, 3", "lanes 1, 2, 3, 5")}
    assert same == {"lane result: kernel: x5 got a wrong value in lane #"}
    assert of("x6 got a wrong value in lane 1") not in same


def test_the_whole_command(tmp_path: Path) -> None:
    folder = _failed_run(tmp_path, config=dataclasses.replace(BIG, size=0))
    wanted = find_failed(str(folder), tmp_path).wanted
    said: list[str] = []

    def attempt(config: RunConfig) -> str | None:
        return wanted if config.hardware.num_threads >= 4 else ""

    knobs = {"RUN": "vecadd_i/label", "RUNS": "60", "SEEDS": "8"}
    assert run_minimise(knobs, said.append, SilentProgress(), tmp_path, attempt) == 0
    text = "\n".join(said)
    assert said[0] == "first difference: lane result: kernel: x5 got a wrong value in lane #"
    assert "seed 7, other seeds: 8; at most 60 runs" in text
    assert "memory policy of the run was fixed20" in text
    assert "prepares the design with a.b:c" in text
    assert said[-1].startswith("smallest   make SIM=verilator TEST=vecadd_i CLUSTERS=1 CORES=1 WARPS=1 THREADS=4")
    assert said[-1].endswith("MEM=kind LAUNCH=kmu COPY=backdoor SEED=7 N=1")
    tries = [line for line in said if line.startswith(("  smaller", "  no"))]
    assert tries and all("seed 7" in line or "seed 8" in line for line in tries)


def test_a_failure_that_does_not_repeat_is_said(tmp_path: Path) -> None:
    folder = _failed_run(tmp_path)
    with pytest.raises(RunError, match=r"the failure does not repeat: make .* ended so: passed"):
        run_minimise({"RUN": str(folder)}, lambda _: None, SilentProgress(), tmp_path, lambda _: "")


@pytest.mark.parametrize(
    ("knobs", "message"),
    [
        ({}, "RUN is missing"),
        ({"RUN": "nowhere"}, "no run of this name"),
        ({"RUN": "label", "RUNS": "x"}, "RUNS=x: must be a whole number"),
        ({"RUN": "label", "RUNS": "1"}, "at least 2"),
        ({"RUN": "label", "SEEDS": "1,-2"}, "SEEDS=-2"),
        ({"RUN": "label", "SEED": "1"}, "does not know SEED"),
    ],
)
def test_wrong_words_are_one_sentence(knobs: dict[str, str], message: str, tmp_path: Path) -> None:
    _failed_run(tmp_path)
    with pytest.raises(RunError, match=message):
        run_minimise(knobs, lambda _: None, SilentProgress(), tmp_path, lambda _: "")


def test_runs_that_cannot_be_used(tmp_path: Path) -> None:
    passed = _failed_run(tmp_path / "a", message="")
    write_json(passed / "results.json", dataclasses.replace(RunResult("vecadd_i", "cosim", {}, "make")))
    assert find_failed(str(passed), tmp_path).wanted == "nothing was run"
    _failed_run(tmp_path / "b")
    with pytest.raises(RunError, match="names 2 runs"):
        find_failed("label", tmp_path)
    (passed / "results.json").write_text("{}")
    with pytest.raises(RunError, match="run the test again with this version"):
        find_failed(str(passed), tmp_path)
    with pytest.raises(RunError, match="not the results folder of one run"):
        find_failed(str(tmp_path), tmp_path)


def test_the_command_line_ends_with_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["minimise", "RUN=/no/such/folder"]) == 2
    assert capsys.readouterr().err.startswith("error: RUN=/no/such/folder: no such folder")
