"""Short way to a whole run for the tests of this folder."""

from __future__ import annotations

from pathlib import Path

from config import RunConfig
from tests.regression.pipeline import Request, run_test
from tests.regression.report import summary_lines
from tests.regression.result import RunResult


def run(folder: Path, *, policy: str = "", backend: str = "cosim", **knobs: str) -> RunResult:
    """Run with these knobs, through the KMU agent unless LAUNCH says otherwise; results go to `folder`."""
    config = RunConfig.from_knobs({"TEST": "multikernel", "LAUNCH": "kmu", **knobs})
    return run_test(Request(config=config, backend=backend, folder=folder / "run", policy=policy)).result


def assert_lockstep(result: RunResult) -> None:
    """The run passed, and it did so by comparing every retired instruction."""
    assert result.passed, "\n\n".join([*(failure.screen for failure in result.failures), result.repro])
    assert result.kernels
    for kernel in result.kernels:
        assert kernel.compared == kernel.instructions > 0
        assert kernel.elements > 0
        assert kernel.axi_transactions > 0


def figure(result: RunResult) -> str:
    """One line for the end of the test run."""
    knobs = " ".join(f"{name}={result.knobs[name]}" for name in ("TEST", "CORES", "WARPS", "THREADS", "ENTRY", "MEM"))
    return f"{knobs}: {result.compared:,} instructions compared, {summary_lines(result)[0]}"
