"""What is different between two runs: new failures, fixed ones, drift of cycles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tests.nightly.record import Record

_DRIFT = 0.02  # two values have no noise to compare with; smaller changes are not listed


@dataclass(frozen=True)
class Moved:
    """A case whose cycles changed although its seed did not."""

    name: str
    seed: int
    before: int
    now: int

    @property
    def change(self) -> float:
        return self.now / self.before - 1.0


@dataclass(frozen=True)
class RunDiff:
    """Changes from one run to another, by name of the case; a case that fails with any seed has failed.

    Attributes:
        broken: good before, wrong now (the record of now).
        fixed: wrong before, good now.
        still: wrong in both.
        moved: cycles of equal name and seed.
        only_before, only_now: names that the other run has not.
    """

    broken: tuple[Record, ...]
    fixed: tuple[Record, ...]
    still: tuple[Record, ...]
    moved: tuple[Moved, ...]
    only_before: tuple[str, ...]
    only_now: tuple[str, ...]


def compare_runs(before: Sequence[Record], now: Sequence[Record]) -> RunDiff:
    """Compare two runs case by case."""
    old, new = _worst(before), _worst(now)
    both = sorted(set(old) & set(new))
    cycles = {(record.case.name, record.case.seed): record.cycles for record in before if record.verdict.good}
    moved = [
        Moved(record.case.name, record.case.seed, earlier, record.cycles)
        for record in now
        if record.verdict.good
        and (earlier := cycles.get((record.case.name, record.case.seed), 0))
        and abs(record.cycles / earlier - 1.0) > _DRIFT
    ]
    return RunDiff(
        broken=tuple(new[name] for name in both if old[name].verdict.good and not new[name].verdict.good),
        fixed=tuple(new[name] for name in both if not old[name].verdict.good and new[name].verdict.good),
        still=tuple(new[name] for name in both if not old[name].verdict.good and not new[name].verdict.good),
        moved=tuple(sorted(moved, key=lambda item: -abs(item.change))),
        only_before=tuple(sorted(set(old) - set(new))),
        only_now=tuple(sorted(set(new) - set(old))),
    )


def _worst(records: Sequence[Record]) -> dict[str, Record]:
    result: dict[str, Record] = {}
    for record in records:
        kept = result.get(record.case.name)
        if kept is None or (kept.verdict.good and not record.verdict.good):
            result[record.case.name] = record
    return result
