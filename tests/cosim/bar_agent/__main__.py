"""python -m tests.cosim.bar_agent [TRANSPORT [SEED]]: every scenario, the whole sweep, the holes of its coverage."""

from __future__ import annotations

import sys

from hw.tb.bar_alone.environment import TRANSPORTS
from hw.tb.bar_alone.model import build_bar_model
from hw.tb.bar_alone.run import simulate_bar
from hw.tb.build.spec import REPO
from tests.cosim.bar_agent.test_bar_agent import ONLY, SCENARIOS


def main(arguments: list[str]) -> int:
    """Exit status: 0 all passed, 1 one did not, 2 wrong arguments."""
    names = arguments[:1] or list(TRANSPORTS)
    seed = arguments[1] if len(arguments) > 1 else "1"
    if len(arguments) > 2 or names[0] not in TRANSPORTS or not seed.isdecimal():
        print(f"usage: python -m tests.cosim.bar_agent [{'|'.join(TRANSPORTS)} [SEED]]")
        return 2
    status = 0
    for transport in names:
        run_dir = REPO / "results" / "bar_agent" / f"{transport}-seed{seed}"
        modules = ",".join(f"{__package__}.scenario_{name}" for name in (*SCENARIOS, *ONLY[transport]))
        result = simulate_bar(build_bar_model(), modules, run_dir, transport, int(seed))
        for test in result.tests:
            word = "SKIP" if test.skipped else "PASS" if test.passed else "FAIL"
            print(f"{word} {test.seconds:6.1f} s  {test.name}{f': {test.failure}' if test.failure else ''}")
        print(f"{transport}: {result.reason or 'passed'}, seed {seed}, log {result.log}")
        print((run_dir / "coverage.txt").read_text(encoding="utf-8"))
        status |= not result.passed
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
