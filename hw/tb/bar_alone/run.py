"""Starts the stand-alone model with one cocotb module, on one transport."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from config import RunConfig
from hw.tb.bar_alone.model import HARDWARE, TOP
from hw.tb.build.model import Model
from hw.tb.run import simulate
from hw.tb.run.launcher import SimResult
from hw.tb.run.settings import RunSettings

TRANSPORT = "transport"


def simulate_bar(
    model: Model,
    test_module: str,
    run_dir: Path,
    transport: str,
    seed: int = 1,
    options: Mapping[str, str] | None = None,
) -> SimResult:
    """Run the cocotb tests of `test_module`; they find the transport with `transport_of_run`."""
    config = RunConfig(hardware=HARDWARE, seed=seed)
    return simulate(
        config,
        test_module,
        run_dir,
        model=model,
        options={**(options or {}), TRANSPORT: transport},
        environment={"COCOTB_TOPLEVEL": TOP},
    )


def transport_of_run() -> str:
    """Inside a simulation: name of the transport."""
    return RunSettings.read().options[TRANSPORT]


def seed_of_run() -> int:
    """Inside a simulation: the seed."""
    return RunSettings.read().config.seed
