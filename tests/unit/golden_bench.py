"""Both tiers of the golden model on the compiled test kernels, driven by their host programs.

`python -m tests.unit.golden_bench [name=size …]`: warp instructions a second of the launches alone, and their ratio.
Needs clang for the kernels. Not a test: machines differ.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from config import HardwareConfig, RunConfig
from golden_model import Machine, RunSummary, Watch
from golden_model.diagnosis import ALWAYS, Check, Diagnosis
from golden_model.machine import Tier
from tests.regression.pipeline import Request, run_test

# test -> (size for the readable tier, size for the fast one); 0 = the test's own
SIZES = {"multikernel": (0, 0), "sgemm_i": (32, 256), "isa_programs": (0, 0)}


@dataclass
class Meter:
    """Replaces `Machine.run` while a host program runs."""

    tier: Tier
    races: bool = False
    instructions: int = 0
    seconds: float = 0.0
    note: str = ""

    def start(self, machine: Machine) -> None:
        machine.tier = self.tier
        if self.races and machine.diagnosis is None:
            machine.diagnosis = Diagnosis(machine, ALWAYS | {Check.RACES})
        _START(machine)

    def run(self, machine: Machine) -> RunSummary:
        machine.warm_up()
        began = time.perf_counter()
        summary = _ORIGINAL(machine, 1 << 40, None)
        self.seconds += time.perf_counter() - began
        self.instructions += summary.warp_instructions
        self.note = machine.tier_note
        return summary


_ORIGINAL, _START = Machine.run, Machine.start


def measure(test: str, tier: Tier, size: int, lanes: int, races: bool = False) -> Meter:
    """Run a test's host program with every launch on that tier."""
    meter = Meter(tier, races)

    def metered(machine: Machine, limit: int = 0, seed: int | None = None, watch: Watch | None = None) -> RunSummary:
        return meter.run(machine)

    Machine.start = lambda machine: meter.start(machine)  # type: ignore[method-assign,assignment]
    Machine.run = metered  # type: ignore[method-assign,assignment]
    config = RunConfig(test=test, size=size, hardware=HardwareConfig(num_threads=lanes))
    try:
        with tempfile.TemporaryDirectory() as folder:
            outcome = run_test(Request(config, "golden", folder=Path(folder) / "run"))
    finally:
        Machine.run, Machine.start = _ORIGINAL, _START  # type: ignore[method-assign]
    if not outcome.result.passed or meter.note:
        sys.exit(f"error: {test} on the {tier} tier: {meter.note or outcome.result}")
    return meter


def main() -> None:
    """Print one line per test and width."""
    sizes = SIZES | {name: (int(n), int(n)) for name, _, n in (arg.partition("=") for arg in sys.argv[1:])}
    head = f"{'test':14s} lanes  instructions     readable           fast    ratio     with races"
    print(f"{head}   (warp instructions a second)")
    for lanes in (4, 32):
        for test, (small, large) in sizes.items():
            slow = measure(test, "readable", small, lanes)
            measure(test, "fast", small, lanes)  # decoding tables and page caches are warm afterwards
            fast = measure(test, "fast", large, lanes)
            measure(test, "fast", small, lanes, races=True)
            races = measure(test, "fast", large, lanes, races=True)
            rates = [each.instructions / each.seconds for each in (slow, fast, races)]
            print(
                f"{test:14s} {lanes:5d} {fast.instructions:13,d} {rates[0]:12,.0f} {rates[1]:14,.0f} "
                f"{rates[1] / rates[0]:8.0f} {rates[2]:14,.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
