"""python -m tests.cosim.bar.faults [NAME …]: how soon random sequences find a seeded fault, and what they say."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from golden_model.device.sequences import generate, shrink, to_text
from golden_model.device.sequences.commands import Command
from tests.cosim.bar.campaign import run_sequence
from tests.cosim.bar.faults.catalogue import FAULTS, SeededFault
from tests.cosim.bar.faults.seeded import build_seeded
from tests.cosim.bar.model import Library

MOST_SEQUENCES = 200


def main(names: list[str]) -> int:
    """The faults named, all by default. Exit status: 0 every one was found, 1 one was not, 2 there is no such fault."""
    known = {fault.name: fault for fault in FAULTS}
    unknown = [name for name in names if name not in known]
    if unknown:
        print(f"there is no fault {unknown[0]}; there are: {', '.join(known)}")
        return 2
    with tempfile.TemporaryDirectory() as folder:
        library = build_seeded(Path(folder) / "rtl")
    found = [_find(library, known[name]) for name in names or known]
    return 0 if all(found) else 1


def _find(library: Library, fault: SeededFault) -> bool:
    def fails(commands: list[Command]) -> bool:
        return run_sequence(library, seed, commands, fault=fault.name) is not None

    for seed in range(MOST_SEQUENCES):
        commands = generate(seed).commands
        if fails(commands):
            short = shrink(commands, fails, max_trials=150)
            print(f"{fault.name}: {fault.meaning}\n  found by seed {seed}, shrunk to {len(short)} commands")
            print(f"  {run_sequence(library, seed, short, fault=fault.name)}\n{to_text(short)}", flush=True)
            return True
    print(f"{fault.name}: {MOST_SEQUENCES} sequences did not find that {fault.meaning}")
    return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
