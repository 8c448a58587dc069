"""`python -m hw.tb.bench`: simulated cycles a second of the bare loop, cocotb, probes and lockstep, as ratios."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path

from config import RunConfig
from config.knobs import GoldenTier
from hw.tb.bench.measure import BenchError, Figure, Variant, measure_bare, measure_cocotb
from hw.tb.bench.workload import make_workload
from hw.tb.build.model import BuildError, build
from hw.tb.build.spec import REPO, ModelSpec
from hw.tb.build.toolchain import ToolError
from sw.kernel.vxcc import VxccError

# Smallest ratio, and to what; the readable golden model has none.
LIMITS = {
    Variant.COCOTB: (0.95, Variant.BARE),
    Variant.RECORDS: (0.90, Variant.BARE),
    Variant.FAST: (0.90, Variant.RECORDS),
}


def main() -> int:
    """Exit code 0 when every ratio is kept, 1 when one is not, 2 when nothing could be measured."""
    parser = argparse.ArgumentParser(prog="python -m hw.tb.bench", description=__doc__)
    parser.add_argument("--size", type=int, default=32, help="rows of the matrices (default 32)")
    parser.add_argument("--launches", type=int, default=6, help="launches in one measurement (default 6)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each variant; the best counts")
    parser.add_argument("--folder", type=Path, default=REPO / "results" / "bench", help="where files go")
    arguments = parser.parse_args()
    try:
        figures = _measure(arguments.size, arguments.launches, arguments.rounds, arguments.folder)
    except (BenchError, BuildError, ToolError, VxccError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    return _report(figures, arguments.folder)


def _measure(size: int, launches: int, rounds: int, folder: Path) -> dict[Variant, Figure]:
    config = RunConfig()

    def progress(text: str) -> None:
        print(f"bench: {text}", file=sys.stderr, flush=True)

    with_probes = build(ModelSpec(hardware=config.hardware), progress=progress)
    without = build(ModelSpec(hardware=config.hardware, probes=False), progress=progress)
    workload = make_workload(config, size, launches)
    best: dict[Variant, Figure] = {}
    # Rounds go over all variants, so that a slow minute of the machine hits all of them.
    for number in range(rounds):
        progress(f"round {number + 1} of {rounds}")
        for variant in Variant:
            if variant is Variant.LOCKSTEP and number > 0:
                continue  # long, and no ratio is asked of it
            run_dir = folder / variant.name.lower()
            if variant is Variant.BARE:
                figure = measure_bare(without, workload, run_dir)
            else:
                model = without if variant is Variant.COCOTB else with_probes
                count = 1 if variant is Variant.LOCKSTEP else launches
                tier = GoldenTier.READABLE if variant is Variant.LOCKSTEP else GoldenTier.FAST
                figure = measure_cocotb(model, replace(config, tier=tier), variant, size, count, run_dir)
            if variant not in best or figure.rate > best[variant].rate:
                best[variant] = figure
    return best


def _report(figures: dict[Variant, Figure], folder: Path) -> int:
    missed = 0
    print(f"{'variant':38s} {'cycles/s':>10s} {'ratio':>6s}  required")
    for variant, figure in figures.items():
        limit, base = LIMITS.get(variant, (0.0, Variant.BARE))
        ratio = figure.rate / figures[base].rate
        verdict = f">= {limit:.2f} of {base.value[:3]} {'ok' if ratio >= limit else 'MISSED'}" if limit else ""
        missed += ratio < limit
        print(f"{variant.value:38s} {figure.rate:10.0f} {ratio:6.2f}  {verdict}")
    table = {variant.name.lower(): {"cycles_per_second": figure.rate} for variant, figure in figures.items()}
    (folder / "bench.json").write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
