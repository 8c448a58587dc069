"""What a simulation of this folder leaves behind besides its verdict."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tests.regression.typed_json import read_json

FILE = "witness.json"


@dataclass(frozen=True)
class Witness:
    """Counts of the simulator itself when records were handed out for the last time.

    Attributes:
        forced: windows of forced signals that have begun.
        injected: faults of the memory responder that have happened.
        commit_checksum: over all commit packets since reset.
    """

    forced: int
    injected: int
    commits: int
    commit_checksum: int
    cycle: int


def read_witness(folder: Path) -> Witness:
    """The witness below a results folder. Raises TypedJsonError if the simulation never handed out records."""
    return read_json(folder / "sim" / FILE, Witness)
