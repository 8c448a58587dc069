"""`python -m hw.tb.bench.remapper`: what the address remapper costs, in cycles of one integer matrix product.

The same launch through the KMU agent, where the core's ports are those of memory, and through the BARs, where the BAR
device is between them; memory answers every read after 20 cycles.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from config import LaunchPath, RunConfig
from hw.tb.bench.measure import BenchError
from hw.tb.build.model import BuildError, build
from hw.tb.build.spec import REPO, ModelSpec
from hw.tb.build.toolchain import ToolError
from hw.tb.run import simulate
from sw.kernel.vxcc import VxccError

GOAL = 0.02


def main() -> int:
    """Exit code 0 when the goal is kept, 1 when it is not, 2 when nothing could be measured."""
    parser = argparse.ArgumentParser(prog="python -m hw.tb.bench.remapper", description=__doc__)
    parser.add_argument("--size", type=int, default=64, help="rows of the matrices (default 64)")
    parser.add_argument("--folder", type=Path, default=REPO / "results" / "bench", help="where files go")
    arguments = parser.parse_args()
    try:
        cycles = {path: _measure(path, arguments.size, arguments.folder) for path in (LaunchPath.KMU, LaunchPath.BAR)}
    except (BenchError, BuildError, ToolError, VxccError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    kmu, bar = cycles[LaunchPath.KMU], cycles[LaunchPath.BAR]
    cost = bar / kmu - 1
    verdict = "ok" if cost <= GOAL else "MISSED"
    print(
        f"remapper, {arguments.size}x{arguments.size} integer matrix product: {kmu:,} cycles without, {bar:,} with it: "
        f"{cost:+.2%} (goal: at most {GOAL:.0%}, {verdict})"
    )
    return 0 if cost <= GOAL else 1


def _measure(path: LaunchPath, size: int, folder: Path) -> int:
    config = RunConfig()
    model = build(ModelSpec(hardware=config.hardware), progress=lambda text: print(f"bench: {text}", file=sys.stderr))
    run_dir = folder / f"remapper_{path.value}"
    options = {"variant": path.value, "size": str(size), "launches": "1"}
    result = simulate(config, "hw.tb.bench.cocotb_side", run_dir, model=model, options=options)
    if not result.passed:
        raise BenchError(f"launch through {path.value}: {result.reason}")
    return int(json.loads((run_dir / "measured.json").read_text(encoding="utf-8"))["cycles"])


if __name__ == "__main__":
    sys.exit(main())
