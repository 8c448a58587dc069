"""The command line with everything in its way, and whole runs of cases that are already recorded."""

from __future__ import annotations

import io
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from rich.console import Console

from tests.nightly.bisect import Step, bisect, first_bad
from tests.nightly.cli import EXIT_FAIL, EXIT_USAGE, main
from tests.nightly.errors import NightlyError
from tests.nightly.folders import case_folder
from tests.nightly.plan import read_plan, write_plan
from tests.nightly.record import Verdict, write_record
from tests.nightly.run import ROOT, commit
from tests.nightly.terminal import print_summary
from tests.unit.nightly_cases import case, plan, record

_SUITE = "description = 'd'\ntier = 'smoke'\ntags = ['t']\ntests = ['vecadd_i']\n[choice]\nfixed_seeds = [1, 2]\n"


@pytest.fixture
def suites(tmp_path: Path) -> Path:
    folder = tmp_path / "suites"
    folder.mkdir()
    (folder / "small.toml").write_text(_SUITE)
    return folder


def _finished_run(results: Path, verdicts: dict[str, Verdict], run: str = "r1", left: int = 0) -> None:
    """A run whose cases have records, so that pytest only reads them."""
    cases = [case(test=name) for name in verdicts]
    folder = results / run
    folder.mkdir(parents=True)
    write_plan(folder, plan(cases, run))
    for item in cases[: len(cases) - left]:
        place = case_folder(folder, item)
        place.mkdir(parents=True)
        write_record(place, record(item, verdicts[item.test]))


