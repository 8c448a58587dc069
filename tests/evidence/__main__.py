"""`python -m tests.evidence [name …]`: run faults, one table row each; without names the twelve of the catalogue.

`python -m tests.evidence random` runs random faults until twelve have failed, `… table` writes the rows of earlier runs
into docs/debugging_evidence.md, `… draw <seed>` draws other faults from today's design.
"""

from __future__ import annotations

import sys

from tests.evidence.campaign import RESULTS, Row, run_forced, run_patched, run_switched
from tests.evidence.patched import HANGS, NAMED, PatchError
from tests.evidence.random_faults import RANDOM, draw
from tests.evidence.table import GOAL, WANTED, shown, write_tables
from tests.faults.catalogue import find_fault
from tests.regression.errors import RunError
from tests.regression.progress import SilentProgress
from tests.regression.typed_json import write_json

# Faults of the catalogue that stand for five of the twelve, and what their screens must name.
FORCED: dict[str, tuple[str, ...]] = {
    "wrong_alu_lane": (r"pc +0x80000168 <add_k\+0x50>", r"core 0, warp 1", r"lanes +2$", r"probable +RTL result"),
    "wrong_mask_after_join": (r"<split_join", r"core 0, warp 1", r"instruction +join", r"probable +RTL control"),
    "barrier_completes_early": (r"barrier released early", r"<lmem_reduce", r"probable +RTL control"),
    "swapped_reads": (r"read data", r"probable +memory protocol"),
    "busy_forgets_writes": (r"busy", r"probable +RTL control"),
}


def main(arguments: list[str]) -> int:
    """Exit code 0 if every fault was named, 1 if one was missed, 2 for an unknown name."""
    patched = [fault.name for fault in (*NAMED, *HANGS, *RANDOM)]
    names = arguments or [*FORCED, *(fault.name for fault in NAMED)]
    try:
        if names == ["table"]:
            write_tables()
            return 0
        if names == ["random"]:
            return _run_random()
        if names[0] == "draw" and len(names) == 2 and names[1].isdecimal():
            for drawn in draw(int(names[1]), WANTED):
                print(drawn)
            return 0
        if unknown := [name for name in names if name not in FORCED and name not in patched]:
            print(f"error: no fault {unknown[0]}; known: {', '.join([*FORCED, *patched])}", file=sys.stderr)
            return 2
        rows = [_kept(name) for name in names]
    except (PatchError, RunError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 1 if any(row.missing for row in rows) else 0


def _run_random() -> int:
    failed: list[Row] = []
    for fault in RANDOM:
        try:
            row = _kept(fault.name)
        except PatchError as error:
            print(error)
            continue
        failed += [row] if row.noticed else []
        if len(failed) == WANTED:
            break
    right = sum(not row.missing for row in failed)
    print(f"{right} of {len(failed)} random faults that failed were named right; goal: {GOAL} of {WANTED}")
    return 0 if right >= GOAL else 1


def _kept(name: str) -> Row:
    """Run a fault, keep its row for the table and print it."""
    row = _run(name)
    write_json(RESULTS / f"{name}.json", row)
    print(f"{name}: {shown(row)}", flush=True)
    return row


def _run(name: str) -> Row:
    if name in FORCED:
        return run_forced(find_fault(name), FORCED[name])
    named = {fault.name: fault for fault in (*NAMED, *HANGS)}
    if name in named:
        return run_patched(named[name], SilentProgress())
    fault = next(fault for fault in RANDOM if fault.name == name)
    return run_switched(fault, RANDOM, SilentProgress())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
