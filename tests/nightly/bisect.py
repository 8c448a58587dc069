"""The first commit at which one test fails: each commit in a work tree of its own, with the builds of this one."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.nightly.errors import NightlyError

_BUILD = "build"
_SHARED = ("models", "kernels")
_FAILED, _FAILED_IN_MAKE = 1, 2  # make ends with 2 whatever its command ended with


@dataclass(frozen=True)
class Step:
    """One commit that was tried."""

    commit: str
    subject: str
    passed: bool


def first_bad(commits: Sequence[str], passes: Callable[[str], bool]) -> str:
    """The first commit of `commits` (oldest first) that does not pass; the last one is known not to.

    Asks about log2(len(commits)) of them.
    """
    low, high = 0, len(commits) - 1
    while low < high:
        middle = (low + high) // 2
        if passes(commits[middle]):
            low = middle + 1
        else:
            high = middle
    return commits[high]


def bisect(
    root: Path, good: str, bad: str, knobs: Mapping[str, str], say: Callable[[Step], None], make: str = "make"
) -> str:
    """The first commit after `good`, up to `bad`, whose main command fails with these knobs.

    Raises:
        NightlyError: a commit does not exist, `good` is not an ancestor, `good` fails or `bad` passes.
    """
    commits = _git(root, "rev-list", "--reverse", "--first-parent", f"{good}..{bad}").split()
    if not commits:
        raise NightlyError(f"there is no commit after {good} up to {bad}: GOOD must be an ancestor of BAD")
    command = [make, *(f"{name}={value}" for name, value in knobs.items()), "DEBUG=off"]  # nobody looks at waves here

    def passes(commit: str) -> bool:
        passed = _try(root, commit, command)
        say(Step(commit, _git(root, "show", "-s", "--format=%s", commit), passed))
        return passed

    start = _git(root, "rev-parse", f"{good}^{{commit}}")
    if not passes(start):
        raise NightlyError(f"GOOD={good} fails already: {' '.join(command)}")
    if passes(commits[-1]):
        raise NightlyError(f"BAD={bad} passes: {' '.join(command)}")
    return first_bad(commits, passes)


def _try(root: Path, commit: str, command: Sequence[str]) -> bool:
    """Whether the command ends with 0 in a checkout of the commit; builds are shared, they are named by content."""
    tree = root / _BUILD / "bisect" / commit[:12]
    _git(root, "worktree", "add", "--force", "--detach", str(tree), commit)
    try:
        (tree / _BUILD).mkdir(exist_ok=True)
        for name in _SHARED:
            (root / _BUILD / name).mkdir(parents=True, exist_ok=True)
            (tree / _BUILD / name).symlink_to(root / _BUILD / name)
        done = subprocess.run(
            [*command, *_environment(root, tree)], cwd=tree, capture_output=True, text=True, check=False
        )
    finally:
        _git(root, "worktree", "remove", "--force", str(tree))
        shutil.rmtree(tree, ignore_errors=True)
    if done.returncode not in (0, _FAILED, _FAILED_IN_MAKE):
        raise NightlyError(f"commit {commit[:12]}: {' '.join(command)} could not run: {done.stderr.strip()[-300:]}")
    return done.returncode == 0


def _environment(root: Path, tree: Path) -> list[str]:
    """The virtual environment of this checkout serves every commit with the same pinned packages."""
    pins = "requirements.txt"
    same = (
        (root / pins).exists() and (tree / pins).exists() and (root / pins).read_bytes() == (tree / pins).read_bytes()
    )
    return [f"VENV={root / '.venv'}"] if same else []


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise NightlyError(f"git {arguments[0]}: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout.strip()
