"""`python -m hw.tb.bar_alone.bench`: BAR accesses a second, on pins and as packets."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from hw.tb.bar_alone.environment import TRANSPORTS
from hw.tb.bar_alone.model import build_bar_model
from hw.tb.bar_alone.run import simulate_bar
from hw.tb.build.model import BuildError
from hw.tb.build.spec import REPO
from hw.tb.build.toolchain import ToolError

_NAMES = {"pins": "register level (cocotb-bus)", "packets": "packet level (cocotbext-pcie)"}


def main() -> int:
    """Exit code 0 when both were measured, 2 when one was not."""
    parser = argparse.ArgumentParser(prog="python -m hw.tb.bar_alone.bench", description=__doc__)
    parser.add_argument("--count", type=int, default=2000, help="accesses of each kind (default 2000)")
    parser.add_argument("--rounds", type=int, default=2, help="measurements, the best counts (default 2)")
    parser.add_argument("--folder", type=Path, default=REPO / "results" / "bench" / "bar", help="where files go")
    arguments = parser.parse_args()
    if arguments.count < 2 or arguments.rounds < 1:
        print("bench: --count must be at least 2 and --rounds at least 1", file=sys.stderr)
        return 2
    try:
        print("bench: the BAR device alone; building its model if need be", file=sys.stderr, flush=True)
        model = build_bar_model()
    except (BuildError, ToolError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 2
    best: dict[str, dict[str, float]] = {}
    for number in range(arguments.rounds):
        for transport in TRANSPORTS:
            print(f"bench: {_NAMES[transport]}, round {number + 1} of {arguments.rounds}", file=sys.stderr, flush=True)
            run_dir = arguments.folder / transport
            options = {"count": str(arguments.count)}
            result = simulate_bar(model, "hw.tb.bar_alone.bench_side", run_dir, transport, options=options)
            if not result.passed:
                print(f"bench: {_NAMES[transport]}: {result.reason}", file=sys.stderr)
                return 2
            figures = json.loads((run_dir / "measured.json").read_text(encoding="utf-8"))
            known = best.setdefault(transport, figures)
            best[transport] = {name: max(value, known[name]) for name, value in figures.items()}
    _print(best)
    (arguments.folder / "bench.json").write_text(json.dumps(best, indent=1) + "\n", encoding="utf-8")
    return 0


def _print(best: dict[str, dict[str, float]]) -> None:
    titles = f"{'reads/s':>8s} {'writes/s':>9s} {'cycles/read':>12s} {'VRAM KiB/s':>11s} {'agent/s':>8s}"
    print(f"{'BAR accesses':30s} {titles}")
    for transport, figures in best.items():
        print(
            f"{_NAMES[transport]:30s} {figures['reads_per_second']:8.0f} {figures['writes_per_second']:9.0f} "
            f"{figures['cycles_per_read']:12.1f} {figures['vram_bytes_per_second'] / 1024:11.0f} "
            f"{figures['agent_per_second']:8.0f}"
        )
    print("a second of processor time; agent/s: reads and writes through register model, monitor and coverage")


if __name__ == "__main__":
    sys.exit(main())
