"""`python -m tests.library [FUNCTION …]`: largest error over all inputs; two arguments and `double` at random."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from tests.library.host import FUNCTIONS, PAIR_FUNCTIONS, HostLibrary


def main() -> int:
    """Exit code 0 if no result is of the wrong kind, differs (double) or errs by more than 2 ULP; else 1."""
    parser = argparse.ArgumentParser(prog="python -m tests.library", description=__doc__)
    known = [*FUNCTIONS, *PAIR_FUNCTIONS, "double"]
    parser.add_argument("functions", nargs="*", metavar="FUNCTION", help=f"{', '.join(known)} (default: all)")
    parser.add_argument("--step", type=int, default=1, help="every STEP-th bit pattern (default 1: all 2^32)")
    parser.add_argument(
        "--count", type=int, default=10_000_000, help="random operands of functions of two arguments and of double"
    )
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    unknown = set(options.functions) - set(known)
    if unknown or options.step < 1 or options.count < 1 or options.seed < 0:
        parser.error(f"no function {', '.join(sorted(unknown))}" if unknown else "STEP and COUNT must be 1 or more")
    good = True
    with tempfile.TemporaryDirectory() as folder:
        library = HostLibrary(Path(folder))
        for name in options.functions or known:
            good = _try(library, name, options) and good
    return 0 if good else 1


def _try(library: HostLibrary, name: str, options: argparse.Namespace) -> bool:
    if name == "double":
        differences = library.double_differences(options.count, options.seed)
        print(
            differences or f"double  {options.count:,} pairs of operands (seed {options.seed}), no difference",
            flush=True,
        )
        return not differences
    if name in PAIR_FUNCTIONS:
        found = library.pair_accuracy(name, options.count, options.seed)
    else:
        found = library.accuracy(name, options.step)
    kinds = f"{found.wrong} of the wrong kind, first {found.first_wrong}" if found.wrong else "special values right"
    print(f"{name + 'f':<7} {found.inputs:>13,} inputs  {found.ulp:.4f} ULP at {found.worst}, {kinds}", flush=True)
    return found.wrong == 0 and found.ulp <= 2


if __name__ == "__main__":
    sys.exit(main())
