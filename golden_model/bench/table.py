"""The table that `python -m golden_model bench` prints. Time is CPU time of this process: other load does not count."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from golden_model.bench import loops
from golden_model.bench.kernels import CASES, measure
from golden_model.machine import Tier

__all__ = ["CASES", "speed_table"]


def speed_table(lanes: Sequence[int], seconds: float, with_loops: bool = False) -> Iterator[str]:
    """One line per kernel and width; about `seconds` a figure. Raises ValueError where there is no fast tier."""
    yield (
        f"{'kernel':16s} {'lanes':>5s} {'instructions':>12s} {'readable':>10s} {'fast':>12s} {'ratio':>6s} "
        f"{'lanes/s':>14s} {'with races':>12s}   (warp instructions a CPU second; thread instructions a second; "
        "warp instructions under the race check)"
    )
    for width in lanes:
        for case in CASES:
            slow = _best(measure(case, width, "readable", case.readable), seconds)
            fast = _best(measure(case, width, "fast", case.fast), seconds)
            races = _best(measure(case, width, "fast", case.fast, races=True), seconds)
            yield _line(case.name, width, slow[1], fast, races[1])
        for name in loops.KERNELS if with_loops else ():
            slow = _best(_loop(name, width, "readable", 300), seconds)
            races = _best(_loop(name, width, "fast", 100_000, races=True), seconds)
            yield _line(name, width, slow[1], _best(_loop(name, width, "fast", 100_000), seconds), races[1])


def _loop(name: str, width: int, tier: Tier, rounds: int, races: bool = False) -> Callable[[], tuple[int, float]]:
    return lambda: loops.measure(name, width, tier, rounds, races)


def _line(name: str, width: int, slow: float, fast: tuple[int, float], races: float) -> str:
    instructions, rate = fast
    left = f"{name:16s} {width:5d} {instructions:12,d} {slow:10,.0f}"
    return f"{left} {rate:12,.0f} {rate / slow:6.0f} {rate * width:14,.0f} {races:12,.0f}"


def _best(once: Callable[[], tuple[int, float]], seconds: float) -> tuple[int, float]:
    """(warp instructions, best rate) of repetitions that together take about as long as asked for."""
    best = total = 0.0
    count = runs = 0
    while total < seconds or runs < 2:  # the first run decodes
        count, spent = once()
        best = max(best, count / spent)
        total += spent
        runs += 1
        if total >= seconds and spent >= seconds:
            break
    return count, best
