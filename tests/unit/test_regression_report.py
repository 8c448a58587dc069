"""What is written about a run: JSON there and back, JUnit, the first screen and the table."""

from __future__ import annotations

import dataclasses
import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from rich.console import Console

from config import EntryGeneration, HardwareConfig, RunConfig
from golden_model.follow.difference import Category
from tests.regression.images import Images, KernelImage
from tests.regression.job import Job
from tests.regression.junit import write_junit
from tests.regression.report import print_result
from tests.regression.result import Failure, HostCheck, KernelResult, Outcome, RunResult
from tests.regression.typed_json import TypedJsonError, read_json, write_json

CONFIG = RunConfig(seed=7, hardware=HardwareConfig(num_cores=2), entry=EntryGeneration.S11)
GOOD = RunResult(
    test="multikernel",
    backend="cosim",
    knobs=CONFIG.knobs(),
    repro=CONFIG.repro_line(),
    kernels=(
        KernelResult(
            "add_k", 1, Outcome.PASS, "16 blocks of 16", 16, 2000, 5000, 2000, 512,
            {"placement": 80, "undefined": 3}, 321,
            wall_seconds=0.5,
        ),
        KernelResult("mul_k", 2, Outcome.PASS, "16 blocks of 16", 16, 1000, 2500, 1000, 512, {"placement": 80}, 100),
    ),
    checks=(
        HostCheck("no kernel x", Outcome.PASS, "refused"),
        HostCheck("handles", Outcome.NOT_APPLICABLE, "one image"),
    ),
)  # fmt: skip
BAD = dataclasses.replace(
    GOOD,
    kernels=(dataclasses.replace(GOOD.kernels[0], outcome=Outcome.FAIL), GOOD.kernels[1]),
    failures=(
        Failure("result", "rtl result", "lane 2 differs\x01", "DIFFERENCE result\n  lane 2 differs", "add_k", 1),
        Failure("DeviceLostError", "host", "the simulator ended", "the simulator ended"),
    ),
)


def _printed(result: RunResult) -> str:
    out = io.StringIO()
    print_result(Console(file=out, width=150, soft_wrap=True), result, "results/multikernel")
    return out.getvalue()


def test_result_survives_json(tmp_path: Path) -> None:
    for result in (GOOD, BAD):
        write_json(tmp_path / "results.json", result)
        assert read_json(tmp_path / "results.json", RunResult) == result
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_job_survives_json(tmp_path: Path) -> None:
    job = Job(CONFIG, "cosim", Images((KernelImage("add_k", tmp_path / "a.vxbin", "add_k"),)), tmp_path)
    write_json(tmp_path / "job.json", job)
    assert read_json(tmp_path / "job.json", Job) == job


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"test": 3}, "RunResult.test: expected"),
        ({"kernels": [{"kernel": "x"}]}, r"RunResult.kernels\[0\]: expected the fields"),
        ({"extra": 1}, "expected the fields"),
        ({"checks": [{"name": "n", "outcome": "MAYBE", "detail": ""}]}, "'MAYBE' is no Outcome"),
    ],
)
def test_other_shapes_are_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = tmp_path / "results.json"
    write_json(path, GOOD)
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}))
    with pytest.raises(TypedJsonError, match=message):
        read_json(path, RunResult)


def test_missing_and_broken_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TypedJsonError, match="cannot be read"):
        read_json(tmp_path / "none.json", RunResult)
    (tmp_path / "half.json").write_text('{"test": ')
    with pytest.raises(TypedJsonError, match="is not JSON"):
        read_json(tmp_path / "half.json", RunResult)


def test_empty_run_has_not_passed() -> None:
    assert not dataclasses.replace(GOOD, kernels=()).passed
    assert not BAD.passed
    assert GOOD.passed


def test_table_of_a_pass() -> None:
    text = _printed(GOOD)
    for part in (
        "add_k", "PASS", "2,000", "321", "PERF: instrs=3000, cycles=7500, IPC=0.400", "placement 160, undefined 3",
        "simulated cycles/s", "Seed: 7", "make SIM=verilator TEST=multikernel CLUSTERS=1 CORES=2", "ENTRY=s11", "n/a",
    ):  # fmt: skip
        assert part in text, part
    assert text.rstrip().splitlines()[-1] == "PASS  multikernel  2 launches, 3,000 warp instructions compared"


def test_failure_is_the_first_screen() -> None:
    text = _printed(BAD)
    assert text.startswith("DIFFERENCE result\n  lane 2 differs\n")
    assert text.index("reproduce   make SIM=verilator") < text.index("also        DeviceLostError") < text.index("PERF")
    assert text.rstrip().splitlines()[-1].startswith("FAIL  multikernel  result: lane 2 differs")


def test_junit(tmp_path: Path) -> None:
    path = tmp_path / "results.xml"
    write_junit(path, GOOD)
    suite = ET.parse(path).getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "0", "1")
    properties = {item.get("name"): item.get("value") for item in suite.iter("property")}
    assert properties["seed"] == "7"
    assert properties["adopted.placement"] == "160"

    write_junit(path, BAD)
    suite = ET.parse(path).getroot()[0]
    assert suite.get("failures") == "2"
    texts = [item.text or "" for item in suite.iter("failure")]
    assert "lane 2 differs" in texts[0]
    assert "reproduce: make" in texts[0]
    assert [item.name for item in tmp_path.iterdir()] == ["results.xml"]


def test_junit_of_nothing_is_a_failure(tmp_path: Path) -> None:
    write_junit(tmp_path / "results.xml", dataclasses.replace(GOOD, kernels=(), checks=()))
    assert ET.parse(tmp_path / "results.xml").getroot()[0].get("failures") == "1"


def test_refused_run_is_one_sentence() -> None:
    refused = dataclasses.replace(
        GOOD,
        kernels=(),
        checks=(),
        failures=(Failure("launch-refused", str(Category.HOST), "grid dimension x is 0", "long text"),),
    )
    assert _printed(refused) == f"error: grid dimension x is 0\n  reproduce   {GOOD.repro}\n"


def test_dead_simulator_is_a_fail_with_its_log() -> None:
    dead = dataclasses.replace(
        GOOD,
        kernels=(),
        checks=(),
        failures=(Failure("simulator", "simulator", "it died", "simulator\n  | last line"),),
    )
    text = _printed(dead)
    assert text.startswith("simulator\n  | last line\n")
    assert text.splitlines()[-1] == "FAIL  multikernel  simulator: it died"
