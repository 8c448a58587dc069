"""Runs chunks on a Dask cluster: the same function as on this machine, on workers that see this checkout.

Workers share the folder of the run (a network file system), so records, logs and builds are where a local run has them.
A worker that dies loses the case it was at; its chunk goes to another one, which skips what has a record.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from distributed import Client, Future
from distributed.comm.core import CommClosedError

from tests.nightly.case import Case
from tests.nightly.errors import NightlyError
from tests.nightly.execute import run_chunk
from tests.nightly.folders import case_folder
from tests.nightly.plan import Chunk
from tests.nightly.record import Record, read_record

_CONNECT_S = 30.0
_POLL_S = 0.2
_RETRIES = 3  # a chunk that kills its worker each time is not sent for ever


def check_scheduler(address: str) -> None:
    """Raises NightlyError: nobody answers at that address."""
    try:
        Client(address, timeout=_CONNECT_S, set_as_default=False).close()
    except (OSError, ValueError, TimeoutError, CommClosedError) as error:
        raise NightlyError(f"SCHEDULER={address}: no Dask scheduler answers there: {error}") from error


class ClusterRunner:
    """All chunks at once to the scheduler at `address`."""

    def __init__(self, run: Path, address: str, chunks: Sequence[Chunk], wanted: Collection[str]) -> None:
        self._run = run.resolve()
        self._client = Client(address, timeout=_CONNECT_S, set_as_default=False)
        selected = frozenset(wanted)
        self._futures: dict[str, Future[Any]] = {
            # A simulator fills a core and a worker runs a chunk a thread: docs/nightly.md says one thread a worker.
            chunk.name: self._client.submit(
                _run, self._run, chunk, selected, key=f"{self._run.name}/{chunk.name}", retries=_RETRIES, pure=False
            )
            for chunk in chunks
            if any(case.id in selected for case in chunk.cases)
        }

    def wait(self, chunk: Chunk, case: Case) -> Record:
        folder = case_folder(self._run, case)
        future = self._futures[chunk.name]
        while True:
            ended = future.done()
            record = read_record(folder)
            if record is not None:
                return record
            if ended:
                error = future.exception()
                raise RuntimeError(f"chunk {chunk.name} ended without case {case.id}: {error or 'no record was seen'}")
            time.sleep(_POLL_S)

    def close(self) -> None:
        self._client.cancel(list(self._futures.values()), force=True)
        self._client.close()


def _run(run: Path, chunk: Chunk, wanted: Collection[str]) -> int:
    return len(run_chunk(run, chunk, wanted))
