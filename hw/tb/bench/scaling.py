"""`python -m hw.tb.bench.scaling`: speed of the bare model by number of cores, and as a ratio to a fixed design.

Every model is a processor without probes in the C++ loop of variant (a), with float in RTL and 4 warps of 4 lanes a
core; the work grows with the cores, so that each of them is busy. What a simulated core costs is processor time divided
by cycles and cores. The fixed design (reference.sv) runs in the same rounds.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path

from config import HardwareConfig, RunConfig
from hw.tb.bench.measure import BenchError, Figure, measure_bare
from hw.tb.bench.reference import build_reference, measure_reference
from hw.tb.bench.workload import Workload, make_workload
from hw.tb.build.model import BuildError, Model, build
from hw.tb.build.spec import REPO, ModelSpec
from hw.tb.build.toolchain import ToolError
from sw.kernel.vxcc import VxccError

CYCLES_GOAL = 300_000  # a second, one core
COST_GOAL = 1.3  # of a core in the largest model, to the single core
REFERENCE_CYCLES = 400_000
MAX_BANKS = 4


@dataclass(frozen=True)
class Case:
    """One model with its work."""

    cores: int
    model: Model
    workload: Workload


def main() -> int:
    """Exit code 0 when both goals are met, 1 when one is missed, 2 when nothing could be measured."""
    parser = argparse.ArgumentParser(prog="python -m hw.tb.bench.scaling", description=__doc__)
    parser.add_argument("--cores", default="1,2,4,16", help="numbers of cores, the first to compare with (1,2,4,16)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each model; the best counts")
    parser.add_argument("--folder", type=Path, default=REPO / "results" / "bench", help="where files go")
    arguments = parser.parse_args()
    try:
        counts = [int(text) for text in arguments.cores.split(",")]
        program = build_reference(REPO / "build" / "bench_reference")
        cases = [_case(count) for count in counts]
        figures: dict[int, Figure] = {}
        reference: Figure | None = None
        for number in range(arguments.rounds):
            print(f"bench: round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
            reference = _faster(reference, measure_reference(program, REFERENCE_CYCLES))
            for case in cases:
                run_dir = arguments.folder / f"cores{case.cores}"
                measured = measure_bare(case.model, case.workload, run_dir)
                figures[case.cores] = _faster(figures.get(case.cores), measured)
    except ValueError as error:
        print(f"bench: --cores {arguments.cores}: {error}", file=sys.stderr)
        return 2
    except (BenchError, BuildError, ToolError, VxccError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    if reference is None:
        print("bench: --rounds must be at least 1", file=sys.stderr)
        return 2
    return _report(figures, reference, {case.cores: _build_seconds(case.model) for case in cases})


def _case(cores: int) -> Case:
    """One and two cores multiply 32 x 32 matrices, from four cores on 64 x 64: at least 16 blocks a core."""
    hardware = HardwareConfig(num_cores=cores, axi_num_banks=min(cores, MAX_BANKS))
    model = build(
        ModelSpec(hardware=hardware, probes=False),
        progress=lambda text: print(f"bench: {text}", file=sys.stderr, flush=True),
    )
    return Case(cores, model, make_workload(RunConfig(hardware=hardware), 32 if cores < 4 else 64, 3))


def _build_seconds(model: Model) -> float:
    """Wall-clock seconds that its build took, whenever that was."""
    return float(json.loads((model.folder / "done.json").read_text(encoding="utf-8"))["seconds"])


def _faster(best: Figure | None, measured: Figure) -> Figure:
    return measured if best is None or measured.rate > best.rate else best


def _report(figures: dict[int, Figure], reference: Figure, builds: dict[int, float]) -> int:
    """Print the table; 1 if a goal is missed."""
    first = next(iter(figures))
    single = 1 / figures[first].rate / first
    print(f"fixed design: {reference.rate:,.0f} cycles/s")
    print(
        f"{'cores':>5s} {'cycles':>9s} {'cycles/s':>10s} {'to the fixed design':>20s} {'us a core and cycle':>20s}",
        end="",
    )
    print(f" {'ratio':>6s} {'build, s':>9s}")
    missed = 0
    for cores, figure in figures.items():
        cost = 1 / figure.rate / cores
        good = cost / single <= COST_GOAL and (cores > 1 or figure.rate >= CYCLES_GOAL)
        missed += not good
        speed = f"{figure.cycles:9,} {figure.rate:10,.0f} {figure.rate / reference.rate:20.2f}"
        print(f"{cores:5d} {speed} {cost * 1e6:20.2f} {cost / single:6.2f} {builds[cores]:9.0f}", end="  ")
        print("ok" if good else "MISSED")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
