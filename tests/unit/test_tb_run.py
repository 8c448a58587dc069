"""How a simulator process ends: every way that is not a pass is a failure with a sentence and a log."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from config import EntryGeneration, HardwareConfig, MemoryPolicyName, RunConfig
from hw.tb.build.model import Model
from hw.tb.run import RunSettings, SimResult, simulate
from hw.tb.run.results import read_results
from hw.tb.run.settings import ENVIRONMENT

PASS = (
    '<testcase classname="mod" name="good" time="0.5"><properties>'
    '<property name="sim_time_duration" value="120.0"/></properties></testcase>'
)
FAIL = (
    '<testcase classname="mod" name="bad" time="0.1">'
    '<failure message="two is not three" type="AssertionError">trace</failure></testcase>'
)
SKIP = '<testcase classname="mod" name="left_out" time="0"><skipped/></testcase>'


def _xml(*cases: str) -> str:
    return f"<testsuites><testsuite name='mod'>{''.join(cases)}</testsuite></testsuites>"


def _run(folder: Path, script: str, timeout_s: float = 20.0, config: RunConfig | None = None) -> SimResult:
    """`simulate` with a shell script in the place of a model."""
    executable = folder / "model" / "sim_cocotb"
    executable.parent.mkdir()
    executable.write_text("#!/bin/sh\n" + script, encoding="utf-8")
    executable.chmod(0o755)
    model = Model("fake", executable.parent)
    return simulate(config or RunConfig(), "mod", folder / "run", model=model, timeout_s=timeout_s)


def _results(*cases: str) -> str:
    return f'cat > "$COCOTB_RESULTS_FILE" <<END\n{_xml(*cases)}\nEND\n'


def test_a_pass_needs_a_passing_test(tmp_path: Path) -> None:
    result = _run(tmp_path, "echo hello\n" + _results(PASS, SKIP))
    assert result.passed and result.reason == ""
    assert [(test.name, test.passed, test.skipped) for test in result.tests] == [
        ("good", True, False),
        ("left_out", False, True),
    ]
    assert result.tests[0].simulated_ns == 120
    assert result.log_tail() == "hello"


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (_results(PASS, FAIL), "bad: two is not three"),
        (_results(SKIP), "no test ran"),
        (_results(), "no test ran"),
        (_results(PASS) + "exit 7\n", "exit code 7"),
        ("exit 3\n", "exit code 3 before its tests were done"),
        ("exit 0\n", "exit code 0 before its tests were done"),
        (_results(PASS) + "kill -SEGV $$\n", "died by signal SIGSEGV"),
        ('printf "<testsuites><test" > "$COCOTB_RESULTS_FILE"\nexit 1\n', "not complete XML"),
    ],
)
def test_everything_else_fails_with_a_sentence(tmp_path: Path, script: str, reason: str) -> None:
    result = _run(tmp_path, script)
    assert not result.passed
    assert reason in result.reason


def test_a_hanging_process_is_stopped(tmp_path: Path) -> None:
    began = time.monotonic()
    result = _run(tmp_path, "echo $$ > pid\nexec sleep 60\n", timeout_s=0.5)
    assert time.monotonic() - began < 20
    assert not result.passed and "stopped after 0.5 s" in result.reason
    process = int((tmp_path / "run" / "pid").read_text(encoding="utf-8"))
    with pytest.raises(ProcessLookupError):
        os.kill(process, signal.SIGKILL)


def test_an_old_result_does_not_count(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "results.xml").write_text(_xml(PASS), encoding="utf-8")
    assert not _run(tmp_path, "exit 0\n").passed


def test_the_process_gets_what_cocotb_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COCOTB_TEST_FILTER", "only_this")
    monkeypatch.delenv("COCOTB_RANDOM_SEED", raising=False)
    result = _run(tmp_path, "env\necho ARGS $*\n" + _results(PASS), config=RunConfig(seed=5))
    text = result.log.read_text(encoding="utf-8")
    for wanted in (
        "COCOTB_TEST_MODULES=mod",
        "COCOTB_TOPLEVEL=vx_tb_top",
        "COCOTB_TEST_FILTER=only_this",
        "COCOTB_RANDOM_SEED=5",
        "+verilator+seed+6",
    ):
        assert wanted in text
    monkeypatch.setenv("COCOTB_RANDOM_SEED", "99")
    (tmp_path / "again").mkdir()
    assert "COCOTB_RANDOM_SEED=99" in _run(tmp_path / "again", "env\n").log.read_text(encoding="utf-8")


def test_settings_survive_the_way_into_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = RunConfig(
        test="x",
        hardware=HardwareConfig(num_cores=2, num_warps=8),
        entry=EntryGeneration.S11,
        mem=MemoryPolicyName.HOSTILE,
        seed=9,
        size=17,
    )
    settings = RunSettings(config, tmp_path, {"a": "b"})
    monkeypatch.setenv(ENVIRONMENT, str(settings.write()))
    assert RunSettings.read() == settings


def test_a_test_outside_a_simulator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    with pytest.raises(RuntimeError, match=r"must be started by hw\.tb\.run"):
        RunSettings.read()


def test_results_that_are_missing_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="No such file"):
        read_results(tmp_path / "results.xml")