def _nightly(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own, as pytest cannot run inside pytest."""
    command = [sys.executable, "-m", "tests.nightly", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "--tier", "hourly"], "'hourly' is not one of"),
        (["run", "--seed", "-1"], "'--seed': Input should be greater than or equal to 0"),
        (["run", "--workers", "0"], "'--workers': Input should be greater than or equal to 1"),
        (["run", "--tag", "nonsense"], "there is no tag nonsense; tags of this tier: t"),
        (["run", "--resume", "never"], "there is no run never"),
        (["run", "--changed", "no-such-commit"], "--changed no-such-commit: fatal"),
        (["run", "--history", "nodb://x"], "history nodb://x"),
        (["diff", "never", "ever"], "there is no run never"),
        (["bisect", "--good", "a"], "Missing option '--bad'"),
        (["bisect", "--good", "a", "--bad", "b", "X"], "write knobs as NAME=VALUE"),
        (["nonsense"], "No such command"),
    ],
)
def test_wrong_usage_is_one_sentence(
    arguments: list[str], message: str, tmp_path: Path, suites: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if arguments[0] == "run":
        arguments = [*arguments, "--suites", str(suites)]
    if arguments[0] in ("run", "diff"):
        arguments = [*arguments, "--results", str(tmp_path / "results")]
    assert main(arguments) == EXIT_USAGE
    error = capsys.readouterr().err
    assert error.startswith("error: ")
    assert message in error
    assert error.count("\n") == 1
    assert not list((tmp_path / "results").glob("*/plan.json"))


def test_an_empty_selection_is_an_error(tmp_path: Path, suites: Path) -> None:
    options = ["--suites", str(suites), "--results", str(tmp_path / "r"), "--workers", "1"]
    done = _nightly("run", "-k", "nothing_like_it", *options)
    assert (done.returncode, "the selection is empty" in done.stderr) == (EXIT_USAGE, True)


def test_a_catalogue_without_a_case_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    assert main(["run", "--suites", str(tmp_path / "none"), "--results", str(tmp_path / "r")]) == EXIT_USAGE


def test_a_file_in_the_place_of_the_results_is_an_error(
    tmp_path: Path, suites: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "r").write_text("")
    assert main(["run", "--suites", str(suites), "--results", str(tmp_path / "r")]) == EXIT_USAGE
    assert "results cannot be written to" in capsys.readouterr().err


def test_a_full_disk_is_a_sentence(tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk; it stops root too."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

    code = (
        "import signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "from pathlib import Path; from tests.nightly.plan import write_plan\n"
        "from tests.nightly.errors import NightlyError; from tests.unit.nightly_cases import case, plan\n"
        "try: write_plan(Path(sys.argv[1]), plan([case()]))\n"
        "except NightlyError as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=ROOT,
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.stdout.startswith(f"the plan cannot be written to {tmp_path}: File too large")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_with_a_failure_ends_with_1_and_has_its_reports(tmp_path: Path, workers: str) -> None:
    _finished_run(tmp_path, {"alpha": Verdict.PASS, "beta": Verdict.FAIL, "gamma": Verdict.EXPECTED_FAIL})
    done = _nightly("run", "--resume", "r1", "--results", str(tmp_path), "--workers", workers)
    assert done.returncode == EXIT_FAIL, done.stderr
    assert "1 pass, 1 fail, 1 expected failure" in done.stdout
    assert "1 x reg: wrong" in done.stdout
    assert done.stdout.rstrip().endswith("FAIL")
    assert 'failures="1"' in (tmp_path / "r1" / "junit.xml").read_text()
    assert "reg: wrong" in (tmp_path / "r1" / "report.html").read_text()


def test_a_good_run_ends_with_0(tmp_path: Path) -> None:
    _finished_run(tmp_path, {"alpha": Verdict.PASS})
    done = _nightly("run", "--resume", "r1", "--results", str(tmp_path), "--workers", "1", "--quiet")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "PASS")


def test_results_may_lie_inside_the_checkout(tmp_path: Path) -> None:
    """Where pytest would take the options of `make test` for those of a nightly run."""
    with tempfile.TemporaryDirectory(dir=ROOT / "tests") as folder:
        _finished_run(Path(folder), {"alpha": Verdict.PASS})
        done = _nightly("run", "--resume", "r1", "--results", folder, "--workers", "2", "--quiet")
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "PASS"), done.stderr


def test_a_known_failure_that_passes_is_reported(tmp_path: Path) -> None:
    _finished_run(tmp_path, {"alpha": Verdict.UNEXPECTED_PASS})
    done = _nightly("run", "--resume", "r1", "--results", str(tmp_path), "--workers", "1")
    assert (done.returncode, "1 unexpected pass" in done.stdout) == (EXIT_FAIL, True)


def test_two_runs_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _finished_run(tmp_path, {"alpha": Verdict.PASS, "beta": Verdict.FAIL})
    _finished_run(tmp_path, {"alpha": Verdict.FAIL, "beta": Verdict.PASS}, run="r2")
    assert main(["diff", "r1", "r2", "--results", str(tmp_path)]) == EXIT_FAIL
    assert "new failures 1, fixed 1, still failing 0" in capsys.readouterr().out
    assert main(["diff", "r1", "r1", "--results", str(tmp_path)]) == 0


def test_the_catalogue_is_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert "smoke" in capsys.readouterr().out


def test_the_plan_of_a_run_is_reproduced_by_its_seed(tmp_path: Path, suites: Path) -> None:
    plans = []
    for name in ("a", "b"):
        options = ["--suites", str(suites), "--results", str(tmp_path / name), "--seed", "5"]
        _nightly("run", "-k", "nothing_like_it", "--workers", "1", *options)
        (folder,) = (path for path in (tmp_path / name).iterdir() if path.is_dir())
        plans.append(read_plan(folder))
    assert plans[0].chunks == plans[1].chunks
    assert plans[0].night_seed == 5


def test_the_commit_of_the_sources_is_known() -> None:
    assert len(commit().rstrip("+")) in (40, len("unknown"))


def test_a_summary_is_short_however_much_failed(tmp_path: Path) -> None:
    from tests.nightly.summary import summarise

    cases = [case(test=f"k{index}") for index in range(50)]
    records = [record(item, Verdict.FAIL, bucket=f"b{index}") for index, item in enumerate(cases)]
    text = io.StringIO()
    print_summary(Console(file=text, width=200), summarise(plan(cases), records, 50, None), "page")
    assert "and 45 more buckets" in text.getvalue()
    assert len(text.getvalue().splitlines()) < 20


# ---------------------------------------------------------------------- bisect


def test_bisection_asks_few_commits() -> None:
    commits, asked = [f"c{index}" for index in range(100)], []

    def passes(name: str) -> bool:
        asked.append(name)
        return int(name[1:]) < 37

    assert first_bad(commits, passes) == "c37"
    assert len(asked) <= 7


def _git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
    done = subprocess.run(["git", "-C", str(root), *identity, *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, list[str]]:
    """Six commits whose main command fails from the fourth on if X=1."""
    root = tmp_path / "repo"
    root.mkdir()
    _git(root, "init", "-q")
    commits = []
    for index in range(6):
        deed = "test '$(X)' != 1" if index >= 3 else "true"
        (root / "Makefile").write_text(f"run:\n\t@{deed} # {index}\n")
        _git(root, "add", "-A")
        _git(root, "commit", "-qm", f"change {index}")
        commits.append(_git(root, "rev-parse", "HEAD"))
    return root, commits


def test_the_first_bad_commit_is_found(repository: tuple[Path, list[str]]) -> None:
    root, commits = repository
    steps: list[Step] = []
    assert bisect(root, commits[0], commits[-1], {"X": "1"}, steps.append) == commits[3]
    assert {step.subject: step.passed for step in steps}["change 3"] is False
    assert _git(root, "worktree", "list").count("\n") == 0


@pytest.mark.parametrize(
    ("good", "bad", "knobs", "message"),
    [
        (4, 5, {"X": "1"}, "fails already"),
        (0, 2, {"X": "1"}, "passes"),
        (5, 0, {"X": "1"}, "must be an ancestor"),
    ],
)
def test_wrong_ends_are_refused(
    repository: tuple[Path, list[str]], good: int, bad: int, knobs: dict[str, str], message: str
) -> None:
    root, commits = repository
    with pytest.raises(NightlyError, match=message):
        bisect(root, commits[good], commits[bad], knobs, lambda step: None)
