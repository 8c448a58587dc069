"""Which cases a change can reach: those of its kernels, or all of them as soon as anything else that runs changed."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from tests.nightly.case import Case
from tests.nightly.errors import NightlyError

# Nothing below these takes part in a run.
_NEUTRAL = (
    "docs/",
    "tests/unit/",
    "tests/static/",
    "tests/rtl/",
    "tests/faults/",
    "tests/mutation/",
    "README.md",
    "CHANGELOG.md",
)
_KERNELS = PurePosixPath("tests/kernels")


def only_changed(cases: Sequence[Case], since: str, root: Path) -> list[Case]:
    """Cases that the changes since commit `since` can reach, those in the working tree among them.

    Raises:
        NightlyError: there is no such commit.
    """
    return reached(cases, _changed_files(since, root))


def reached(cases: Sequence[Case], changed: Sequence[str]) -> list[Case]:
    """Cases that changes of these files (relative to the repository) can reach."""
    kernels: set[str] = set()
    for name in changed:
        path = PurePosixPath(name)
        if path.is_relative_to(_KERNELS) and len(path.parts) > len(_KERNELS.parts) + 1:
            kernels.add(path.parts[len(_KERNELS.parts)])
        elif not name.startswith(_NEUTRAL):
            return list(cases)
    return [case for case in cases if case.test in kernels]


def _changed_files(since: str, root: Path) -> list[str]:
    files: list[str] = []
    for command in (["diff", "--name-only", since, "--"], ["ls-files", "--others", "--exclude-standard"]):
        done = subprocess.run(["git", "-C", str(root), *command], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise NightlyError(f"--changed {since}: {done.stderr.strip().splitlines()[0]}")
        files += done.stdout.splitlines()
    return files
