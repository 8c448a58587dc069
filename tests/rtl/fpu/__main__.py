"""python -m tests.rtl.fpu: the whole campaign of the floating-point unit against SoftFloat, and its report."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.rtl.fpu import campaign, model, report
from tests.rtl.fpu.faults import FAULTS
from tests.rtl.fpu.operations import ANY, MODES, OPERATIONS

FAULT_VECTORS = 60_000


def main() -> int:
    """Exit status: 0 no difference, 1 differences, 2 wrong arguments."""
    parser = argparse.ArgumentParser(prog="python -m tests.rtl.fpu", description=__doc__)
    parser.add_argument("--vectors", type=int, default=10_000_000, help="of each operation and mode (default 10000000)")
    parser.add_argument("--seed", type=int, default=1, help="everything random follows from it (default 1)")
    parser.add_argument("--op", choices=[operation.name for operation in OPERATIONS], help="this operation alone")
    parser.add_argument("--mode", choices=MODES, help="this rounding mode alone")
    parser.add_argument("--report", type=Path, help="write the report to this file (whole campaigns)")
    arguments = parser.parse_args()
    if arguments.vectors < 1:
        parser.error("--vectors must be at least 1")
    chosen = [
        part
        for part in campaign.parts(arguments.seed)
        if (arguments.op is None or part.name == arguments.op)
        and (arguments.mode is None or part.mode in (ANY, MODES.index(arguments.mode)))
    ]
    if not chosen:
        parser.error(f"{arguments.op} needs 64-bit integer registers, which the campaign does not build")
    sources = report.digest()
    library = model.build(lanes=model.CAMPAIGN_LANES)
    rows: list[report.Row] = []
    bad = 0
    for part in chosen:
        began = time.process_time()
        outcome = campaign.run_part(library, part, arguments.vectors)
        rate = outcome.vectors / (time.process_time() - began)
        rows.append(report.Row.of(part, outcome))
        bad += not outcome.clean
        print(
            f"{part.name:17s} {part.mode_name:3s} seed {part.seed:5d}: {outcome.vectors:,} vectors, "
            f"{outcome.differences} differences, flags {campaign.flag_names(outcome.flags_seen)}, "
            f"{outcome.cycles:,} cycles, {rate / 1e6:.1f} million vectors/s",
            flush=True,
        )
        for problem in campaign.problems(part, outcome):
            print(f"  {problem}", flush=True)
    if arguments.op is None and arguments.mode is None:
        found, missed = _faults(arguments.seed)
        bad += missed
        if arguments.report:
            arguments.report.write_text(report.text(rows, found, missed, arguments.seed, sources), encoding="utf-8")
            print(f"report: {arguments.report}")
    print("no difference" if bad == 0 else f"{bad} parts failed")
    return 1 if bad else 0


def _faults(seed: int) -> tuple[int, int]:
    """(found, missed) of the seeded faults, each in a short run over every part."""
    found = missed = 0
    for fault in FAULTS:
        with tempfile.TemporaryDirectory() as folder:
            library = model.build(fault.seed(Path(folder)))
            finder = None
            for part in campaign.parts(seed):
                if not campaign.run_part(library, part, FAULT_VECTORS).clean:
                    finder = part
                    break
        if finder is None:
            missed += 1
            print(f"fault {fault.name}: MISSED", flush=True)
        else:
            found += 1
            print(f"fault {fault.name}: found by {finder.name} {finder.mode_name}, seed {finder.seed}", flush=True)
    return found, missed


if __name__ == "__main__":
    sys.exit(main())
