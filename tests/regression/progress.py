"""Progress on a terminal; silence everywhere else."""

from __future__ import annotations

import struct
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from rich.console import Console
from rich.status import Status

from golden_model.records.layout import Kind
from golden_model.records.ring import TABLE_OFFSET

_INTERVAL_S = 0.5
_ENTRY_SIZE = 64  # docs/architecture.md, section "Records"
_HEAD_OFFSET = 16


class Progress(Protocol):
    """Told what happens now; may show it."""

    live: bool  # whether anybody looks

    def stage(self, text: str) -> None: ...


class SilentProgress:
    """For pipes and tests."""

    live = False

    def stage(self, text: str) -> None:
        pass


class _TerminalProgress:
    live = True

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


@contextmanager
def watch_simulation(run_dir: Path, progress: Progress) -> Iterator[None]:
    """While the block runs, show how many instructions have committed; the record file in `run_dir` tells."""
    if not progress.live:
        yield
        return
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(run_dir / "ring.bin", progress, ended), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _watch(ring: Path, progress: Progress, ended: threading.Event) -> None:
    began = time.monotonic()
    while not ended.wait(_INTERVAL_S):
        seconds = time.monotonic() - began
        progress.stage(f"simulating: {committed(ring):,} commit packets, {seconds:.0f} s")


def committed(ring: Path) -> int:
    """Commit packets written to a ring file so far; 0 while there is no file."""
    try:
        with ring.open("rb") as file:
            file.seek(TABLE_OFFSET + _ENTRY_SIZE * Kind.COMMIT + _HEAD_OFFSET)
            raw = file.read(8)
    except OSError:
        return 0
    return int(struct.unpack("<Q", raw)[0]) if len(raw) == 8 else 0
