"""What a person at a terminal sees: progress while it runs, and a summary that is read in ten seconds."""

from __future__ import annotations

import pytest
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from tests.nightly.summary import Summary

_SHOWN = 5  # buckets, drifts and flaky cases named on the terminal; the page has all


class ProgressPlugin:
    """pytest plugin of the controlling process: a bar on a terminal, a line every tenth of the run elsewhere."""

    def __init__(self, console: Console, total: int) -> None:
        self._console = console
        self._total = total
        self._done = 0
        self._failed = 0
        self._tenths = 0
        self.selected = 0
        self._bar = Progress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), console=console
        )
        self._task = self._bar.add_task("cases", total=total)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        if self._console.is_terminal:
            self._bar.start()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._select(len(session.items))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: object, ids: list[str]) -> None:
        """With workers the controller itself collects nothing."""
        self._select(len(ids))

    def _select(self, count: int) -> None:
        self.selected = max(self.selected, count)
        self._total = self.selected or self._total
        self._bar.update(self._task, total=self._total)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or (report.when == "setup" and report.failed):
            self._done += 1
            if report.failed:
                self._failed += 1
                name = report.nodeid.partition("[")[2].rstrip("]")
                self._console.print(f"FAIL  {name}: {_reason(report)}", style="red", markup=False, soft_wrap=True)
            failed = f", {self._failed} failed" if self._failed else ""
            self._bar.update(self._task, completed=self._done, description=f"cases{failed}")
            if not self._console.is_terminal and self._done * 10 // max(1, self._total) > self._tenths:
                self._tenths = self._done * 10 // self._total
                self._console.print(f"{self._done} of {self._total} cases{failed}", markup=False, highlight=False)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        self._bar.stop()


def _reason(report: pytest.TestReport) -> str:
    """The first line of a first screen, or the exception that kept the case from running."""
    crash = getattr(report.longrepr, "reprcrash", None)
    text = str(crash.message if crash is not None else report.longrepr).removeprefix("Failed: ").strip()
    return text.splitlines()[0] if text else "no reason is known"


def print_summary(console: Console, summary: Summary, page: str) -> None:
    """Verdict first, then causes with the command that repeats one of each, then what moved."""
    plan = summary.plan
    counts = ", ".join(f"{number} {verdict}" for verdict, number in summary.counts.items()) or "nothing ran"
    cycles = sum(record.cycles for record in summary.records)
    compared = sum(record.compared for record in summary.records)
    lines = [f"nightly {plan.id}  {counts}" + (f", {summary.left} not run" if summary.left else "")]
    lines.append(
        f"  {cycles:,} cycles, {compared:,} warp instructions compared; night seed {plan.night_seed}, "
        f"commit {plan.commit[:13]}"
    )
    lines += [f"  {count:4d} skipped: {reason}" for reason, count in summary.skipped.items()]
    for bucket in summary.buckets[:_SHOWN]:
        lines += [f"  {len(bucket.records):4d} x {bucket.first}", f"         {bucket.records[0].repro}"]
    lines += _more(len(summary.buckets), "buckets")
    lines += [f"  flaky  {item.name} seed {item.seed}: {', '.join(item.verdicts)}" for item in summary.flaky[:_SHOWN]]
    lines += _more(len(summary.flaky), "flaky cases")
    for drift in summary.drifts[:_SHOWN]:
        lines.append(
            f"  drift  {drift.name}: {drift.figure} {drift.before:,.0f} -> {drift.now:,.0f} ({drift.change:+.1%}), "
            f"{drift.since[:9]}..{drift.until[:9]}"
        )
    lines += _more(len(summary.drifts), "drifts")
    lines.append(f"  page   {page}")
    lines.append("PASS" if summary.good else "FAIL")
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _more(count: int, what: str) -> list[str]:
    return [f"  … and {count - _SHOWN} more {what}"] if count > _SHOWN else []
