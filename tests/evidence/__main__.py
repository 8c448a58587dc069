"""`python -m tests.evidence [name …]`: run faults, one table row each; without names the twelve of the catalogue."""

from __future__ import annotations

import sys

from tests.evidence.campaign import RESULTS, Row, run_forced, run_patched, run_switched
from tests.evidence.patched import NAMED, PatchError
from tests.evidence.random_faults import RANDOM
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
    patched = [fault.name for fault in (*NAMED, *RANDOM)]
    names = arguments or [*FORCED, *(fault.name for fault in NAMED)]
    if unknown := [name for name in names if name not in FORCED and name not in patched]:
        print(f"error: no fault {unknown[0]}; known: {', '.join([*FORCED, *patched])}", file=sys.stderr)
        return 2
    missed = 0
    for name in names:
        try:
            row = _run(name)
        except (PatchError, RunError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        write_json(RESULTS / f"{name}.json", row)
        print(line(row), flush=True)
        missed += bool(row.missing)
    return 1 if missed else 0


def _run(name: str) -> Row:
    if name in FORCED:
        return run_forced(find_fault(name), FORCED[name])
    named = {fault.name: fault for fault in NAMED}
    if name in named:
        return run_patched(named[name], SilentProgress())
    fault = next(fault for fault in RANDOM if fault.name == name)
    return run_switched(fault, RANDOM, SilentProgress())


def line(row: Row) -> str:
    """A row of docs/debugging_evidence.md."""
    verdict = "yes" if not row.missing else f"**no**: {'; '.join(row.missing)}"
    same = "same" if row.same else "**not shown to be the same**"
    found = row.found.replace("|", "\\|")
    return (
        f"| `{row.name}` | {row.says} | {found} | {row.probable} | {verdict} | {same} | {row.megabytes:.1f} | "
        f"{row.run_seconds:.1f} + {row.seconds:.1f} |"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
