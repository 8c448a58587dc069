"""`python -m tests.mutation [--sample N] [--seed S] [--only TEXT] [--workers W]`: mutants of the golden model.

Results grow in build/mutation and are kept between calls, as long as the mutated file does not change.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path

import pytest

from tests.mutation.mutants import mutants
from tests.mutation.plugin import Plugin
from tests.mutation.report import write_report
from tests.mutation.targets import FILES, ROOT, TESTS

STORE = ROOT / "build" / "mutation"


def main() -> int:
    """Run what is asked for, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="this many mutants a file at random; 0 = all")
    parser.add_argument("--seed", type=int, default=1, help="which ones")
    parser.add_argument("--only", default="", help="files whose name contains this")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--report", type=Path, default=ROOT / "docs" / "verification" / "golden_mutation.md")
    options = parser.parse_args()
    os.environ["PATH"], os.environ["CC"] = "", "none"  # no compiler: the readable tier alone
    print(f"seed {options.seed}, sample {options.sample or 'all'}")
    STORE.mkdir(parents=True, exist_ok=True)
    work = []
    for name in FILES:
        if options.only not in name:
            continue
        all_of_it = mutants(ROOT / name, ROOT)
        chosen = all_of_it
        if options.sample and len(all_of_it) > options.sample:
            chosen = random.Random(f"{options.seed} {name}").sample(all_of_it, options.sample)
        work += chosen
        print(f"{name}: {len(all_of_it)} mutants, {len(chosen)} chosen")
    plugin = Plugin(work, STORE / "results.json", STORE / "calls.json", options.workers)
    arguments = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *TESTS]
    status = pytest.main(arguments, plugins=[plugin])
    if status not in (0, 5):
        print("error: the session ended without having run the mutants", file=sys.stderr)
        return 2
    for line in write_report(options.report, work, plugin.results, options.seed, options.sample):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
