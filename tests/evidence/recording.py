"""`python -m tests.evidence.recording [TEST=sgemm] [N=128] [RUNS=2]`: what RECORD=1 costs a lockstep run.

Runs with and without it take turns, so that a busy machine disturbs both; the shortest of each counts. Wall time is
that of the launches; processor time that of the simulating process, its start included.
"""

from __future__ import annotations

import dataclasses
import resource
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass

from config import RunConfig
from config.errors import ConfigError
from tests.evidence.campaign import RESULTS
from tests.regression.cli import split_knobs
from tests.regression.errors import RunError
from tests.regression.pipeline import Request, make_images, run_test
from tests.regression.progress import SilentProgress

FOLDER = RESULTS / "recording"
GOAL = 1.10


@dataclass(frozen=True)
class Cost:
    """Seconds of one run."""

    instructions: int
    launches: float
    processor: float


def main(arguments: Sequence[str]) -> int:
    """Exit code 0 if the goal is met, 1 if not, 2 if nothing could be measured."""
    try:
        knobs = {"TEST": "sgemm", "N": "128", "LAUNCH": "kmu", **split_knobs(arguments)}
        runs = int(knobs.pop("RUNS", "2"))
        without, with_it = measure(RunConfig.from_knobs(knobs), runs)
    except (RunError, ConfigError, ValueError) as error:
        print(f"recording: {error}", file=sys.stderr)
        return 2
    print(
        f"recording beside lockstep: {knobs['TEST']} N={knobs['N']}, {without.instructions:,} instructions, {runs} runs"
    )
    for name in ("launches", "processor"):
        base, more = getattr(without, name), getattr(with_it, name)
        print(f"  {name:<10} RECORD=0 {base:6.2f} s   RECORD=1 {more:6.2f} s   {100 * (more / base - 1):+5.1f} %")
    met = with_it.processor <= GOAL * without.processor
    print("goal of +10 % processor time is met" if met else "goal missed: RECORD=1 costs more than 10 % processor time")
    return 0 if met else 1


def measure(config: RunConfig, runs: int) -> tuple[Cost, Cost]:
    """The shortest of `runs` runs without and with recording. Raises RunError."""
    images = make_images(Request(config), SilentProgress())
    costs: dict[bool, list[Cost]] = {False: [], True: []}
    for _ in range(runs):
        for record, found in costs.items():
            chosen = dataclasses.replace(config, record=record)
            before = _processor()
            outcome = run_test(Request(chosen, images=images, folder=FOLDER))
            spent = _processor() - before
            if not outcome.result.passed:
                raise RunError(f"the run failed, so its time means nothing: {FOLDER}")
            instructions = sum(kernel.instructions for kernel in outcome.result.kernels)
            found.append(Cost(instructions, outcome.result.wall_seconds, spent))
    shutil.rmtree(FOLDER, ignore_errors=True)
    without, with_it = (
        Cost(found[0].instructions, min(c.launches for c in found), min(c.processor for c in found))
        for found in costs.values()
    )
    return without, with_it


def _processor() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
