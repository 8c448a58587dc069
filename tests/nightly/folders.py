"""Where a run keeps what."""

from __future__ import annotations

from pathlib import Path

from tests.nightly.case import Case
from tests.nightly.plan import Chunk

RESULTS = Path(__file__).parents[2] / "results" / "nightly"


def case_folder(run: Path, case: Case) -> Path:
    """Everything about one case: record, result, images, log of the process that failed."""
    return run / "cases" / case.id


def chunk_folder(run: Path, chunk: Chunk) -> Path:
    """Files of the simulator processes of a chunk."""
    return run / "chunks" / chunk.name
