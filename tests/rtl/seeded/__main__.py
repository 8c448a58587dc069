"""`python -m tests.rtl.seeded [block …]`: one fault in each block of the design; its block test must fail.

Every fault runs in a process of its own on a patched copy of the sources. A build that fails is no finding. With
`--report FILE` the table is written there.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.rtl.runner import REPO
from tests.rtl.seeded.table import ELSEWHERE, FAULTS, Fault

COPIES = REPO / "build" / "rtl-seeded"
TIMEOUT_S = 1800


@dataclass(frozen=True)
class Outcome:
    """What the block test said of one fault."""

    fault: Fault
    found: bool
    message: str


def main() -> int:
    """Exit code 0 when every fault is found, 1 when one is not, 2 for wrong arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.rtl.seeded", description=__doc__)
    parser.add_argument("blocks", nargs="*", help="these blocks alone")
    parser.add_argument("--report", type=Path, help="write the table to this file")
    arguments = parser.parse_args()
    unknown = set(arguments.blocks) - {fault.block for fault in FAULTS}
    if unknown:
        parser.error(f"there is no fault for {', '.join(sorted(unknown))}")
    outcomes = []
    for fault in FAULTS:
        if arguments.blocks and fault.block not in arguments.blocks:
            continue
        outcomes.append(run(fault))
        verdict = "found" if outcomes[-1].found else "MISSED"
        print(f"{verdict:6s} {fault.block:20s} {fault.says}: {outcomes[-1].message}", flush=True)
    found = sum(outcome.found for outcome in outcomes)
    print(f"{found} of {len(outcomes)} faults found")
    if arguments.report:
        arguments.report.write_text(report(outcomes), encoding="utf-8")
    return 0 if found == len(outcomes) else 1


def run(fault: Fault) -> Outcome:
    """Run the block test on the faulty copy; the first message of the test is what found it."""
    sources = fault.seed(COPIES / fault.block)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:xdist", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, str(REPO / "tests" / "rtl" / f"test_{fault.test}.py")],
            cwd=REPO,
            env={**os.environ, "VX_RTL_TEST_SOURCES": str(sources)},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(fault, False, f"the test did not end within {TIMEOUT_S} s")
    if "could not be built" in done.stdout or done.returncode not in (0, 1):
        return Outcome(fault, False, "the faulty copy was not built, which says nothing about the test")
    return Outcome(fault, done.returncode == 1, _message(done.stdout) if done.returncode else "the test passed")


def _message(output: str) -> str:
    """The line of the simulator's log that says what is wrong."""
    test = r"^E .*AssertionError: (?!vx_|\w+ \(seed)(.+)"  # of the simulator's log, not of the runner around it
    for pattern in (r"Assertion failed in \S+ (.*)", test, r"^E .*AssertionError: \S+ \(seed \d+\): failed: (.*?);"):
        match = re.search(pattern, output, re.MULTILINE)
        if match and match.group(1).strip():
            return match.group(1).strip()[:100]
    return "the test failed"


def report(outcomes: list[Outcome]) -> str:
    """The page."""
    lines = [
        "# Block tests against seeded faults",
        "",
        "Written by `make test-rtl-seeded` (`python -m tests.rtl.seeded`); do not edit. Each block of `hw/rtl` with a",
        "test of its own gets one small fault; the test must fail, by its own check or by an assertion of the block.",
        "",
        f"{sum(outcome.found for outcome in outcomes)} of {len(outcomes)} found.",
        "",
        "| block | test | fault | found | by |",
        "|---|---|---|---|---|",
    ]
    for outcome in outcomes:
        message = outcome.message.replace("|", "\\|")
        verdict = "yes" if outcome.found else "**no**"
        fault = outcome.fault
        lines.append(f"| `{fault.block}` | `test_{fault.test}` | {fault.says} | {verdict} | {message} |")
    lines += ["", "Blocks without a test of their own:", ""]
    lines += [f"- `{block}`: {why}" for block, why in ELSEWHERE.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
