"""`python -m tests.faults`: list the faults; with a name: run that one, show what is reported first, leave waves."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.faults.campaign import misses, put_in_times, run_with
from tests.faults.catalogue import FAULTS, NoSuchFaultError, find_fault
from tests.regression.report import make_console, print_result
from tests.regression.rerun.mode import DebugMode

_RESULTS = Path(__file__).parents[2] / "results" / "faults"


def main(arguments: list[str]) -> int:
    """Returns 0 if the fault was caught as demanded."""
    if not arguments:
        for fault in FAULTS:
            print(f"{fault.name:28s}{fault.says}")
        return 0
    try:
        fault = find_fault(arguments[0])
    except NoSuchFaultError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    run = run_with(fault, _RESULTS / fault.name, debug=DebugMode.ALWAYS)
    print(f"{fault.name}: {fault.says}; put in {put_in_times(fault, run)} time(s)\n")
    print_result(make_console(), run.result, str(run.folder), run.failure)
    missing = misses(fault, run)
    print("\n".join(missing) or f"caught as demanded; results: {run.folder}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
