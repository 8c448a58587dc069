"""Runs chunks on this machine: a thread a chunk, in the pytest worker that asked for it, waits for the simulator."""

from __future__ import annotations

import threading
from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from tests.nightly.case import Case
from tests.nightly.execute import InterruptedRunError, run_chunk
from tests.nightly.folders import case_folder
from tests.nightly.plan import Chunk
from tests.nightly.record import Record, read_record

_POLL_S = 0.05


class Runner(Protocol):
    """Runs chunks somewhere and hands out records as cases finish."""

    def wait(self, chunk: Chunk, case: Case) -> Record:
        """Start the chunk if need be and wait for one of its cases. Raises what stopped the chunk."""
        ...

    def close(self) -> None:
        """Stop what still runs; finished cases keep their record."""
        ...


class LocalRunner:
    """Chunks one after the other on this machine.

    Args:
        run: folder of the run.
        wanted: ids of the selected cases.
    """

    def __init__(self, run: Path, wanted: Collection[str]) -> None:
        self._run = run
        self._wanted = wanted
        self._stop = threading.Event()
        self._chunks: dict[str, _Thread] = {}

    def wait(self, chunk: Chunk, case: Case) -> Record:
        folder = case_folder(self._run, case)
        record = read_record(folder)
        if record is not None:
            return record
        if chunk.name not in self._chunks:
            self._chunks[chunk.name] = _Thread(self._run, chunk, self._wanted, self._stop)
            self._chunks[chunk.name].start()
        thread = self._chunks[chunk.name]
        while True:
            ended = not thread.is_alive()
            record = read_record(folder)
            if record is not None:
                return record
            if ended:
                raise thread.error or RuntimeError(f"chunk {chunk.name} ended without case {case.id}")
            thread.join(_POLL_S)

    def close(self) -> None:
        self._stop.set()
        for thread in self._chunks.values():
            thread.join()


class _Thread(threading.Thread):
    def __init__(self, run: Path, chunk: Chunk, wanted: Collection[str], stop: threading.Event) -> None:
        super().__init__(daemon=True, name=chunk.name)
        self.error: BaseException | None = None
        self._arguments = (run, chunk, wanted, stop.is_set)

    def run(self) -> None:
        try:
            run_chunk(*self._arguments)
        except InterruptedRunError as error:
            self.error = error
        except Exception as error:  # reported by every case that waits
            self.error = error
