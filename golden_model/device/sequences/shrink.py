"""Making a failing sequence short: deletion of ever smaller runs of commands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def shrink(items: Sequence[T], fails: Callable[[list[T]], bool], max_trials: int = 1000) -> list[T]:
    """A subsequence that still fails and from which no single item can be removed (within `max_trials` trials).

    `fails` must be deterministic and hold for `items`.
    """
    current = list(items)
    run = max(1, len(current) // 2)
    trials = 0
    while trials < max_trials:
        removed = False
        start = 0
        while start < len(current) and trials < max_trials:
            candidate = current[:start] + current[start + run :]
            trials += 1
            if fails(candidate):
                current = candidate
                removed = True
            else:
                start += run
        if run == 1 and not removed:
            break
        run = max(1, run // 2)
    return current
