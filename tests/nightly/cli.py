"""Command line of the nightly regression; every error is a sentence, every failure a non-zero exit code."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from tests.nightly.bisect import Step, bisect
from tests.nightly.compare import RunDiff, compare_runs
from tests.nightly.errors import NightlyError
from tests.nightly.folders import RESULTS
from tests.nightly.plan import read_plan
from tests.nightly.record import Record
from tests.nightly.run import ROOT, Options, run_nightly
from tests.nightly.suite import SUITES_FOLDER, Tier, load_suites
from tests.nightly.summary import finished

EXIT_FAIL, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, help=__doc__)
_console = Console(highlight=False)


@app.command()
def run(
    tier: Annotated[Tier, typer.Option(help="smoke, nightly or weekly")] = Tier.NIGHTLY,
    keyword: Annotated[str, typer.Option("-k", help="cases whose id matches, as pytest's -k")] = "",
    tag: Annotated[str, typer.Option(help="expression of tags, such as 'kernels and not long'")] = "",
    changed: Annotated[str, typer.Option(help="only what changes since this commit can reach")] = "",
    seed: Annotated[int | None, typer.Option(min=0, help="night seed; default: a fresh one, printed")] = None,
    resume: Annotated[str, typer.Option(help="id of a run to finish")] = "",
    scheduler: Annotated[str, typer.Option(help="Dask scheduler, such as tcp://host:8786")] = "",
    workers: Annotated[int, typer.Option(min=1, help="processes on this machine")] = 2,
    history: Annotated[str, typer.Option(help="database URL; default: SQLite in the results folder")] = "",
    results: Annotated[Path, typer.Option(help="folder of all runs")] = RESULTS,
    suites: Annotated[Path, typer.Option(help="folder of the catalogue")] = SUITES_FOLDER,
    quiet: Annotated[bool, typer.Option(help="no progress, only the summary; for logs")] = False,
) -> None:
    """Run the cases of a tier."""
    options = Options(tier, keyword, tag, changed, seed, resume, scheduler, workers, history, results, suites)
    console = Console(highlight=False, force_terminal=False) if quiet else _console
    raise typer.Exit(run_nightly(options, console))


@app.command("list")
def list_suites() -> None:
    """The catalogue: each suite with its tier, tags and description."""
    for suite in load_suites():
        tags = ", ".join(suite.tags) or "no tags"
        _console.print(f"{suite.name:20s}{suite.tier.value:9s}{tags:24s}{suite.description}", markup=False)


@app.command()
def diff(before: str, now: str, results: Path = RESULTS) -> None:
    """New failures, fixed ones and drift between two runs; exit code 1 if there are new failures."""
    found = compare_runs(_records(results, before), _records(results, now))
    for line in _diff_lines(found):
        _console.print(line, markup=False, soft_wrap=True)
    raise typer.Exit(EXIT_FAIL if found.broken else 0)


@app.command("bisect", context_settings={"allow_extra_args": True})
def bisect_test(
    context: typer.Context,
    good: Annotated[str, typer.Option(help="a commit that passes")],
    bad: Annotated[str, typer.Option(help="a later one that fails")],
) -> None:
    """The first commit between GOOD and BAD at which the main command with the given knobs fails."""
    knobs: dict[str, str] = {}
    for argument in context.args:
        name, equals, value = argument.partition("=")
        if not equals:
            raise NightlyError(f"argument {argument!r}: write knobs as NAME=VALUE")
        knobs[name] = value

    def say(step: Step) -> None:
        _console.print(f"{'good' if step.passed else 'bad ':4s} {step.commit[:12]} {step.subject}", markup=False)

    found = bisect(ROOT, good, bad, {"SIM": "verilator", **knobs}, say)
    _console.print(f"first bad commit: {found}", markup=False)


def _records(results: Path, run_id: str) -> list[Record]:
    folder = results / run_id
    return finished(folder, read_plan(folder))


def _diff_lines(found: RunDiff) -> list[str]:
    lines = [f"new failures {len(found.broken)}, fixed {len(found.fixed)}, still failing {len(found.still)}"]
    for record in found.broken:
        lines += [f"  NEW    {record.case.id}: {record.bucket}", f"         {record.repro}"]
    lines += [f"  fixed  {record.case.name}" for record in found.fixed]
    lines += [f"  still  {record.case.id}: {record.bucket}" for record in found.still]
    for item in found.moved:
        lines.append(
            f"  drift  {item.name} seed {item.seed}: {item.before:,} -> {item.now:,} cycles ({item.change:+.1%})"
        )
    if found.only_before or found.only_now:
        lines.append(f"  not in both: {len(found.only_before)} only before, {len(found.only_now)} only now")
    return lines


def main(arguments: list[str]) -> int:
    """Run one command and return its exit code."""
    try:
        result: Any = app(arguments, standalone_mode=False)
    except NightlyError as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USAGE
    except typer.Exit as error:
        return error.exit_code
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except Exception as error:
        if hasattr(error, "format_message"):  # wrong usage, as click says it
            print(f"error: {error.format_message()}", file=sys.stderr)
            return EXIT_USAGE
        raise
    return result if isinstance(result, int) else 0
