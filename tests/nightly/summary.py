"""What a run came to, in one typed value: the terminal, the page and the exit code are made from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.nightly.folders import case_folder
from tests.nightly.history import History
from tests.nightly.plan import Plan
from tests.nightly.record import Record, Verdict, read_record
from tests.nightly.trend import Drift, Flaky, drifts, flaky

_DRIFT_RUNS = 20


@dataclass(frozen=True)
class Bucket:
    """Failures of one cause, as far as the first difference tells."""

    first: str
    records: tuple[Record, ...]


@dataclass(frozen=True)
class Summary:
    """One run.

    Attributes:
        records: finished cases.
        left: selected cases without a record (the run was interrupted).
        buckets: failures by first difference, largest first.
    """

    plan: Plan
    records: tuple[Record, ...]
    left: int
    buckets: tuple[Bucket, ...]
    flaky: tuple[Flaky, ...]
    drifts: tuple[Drift, ...]

    @property
    def counts(self) -> dict[str, int]:
        counted = Counter(record.verdict for record in self.records)
        return {verdict.value: counted[verdict] for verdict in Verdict if counted[verdict]}

    @property
    def good(self) -> bool:
        """Something ran, all of it, and nothing is wrong."""
        ran = any(record.verdict is not Verdict.SKIPPED for record in self.records)
        return ran and not self.left and all(record.verdict.good for record in self.records)

    @property
    def skipped(self) -> dict[str, int]:
        """How many cases did not run, by reason: combinations first, then what host programs refused."""
        refused = Counter(record.message for record in self.records if record.verdict is Verdict.SKIPPED)
        return {**self.plan.skipped, **refused}


def finished(folder: Path, plan: Plan) -> list[Record]:
    """Records of the cases that have one."""
    return [record for case in plan.cases if (record := read_record(case_folder(folder, case))) is not None]


def summarise(plan: Plan, records: Sequence[Record], selected: int, history: History | None) -> Summary:
    """Sum a run up; `history` has it already, and None means that there is none."""
    wrong = [record for record in records if not record.verdict.good]
    by_bucket: dict[str, list[Record]] = {}
    for record in wrong:
        by_bucket.setdefault(record.bucket or record.verdict.value, []).append(record)
    buckets = [Bucket(first, tuple(members)) for first, members in by_bucket.items()]
    unsteady = [
        Flaky(record.case.name, record.case.seed, (record.verdict.value, "another one alone"))
        for record in records
        if record.flaky
    ]
    moved: list[Drift] = []
    if history is not None:
        earlier = history.samples(_DRIFT_RUNS, before=plan.id)
        now = [sample for sample in history.samples(_DRIFT_RUNS) if sample.run == plan.id]
        moved = drifts(earlier, now)
        unsteady += flaky([*earlier, *now])
    return Summary(
        plan=plan,
        records=tuple(records),
        left=selected - len(records),
        buckets=tuple(sorted(buckets, key=lambda bucket: (-len(bucket.records), bucket.first))),
        flaky=tuple(unsteady),
        drifts=tuple(moved),
    )
