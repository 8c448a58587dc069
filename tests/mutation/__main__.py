"""`python -m tests.mutation [--minutes M] [--seed S] [--only TEXT] [--again]`: mutants of the golden model.

Mutants are taken in an order in which every prefix is a random sample of all files, in proportion to their mutants.
Results grow in build/mutation and are kept between calls, as long as the mutated file does not change.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import multiprocessing
import os
import random
import sys
import time
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from tests.mutation import lines
from tests.mutation.equivalent import EQUIVALENT
from tests.mutation.mutants import Work, mutants
from tests.mutation.report import write_report
from tests.mutation.session import AT_IMPORT, SURVIVED, UNREACHED, Server, judge_at_import
from tests.mutation.targets import ARGUMENTS, FILES, ROOT, TESTS

STORE = ROOT / "build" / "mutation"


def main() -> int:
    """Run what is asked for, and write the report."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description=__doc__)
    parser.add_argument("--minutes", type=float, default=0, help="stop after that time; 0 = all mutants")
    parser.add_argument("--seed", type=int, default=1, help="order of the mutants")
    parser.add_argument("--only", default="", help="files whose name contains this")
    parser.add_argument("--again", action="store_true", help="survivors once more, after new tests")
    parser.add_argument("--report", type=Path, default=ROOT / "docs" / "verification" / "golden_mutation.md")
    parser.add_argument("--note", default="", help="a sentence for the report")
    options = parser.parse_args()
    os.environ["PATH"], os.environ["CC"] = "", "none"  # no compiler: the readable tier alone
    for name in ("hypothesis", "numpy", "softfloatpy", "elftools.elf.elffile"):  # once, for all processes to come
        importlib.import_module(name)
    STORE.mkdir(parents=True, exist_ok=True)
    work = _in_order(options.seed, options.only)
    print(f"seed {options.seed}, {len(work)} mutants")
    results = _Results(STORE / "results.json")
    ends = time.monotonic() + 60 * options.minutes if options.minutes else float("inf")
    todo = [n for n, (m, _) in enumerate(work) if not results.has(m.path, m.key, options.again)]
    if todo:
        _run(work, todo, results, ends)
    for line in write_report(options.report, work, results.of(work), options.seed, options.note):
        print(line)
    return 0


def _in_order(seed: int, only: str) -> list[Work]:
    placed: list[tuple[float, str, int, Work]] = []
    for name in FILES:
        of_file = mutants(ROOT / name, ROOT)
        random.Random(f"{seed} {name}").shuffle(of_file)
        placed += [((n + 0.5) / len(of_file), name, n, one) for n, one in enumerate(of_file)]
    return [one for _, name, _, one in sorted(placed, key=lambda entry: entry[:3]) if only in name]


class _Results:
    """Outcomes on disk; those of a file that has changed do not count."""

    def __init__(self, store: Path) -> None:
        self._store = store
        self._known: dict[str, dict[str, str]] = json.loads(store.read_text()) if store.exists() else {}
        self._digests = {name: hashlib.sha256((ROOT / name).read_bytes()).hexdigest()[:16] for name in FILES}

    def has(self, path: str, key: str, again: bool) -> bool:
        """Whether the mutant needs no run."""
        entry = self._known.get(key)
        if entry is None or entry["digest"] != self._digests[path]:
            return False
        return not (again and entry["outcome"] in (SURVIVED, UNREACHED))

    def note(self, path: str, key: str, outcome: str, by: str) -> None:
        """Keep one outcome."""
        self._known[key] = {"outcome": outcome, "by": by, "digest": self._digests[path]}
        scratch = self._store.with_suffix(".new")
        scratch.write_text(json.dumps(self._known, indent=0))
        scratch.replace(self._store)

    def of(self, work: list[Work]) -> dict[str, str]:
        """Outcome of each mutant that has been run."""
        return {m.key: self._known[m.key]["outcome"] for m, _ in work if self.has(m.path, m.key, False)}


def _run(work: list[Work], todo: list[int], results: _Results, ends: float) -> None:
    """One process holds the collected tests; this one never imports the golden model, for mutants of its tables."""
    context, store = multiprocessing.get_context("fork"), STORE / "lines.json"
    known, stale = lines.read(store)
    if stale:
        learner = context.Process(target=lines.learn, args=(store,))
        learner.start()
        learner.join()
        known, stale = lines.read(store)
        if stale:
            print("error: a test fails without any mutant", file=sys.stderr)
            return
    ours, theirs = multiprocessing.Pipe()
    server = context.Process(target=_serve, args=(work, theirs, known))
    server.start()
    theirs.close()
    try:
        ours.recv()
        for count, number in enumerate(todo, 1):
            if time.monotonic() > ends:
                break
            mutant, make = work[number]
            began = time.monotonic()
            if mutant.key in EQUIVALENT:
                outcome, by = SURVIVED, "argued"
            else:
                ours.send(number)
                outcome, by = ours.recv()
            if outcome == AT_IMPORT:
                outcome, by = judge_at_import(mutant, make)
            results.note(mutant.path, mutant.key, outcome, by)
            seconds = time.monotonic() - began
            print(f"{count}/{len(todo)} {seconds:5.1f} s {outcome:9s} {mutant.key}  {by}", flush=True)
        ours.send(None)
    finally:
        server.join()


def _serve(work: list[Work], pipe: Connection, known: Mapping[str, Any]) -> None:
    pytest.main([*ARGUMENTS, *TESTS], plugins=[Server(work, pipe, known)])


if __name__ == "__main__":
    sys.exit(main())
