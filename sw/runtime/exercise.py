"""What the instructions of a launch exercised: the counts by which a kernel shows that it is still worth running."""

from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass(frozen=True)
class Exercise:
    """Counts of warp instructions; zero where nobody saw the instructions.

    Attributes:
        splits: SPLITs whose lanes went both ways.
        pred_exits: PREDs that changed the thread mask: lanes left a loop, or came back at its end.
        barriers: arrivals and waits, of one core or of several.
        lmem: loads and stores of local memory.
        atomics: atomic memory operations, LR and SC.
    """

    splits: int = 0
    pred_exits: int = 0
    barriers: int = 0
    lmem: int = 0
    atomics: int = 0

    def __add__(self, other: Exercise) -> Exercise:
        return Exercise(*(getattr(self, name) + getattr(other, name) for name in NAMES))


NAMES = tuple(field.name for field in fields(Exercise))
