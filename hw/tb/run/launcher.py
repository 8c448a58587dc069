"""Starts one simulator process with cocotb inside and says how it ended.

cocotb's own runner builds and starts with options that cost most of the speed, so this launcher sets the environment
that the runner would set (cocotb 2.1) and starts the model directly.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cocotb_tools.config
import find_libpython

from config import RunConfig
from hw.tb.build.model import Model, build, default_progress
from hw.tb.build.spec import REPO, ModelKind, ModelSpec
from hw.tb.debug.recording import RECORDING
from hw.tb.run.results import TestOutcome, read_results
from hw.tb.run.settings import ENVIRONMENT, RunSettings

DEFAULT_TIMEOUT_S = 600.0
# Environment: other values of registers without reset, everything else as SEED has it.
RESET_SEED = "VX_RESET_SEED"
_LOG_LINES = 15
_WATCH_S = 0.2


@dataclass(frozen=True)
class SimResult:
    """How one simulator process ended.

    Attributes:
        passed: it ended by itself, ran at least one test, and all of them passed.
        reason: one sentence when it did not pass, else empty.
        tests: outcomes in order of execution (those that finished).
        log: everything that the process printed.
    """

    passed: bool
    reason: str
    tests: tuple[TestOutcome, ...]
    run_dir: Path
    log: Path
    wall_seconds: float

    @property
    def results_xml(self) -> Path:
        return self.run_dir / "results.xml"

    def log_tail(self, lines: int = _LOG_LINES) -> str:
        """The last lines of the log."""
        return "\n".join(self.log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])


def simulate(
    config: RunConfig,
    test_module: str,
    run_dir: Path,
    *,
    spec: ModelSpec | None = None,
    model: Model | None = None,
    options: Mapping[str, str] | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    ring_records: int = 32768,
    environment: Mapping[str, str] | None = None,
    watch: Callable[[], str] | None = None,
) -> SimResult:
    """Build the model if need be and run one cocotb test module in it.

    Args:
        test_module: import path, such as `tests.cosim.multikernel`; several are separated by commas.
        run_dir: made if missing; an earlier run's files in it are replaced.
        spec: the model to use; default is the fast one of `config` (the debug one with WAVES=1).
        model: a finished build to use instead of `spec`.
        options: handed to the test in `RunSettings.options`.
        environment: more variables of the process, such as another top level.
        watch: asked several times a second while the process runs; a sentence that it returns stops the process and
            becomes the reason.

    Raises:
        BuildError, ToolError: the model could not be built.
    """
    run_dir = run_dir.resolve()
    run_dir.mkdir(parents=True, exist_ok=True)
    for name in ("results.xml", "memory.bin", "ring.bin"):
        (run_dir / name).unlink(missing_ok=True)
    shutil.rmtree(run_dir / RECORDING, ignore_errors=True)
    if model is None:
        kind = ModelKind.DEBUG if config.waves else ModelKind.FAST
        model = build(spec or ModelSpec(hardware=config.hardware, kind=kind), progress=default_progress)
    settings = RunSettings(config, run_dir, dict(options or {}))
    log = run_dir / "sim.log"
    seed = int(os.environ.get(RESET_SEED, config.seed))
    command = [str(model.executable("cocotb")), *plusargs(run_dir, seed, ring_records)]
    began = time.monotonic()
    variables = {**_environment(settings, test_module), **(environment or {})}
    code, stopped = _run(command, run_dir, variables, log, timeout_s, watch)
    seconds = time.monotonic() - began
    tests, reason = _verdict(run_dir / "results.xml", code, log, stopped)
    (run_dir / "memory.bin").unlink(missing_ok=True)  # sparse, but numpy and rsync see 4 GiB
    return SimResult(not reason, reason, tuple(tests), run_dir, log, seconds)


def plusargs(run_dir: Path, seed: int, ring_records: int) -> list[str]:
    """Arguments of any main of a model."""
    # Verilator takes seeds of 31 bits and reads 0 as "pick one".
    return [
        f"+vx_run_dir={run_dir}",
        f"+vx_ring={ring_records}",
        "+verilator+rand+reset+2",
        f"+verilator+seed+{seed % 0x7FFF_FFFE + 1}",
    ]


def _environment(settings: RunSettings, test_module: str) -> dict[str, str]:
    libpython = os.environ.get("LIBPYTHON_LOC") or find_libpython.find_libpython()
    if not libpython:
        raise RuntimeError("no shared libpython was found for this interpreter; install the package libpython3-dev")
    env = dict(os.environ)
    env.update(
        {
            ENVIRONMENT: str(settings.write()),
            "COCOTB_TOPLEVEL": "vx_tb_top",
            "COCOTB_TEST_MODULES": test_module,
            "COCOTB_RESULTS_FILE": str(settings.run_dir / "results.xml"),
            "COCOTB_TRUST_INERTIAL_WRITES": "1",
            "TOPLEVEL_LANG": "verilog",
            "GPI_USERS": f"{libpython};{cocotb_tools.config.pygpi_entry_point()}",
            "PYGPI_PYTHON_BIN": sys.executable,
            "PYTHONPATH": os.pathsep.join([str(REPO), *(path for path in sys.path if path)]),
        }
    )
    # The user's own filter and seed win; otherwise cocotb's seed is that of the run.
    env.setdefault("COCOTB_RANDOM_SEED", str(settings.config.seed))
    for name in ("COCOTB_TESTCASE", "COCOTB_RESULTS_ATTACHMENTS"):
        env.pop(name, None)
    return env


def _run(
    command: Sequence[str],
    run_dir: Path,
    env: dict[str, str],
    log: Path,
    timeout_s: float,
    watch: Callable[[], str] | None,
) -> tuple[int | None, str]:
    """Exit code, or None and the reason when the process was stopped."""
    with log.open("wb") as file:
        process = subprocess.Popen(
            command, cwd=run_dir, env=env, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT
        )
        try:
            if watch is None:
                return process.wait(timeout_s), ""
            return _wait(process, timeout_s, watch)
        except subprocess.TimeoutExpired:
            return None, f"the simulator was stopped after {timeout_s:g} s of wall time"
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _wait(process: subprocess.Popen[bytes], timeout_s: float, watch: Callable[[], str]) -> tuple[int | None, str]:
    end = time.monotonic() + timeout_s
    while True:
        try:
            return process.wait(_WATCH_S), ""
        except subprocess.TimeoutExpired:
            if time.monotonic() > end:
                raise
            reason = watch()
            if reason:
                return None, reason


def _verdict(results: Path, code: int | None, log: Path, stopped: str) -> tuple[list[TestOutcome], str]:
    tests: list[TestOutcome] = []
    broken = ""
    try:
        tests = read_results(results)
    except ValueError as error:
        broken = str(error)
    if code is None:
        return tests, f"{stopped}; log: {log}"
    if code < 0:
        return tests, f"the simulator died by signal {signal.Signals(-code).name}; log: {log}"
    failed = [test for test in tests if test.failure is not None]
    if failed:
        return tests, f"{failed[0].name}: {failed[0].failure}"
    if broken:
        return tests, f"the simulator ended with exit code {code} before its tests were done ({broken}); log: {log}"
    if code != 0:
        return tests, f"the simulator ended with exit code {code}; log: {log}"
    if not any(test.passed for test in tests):
        return tests, f"no test ran (filter, or an empty module); log: {log}"
    return tests, ""
