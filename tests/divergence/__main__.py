"""`python -m tests.divergence FIRST COUNT`: random divergent programs against the host, on all lanes and levels."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from tests.divergence.campaign import LANES, LEVELS, SIZES, Failure, run_programs, shrink

_BATCH = 8


def main() -> int:
    """Exit code 0 if every program agreed, 1 if one did not, 2 for wrong arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.divergence", description=__doc__)
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("count", type=int, help="number of programs")
    parser.add_argument("--level", choices=LEVELS, help="one optimisation level (default: by turns)")
    parser.add_argument("--lanes", type=int, choices=LANES, help="one number of lanes (default: all)")
    parser.add_argument("--size", type=int, help="statements a program (default: 2 to 7, by level)")
    parser.add_argument("--keep", type=Path, help="leave sources and images in this folder")
    options = parser.parse_args()
    if options.count < 1 or (options.size is not None and options.size < 1) or options.first < 0:
        parser.error("FIRST must be 0 or more, COUNT and --size at least 1")
    lanes = LANES if options.lanes is None else (options.lanes,)
    began, failures, refused = time.monotonic(), list[Failure](), 0
    for number, start in enumerate(range(options.first, options.first + options.count, _BATCH)):
        seeds = range(start, min(start + _BATCH, options.first + options.count))
        level = options.level or LEVELS[number % len(LEVELS)]
        found = run_programs(seeds, level, lanes, options.size or SIZES[level], options.keep)
        refused += sum(failure.refused for failure in found)
        found = [failure for failure in found if not failure.refused]
        for failure in found:
            print(failure, flush=True)
        failures += found
        print(f"seeds {seeds.start} to {seeds.stop - 1} -O{level}: {len(found)} failures", flush=True)
    for failure in failures[:1]:
        print(f"smallest: {shrink(failure, print)}")
    runs = options.count * len(lanes) - refused
    print(
        f"{options.count} programs (seeds {options.first} to {options.first + options.count - 1}), {runs} runs on "
        f"{', '.join(map(str, lanes))} lanes, {refused} refused because they do not fit the stack, "
        f"{len(failures)} failures, {time.monotonic() - began:.0f} s"
    )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
