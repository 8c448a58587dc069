"""Small suites, plans and records for the tests of the nightly regression."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from tests.nightly.case import Case
from tests.nightly.choose import Entry
from tests.nightly.plan import Chunk, Plan, make_chunks
from tests.nightly.record import Record, Verdict
from tests.nightly.suite import Suite, Tier

TESTS = {name: Entry() for name in ("alpha", "beta", "gamma")}


def suite(**content: object) -> Suite:
    """A valid suite with some fields replaced."""
    return Suite.model_validate({"name": "s", "description": "d", "tests": ["*"], **content})


def case(test: str = "alpha", seed: int = 1, shape: str = "1x1c4w4t", **fields: object) -> Case:
    knobs = {"SIM": "verilator", "TEST": test, "CLUSTERS": "1", "CORES": "1", "WARPS": "4", "THREADS": "4"}
    knobs |= {"ENTRY": "cta_entry", "LAUNCH": "kmu", "MEM": "kind", "COPY": "backdoor", "SEED": str(seed)}
    values = {"suite": "s", "knobs": knobs, "shape": shape, "tags": ("t",), "seconds": 60.0, "cycles": 1000}
    return Case.model_validate({**values, **fields})


def plan(cases: Sequence[Case], run: str = "r1", day: int = 1, commit: str = "c" * 40) -> Plan:
    return Plan(
        id=run,
        tier=Tier.NIGHTLY,
        night_seed=7,
        started=datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(days=day),
        commit=commit,
        versions={"python": "3"},
        chunks=make_chunks(cases, {}),
    )


def chunk(cases: Sequence[Case]) -> Chunk:
    return Chunk(name="c", cases=tuple(cases))


def record(of: Case, verdict: Verdict = Verdict.PASS, **fields: object) -> Record:
    values = {"case": of, "verdict": verdict, "cycles": 500, "instructions": 250, "seconds": 1.5, "simulating": 0.5}
    if not verdict.good:
        values |= {"bucket": "reg: wrong", "message": "wrong 3", "screen": "reg\n  wrong 3", "repro": "make X=1"}
    return Record.model_validate({**values, **fields})
