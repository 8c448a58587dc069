"""Kernel faults that the golden model found: reported before any difference that follows from them."""

from __future__ import annotations

from collections.abc import Collection

from golden_model.findings import Finding, FindingKind, FindingLog
from golden_model.follow.compare import Mismatch, lanes_of
from golden_model.follow.difference import Category
from golden_model.follow.track import Found, Track
from golden_model.step import Step


class FindingReporter:
    """Turns findings into failures, except those that are allowed and those that only repeat a fault of the warp."""

    def __init__(self, log: FindingLog, allowed: Collection[FindingKind]) -> None:
        self._log = log
        self._allowed = frozenset(allowed)
        self._known = 0

    def begin_launch(self) -> None:
        self._known = len(self._log)

    def counts(self, finding: Finding) -> bool:
        """Whether this finding is a failure."""
        return not finding.kind.is_fault and finding.kind not in self._allowed

    def report(self, track: Track, step: Step, cycle: int) -> None:
        """Raise the first finding of a step that is a failure."""
        self._known = len(self._log)
        for finding in step.findings:
            if self.counts(finding):
                raise _found(finding, track, step, cycle)

    def after_start(self, track: Track, cycle: int) -> None:
        """Raise a finding that came up when the golden model started a warp.

        A warp that was stopped by a fault is not in its dispatch window when it is reused; the fault explains that.
        """
        if track.ended_by_fault:
            self._known = len(self._log)
        self.report_new(track, cycle)

    def report_new(self, track: Track | None, cycle: int) -> None:
        """Raise a finding that is new in the machine's log and belongs to no step."""
        if len(self._log) == self._known:
            return
        fresh = list(self._log)[self._known :]
        self._known = len(self._log)
        for finding in fresh:
            if self.counts(finding):
                raise _found(finding, track, None, cycle)


def _found(finding: Finding, track: Track | None, step: Step | None, cycle: int) -> Found:
    return Found(
        Mismatch(f"finding {finding.kind.value}", Category.KERNEL, finding.detail, lanes=lanes_of(finding.lanes)),
        cycle=cycle,
        track=track,
        step=step,
        pc=finding.pc,
        notes=("the kernel (or its image) is at fault, not the design: both models execute it the same way",),
    )
