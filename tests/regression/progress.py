"""Progress on a terminal; silence everywhere else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.status import Status


class Progress(Protocol):
    """Told what happens now; may show it."""

    def stage(self, text: str) -> None: ...


class SilentProgress:
    """For pipes and tests."""

    def stage(self, text: str) -> None:
        pass


class _TerminalProgress:
    def __init__(self, status: Status) -> None:
        self._status = status

    def stage(self, text: str) -> None:
        self._status.update(text)


@contextmanager
def make_progress(console: Console) -> Iterator[Progress]:
    """A spinner with the current stage if `console` is a terminal, else nothing."""
    if not console.is_terminal:
        yield SilentProgress()
        return
    with console.status("starting") as status:
        yield _TerminalProgress(status)
