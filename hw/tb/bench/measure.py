"""Runs each variant in a process of its own and takes the best of several rounds: no machine is ever quiet."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from config import RunConfig
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.bench.commands import write_script
from hw.tb.bench.workload import Workload
from hw.tb.build.model import Model
from hw.tb.run import simulate
from hw.tb.run.launcher import plusargs


class BenchError(RuntimeError):
    """A variant did not run; the message says which and why."""


class Variant(Enum):
    """What runs around the design."""

    BARE = "(a) bare C++ loop"
    COCOTB = "(b) cocotb process, no probe"
    RECORDS = "(c) with probe and ring"
    LOCKSTEP = "(d) lockstep, readable golden model"
    FAST = "(e) lockstep, fast golden model"


@dataclass(frozen=True)
class Figure:
    """One measurement; seconds are processor time, so that a busy machine does not change the ratios."""

    cycles: int
    seconds: float

    @property
    def rate(self) -> float:
        """Simulated cycles a second of processor time."""
        return self.cycles / self.seconds


def measure_bare(model: Model, workload: Workload, run_dir: Path) -> Figure:
    """Run the bare main on the workload, no records.

    Raises:
        BenchError: it failed, or the result is wrong.
    """
    run_dir.mkdir(parents=True, exist_ok=True)
    policy = MemoryPolicy.preset("fixed20", workload.config.seed)
    script = write_script(workload, policy, 0, run_dir)
    command = [str(model.executable("bare")), *plusargs(run_dir, workload.config.seed, 16384), f"+vx_script={script}"]
    done = subprocess.run(command, cwd=run_dir, capture_output=True, text=True, timeout=600, check=False)
    (run_dir / "memory.bin").unlink(missing_ok=True)
    if done.returncode != 0:
        raise BenchError(f"the bare loop ended with exit code {done.returncode}: {done.stderr.strip()}")
    if (run_dir / "result.bin").read_bytes() != workload.expected:
        raise BenchError("the bare loop computed a wrong product, so its speed means nothing")
    figures = json.loads(done.stdout.splitlines()[-1])
    return Figure(figures["cycles"], figures["seconds"])


def measure_cocotb(
    model: Model, config: RunConfig, variant: Variant, size: int, launches: int, run_dir: Path
) -> Figure:
    """Run the cocotb main on the workload.

    Raises:
        BenchError: the test inside failed.
    """
    options = {"variant": variant.name.lower(), "size": str(size), "launches": str(launches)}
    result = simulate(config, "hw.tb.bench.cocotb_side", run_dir, model=model, options=options)
    if not result.passed:
        raise BenchError(f"{variant.value}: {result.reason}")
    figures = json.loads((run_dir / "measured.json").read_text(encoding="utf-8"))
    return Figure(int(figures["cycles"]), figures["seconds"])
