"""What the user sees at the end of a run: the first failure, the table, and how to repeat it."""

from __future__ import annotations

from pathlib import Path

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from golden_model.follow.difference import Category
from tests.regression.failure.report import FailureReport
from tests.regression.failure.write import failure_lines
from tests.regression.result import KernelResult, Outcome, RunResult, shortened

_STYLE = {Outcome.PASS: "bold green", Outcome.FAIL: "bold red", Outcome.NOT_APPLICABLE: "dim"}
_SMALLEST_WIDTH = 100  # below that, figures would be cut off; a narrow terminal folds the lines instead
_WIDTH_OFF_TERMINAL = 150  # a pipe has no width


def make_console(*, stderr: bool = False) -> Console:
    """Console that folds and colours only on a terminal."""
    console = Console(stderr=stderr, highlight=False, soft_wrap=True)
    console.width = max(console.width, _SMALLEST_WIDTH) if console.is_terminal else _WIDTH_OFF_TERMINAL
    return console


def print_result(
    console: Console, result: RunResult, results_folder: str, failure: FailureReport | None = None
) -> None:
    """Print the first failure (if any), the table and the summary lines; a refused run is one sentence.

    `failure` is the report of the first failure, if one was made.
    """
    if _refused(result):
        console.print(f"error: {result.failures[0].message}", markup=False)
        console.print(f"  reproduce   {result.repro}", markup=False)
        return
    if result.failures:
        _print_failures(console, result, failure, Path(results_folder))
    if result.kernels:  # a table of nothing would hide the failure
        console.print(_table(result))
        for check in result.checks:
            verdict = (f"{check.outcome.value:<5}", _STYLE[check.outcome])
            console.print(Text.assemble(verdict, f"{check.name}: {check.detail}"))
        for line in summary_lines(result):
            console.print(line, markup=False)
    folder, here = Path(results_folder), Path.cwd()
    console.print(f"Results: {folder.relative_to(here) if folder.is_relative_to(here) else folder}", markup=False)
    outcome = Outcome.PASS if result.passed else Outcome.FAIL
    console.print(Text.assemble((f"{outcome.value}  ", _STYLE[outcome]), f"{result.test}  {_reason(result)}"))


def _refused(result: RunResult) -> bool:
    """Whether the host program was stopped before it launched anything."""
    return not result.kernels and bool(result.failures) and result.failures[0].category == Category.HOST


def _print_failures(console: Console, result: RunResult, failure: FailureReport | None, folder: Path) -> None:
    console.print(result.failures[0].screen, markup=False)
    for line in failure_lines(failure, folder) if failure is not None else ():
        console.print(line, markup=False)
    console.print(f"\n  reproduce   {result.repro}", markup=False)
    for note in result.notes:
        console.print(f"  note        {note}", markup=False)
    for later in result.failures[1:]:
        console.print(f"  also        {later.check}: {later.message}", markup=False)
    console.print()


def summary_lines(result: RunResult) -> list[str]:
    """PERF line, totals and the command that repeats the run."""
    cycles, seconds = result.cycles, result.simulation_seconds
    ipc = result.instructions / cycles if cycles else 0.0
    adopted = ", ".join(f"{kind} {count}" for kind, count in sorted(result.adopted.items())) or "none"
    speed = f"{cycles / seconds:,.0f} simulated cycles/s" if seconds and cycles else "no simulated cycles"
    return [
        f"PERF: instrs={result.instructions}, cycles={cycles}, IPC={ipc:.3f}",
        f"Adopted: {adopted}",
        f"Speed: {speed} ({seconds:.1f} s in launches, {result.wall_seconds:.1f} s in all)",
        *(f"Note: {note}" for note in result.notes if not result.failures),
        f"Seed: {result.knobs['SEED']}   Repeat: {result.repro}",
    ]


def _reason(result: RunResult) -> str:
    if result.passed:
        against = (
            f"{result.compared:,} warp instructions compared"
            if result.compared
            else f"backend {result.backend}: host's expectation only"
        )
        return f"{len(result.kernels)} launches, {against}"
    if result.failures:
        return f"{result.failures[0].check}: {result.failures[0].message}"
    return "nothing was run" if not result.kernels else "see the table"


def _table(result: RunResult) -> Table:
    table = Table(header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("kernel", no_wrap=True)
    table.add_column("path", no_wrap=True)
    table.add_column("", no_wrap=True)
    for heading in ("CTAs", "instrs", "compared", "adopted", "elements", "AXI", "cycles", "IPC", "cycles/s"):
        table.add_column(heading, justify="right", no_wrap=True)
    for kernel in result.kernels:
        table.add_row(
            shortened(kernel.kernel, 24),
            kernel.path,
            Text(kernel.outcome.value, _STYLE[kernel.outcome]),
            *_figures(kernel),
        )
    return table


def _figures(kernel: KernelResult) -> list[str]:
    speed = kernel.cycles / kernel.wall_seconds if kernel.wall_seconds else 0.0
    return [
        f"{kernel.ctas}" if kernel.ctas else "-",
        f"{kernel.instructions:,}",
        f"{kernel.compared:,}",
        f"{sum(kernel.adopted.values()):,}",
        f"{kernel.elements:,}",
        f"{kernel.axi_transactions:,}",
        f"{kernel.cycles:,}",
        f"{kernel.ipc:.3f}",
        f"{speed:,.0f}",
    ]
