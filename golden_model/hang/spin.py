"""Loops that lead nowhere: the last instructions of a warp repeat with all of their results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from golden_model.hang.warps import Commit

REPEATS = 3  # rounds that must be equal
LONGEST = 64  # instructions of one round


@dataclass(frozen=True)
class Spin:
    """One round: lowest and highest address, how many instructions."""

    first: int
    last: int
    length: int


def spin_of(commits: Sequence[Commit]) -> Spin | None:
    """The loop that the newest commits (in program order) repeat, or None.

    A loop that counts or changes what it stores differs from round to round and is none.
    """
    states = [commit.state for commit in commits]
    for length in range(1, min(LONGEST, len(states) // REPEATS) + 1):
        newest = states[-length:]
        if all(states[-(n + 1) * length : -n * length] == newest for n in range(1, REPEATS)):
            addresses = [commit.pc for commit in commits[-length:]]
            return Spin(min(addresses), max(addresses), length)
    return None
