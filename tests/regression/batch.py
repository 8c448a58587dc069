"""Many tests in as few simulator processes as possible, and the table of what they did."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sw.runtime.exercise import Exercise
from tests.regression.errors import RunError
from tests.regression.failure.write import write_failure
from tests.regression.job import Job
from tests.regression.pipeline import Request, fit_core, make_images, make_job, run_on_golden_model
from tests.regression.progress import Progress
from tests.regression.result import RunResult
from tests.regression.simulation import prepare_model, ring_of, run_jobs


@dataclass(frozen=True)
class Row:
    """One test: its result, or why it was refused on this processor."""

    test: str
    result: RunResult | None = None
    refused: str = ""

    @property
    def failed(self) -> bool:
        return self.result is not None and not self.result.passed

    @property
    def exercised(self) -> Exercise | None:
        """Sum over the launches; None if nobody counted."""
        counts = [kernel.exercised for kernel in self.result.kernels] if self.result is not None else []
        known = [count for count in counts if count is not None]
        return sum(known, Exercise()) if known and len(known) == len(counts) else None


def run_batch(requests: Sequence[Request], progress: Progress, tell: Callable[[Row], None]) -> list[Row]:
    """Run all requests; `tell` hears of each row when it is known. Requests differ in test, size and shape alone."""
    rows: dict[str, Row] = {}
    groups: dict[str, list[tuple[Request, Job]]] = {}
    for request in requests:
        name = request.config.test
        try:
            fitted, _ = fit_core(request, progress)
            job = make_job(fitted, make_images(fitted, progress))
        except RunError as error:
            rows[name] = Row(name, refused=str(error))
            tell(rows[name])
            continue
        groups.setdefault(fitted.config.hardware.key(), []).append((fitted, job))
    for group in groups.values():
        for job, result in zip((job for _, job in group), _run_group(group, progress), strict=True):
            name = job.config.test
            rows[name] = Row(name, _refusal_as_row(result), result.failures[0].message if _refused(result) else "")
            tell(rows[name])
    return [rows[request.config.test] for request in requests]


def _run_group(group: Sequence[tuple[Request, Job]], progress: Progress) -> list[RunResult]:
    """Results of requests that share a model, in their order; a process that ends too early is followed by another."""
    first = group[0][0]
    jobs = [job for _, job in group]
    if first.backend == "golden":
        return [run_on_golden_model(job, progress) for job in jobs]
    model = prepare_model(first.config, progress, first.spec)
    results: list[RunResult] = []
    while len(results) < len(jobs):
        progress.stage(f"running {jobs[len(results)].config.test} and {len(jobs) - len(results) - 1} more")
        left = jobs[len(results) :]
        ended = run_jobs(left, model, progress)
        for job, result in zip(left, ended, strict=False):
            write_failure(job, result, ring_of(left))
        results += ended
    return results


def _refused(result: RunResult) -> bool:
    """Whether the host program found that it can't run on this processor."""
    return not result.kernels and bool(result.failures) and result.failures[0].check == "launch-refused"


def _refusal_as_row(result: RunResult) -> RunResult | None:
    return None if _refused(result) else result


def row_line(row: Row) -> str:
    """One line for a terminal."""
    if row.result is None:
        return f"refused  {row.test}: {row.refused}"
    if row.failed:
        reason = row.result.failures[0] if row.result.failures else None
        return f"FAIL     {row.test}: {reason.check + ': ' + reason.message if reason else 'nothing was run'}"
    compared = f"{row.result.compared:,} warp instructions compared" if row.result.compared else "golden model alone"
    return f"PASS     {row.test}: {len(row.result.kernels)} launches, {compared}"


def summary(rows: Sequence[Row]) -> str:
    """Counts, and the reasons of refusals with how often each was given."""
    failed, refused = sum(row.failed for row in rows), [row for row in rows if row.result is None]
    reasons: dict[str, int] = {}
    for row in refused:
        reason = row.refused.removeprefix(f"TEST={row.test} ")
        reasons[reason] = reasons.get(reason, 0) + 1
    lines = [f"{len(rows) - failed - len(refused)} passed, {failed} failed, {len(refused)} refused"]
    return "\n".join([*lines, *(f"  {count} x {reason}" for reason, count in reasons.items())])


def markdown(rows: Sequence[Row], request: Request) -> str:
    """The table as a document; a failed test has no figures."""
    config = request.config
    lines = [
        "# Kernels",
        "",
        f"Made by `make kernels TABLE=docs/kernels.md`; backend {request.backend}, shape {config.hardware.label()}, "
        f"entry {config.entry.value}, memory {config.mem.value}, seed {config.seed}. Figures of all launches of a test "
        "together; cycles and IPC are of the in-tree core, wall time is that of the launches in lockstep on the "
        "machine that made the table.",
        "",
        "| kernel | launches | CTAs | warp instructions | divergent splits | loop exits (PRED) | barriers | local "
        "memory | atomics | cycles | IPC | wall s |",
        "|---|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    lines += [_table_line(row, config.hardware.label()) for row in rows]
    lines += ["", "<!-- end of the table -->"]
    refused = [row for row in rows if row.result is None]
    if refused:
        lines += ["", "Not run, and why:", "", *(f"- {row.refused}" for row in refused)]
    return "\n".join(lines) + "\n"


def _table_line(row: Row, usual: str) -> str:
    """A test on another shape than the usual one says so."""
    result = row.result
    if result is None or row.failed:
        return f"| `{row.test}` | {'**failed**' if result is not None else 'refused'}" + " |" * 11
    shape = "{CLUSTERS}x{CORES}c{WARPS}w{THREADS}t".format(**result.knobs)
    shape += f"-simd{result.knobs['SIMD_WIDTH']}" if "SIMD_WIDTH" in result.knobs else ""
    seen = row.exercised
    counts = [f"{value:,}" for value in (vars(seen).values() if seen is not None else ())] or ["–"] * 5
    ipc = f"{result.instructions / result.cycles:.3f}" if result.cycles else "–"
    cells = [
        f"`{row.test}`" + ("" if shape == usual else f" on {shape}"),
        f"{len(result.kernels)}",
        f"{sum(kernel.ctas for kernel in result.kernels):,}",
        f"{result.instructions:,}",
        *counts,
        f"{result.cycles:,}" if result.cycles else "–",
        ipc,
        f"{result.simulation_seconds:.1f}",
    ]
    return "| " + " | ".join(cells) + " |"
