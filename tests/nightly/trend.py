"""What changed against earlier nights: flaky cases, and drift of cycles or simulation speed beyond its noise."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tests.nightly.history import Sample

MIN_RUNS = 5  # fewer say nothing about noise
_DEVIATIONS = 4.0  # of the noise, as a standard deviation
_MAD_TO_SIGMA = 1.4826
_LEAST = {"cycles": 0.02, "simulated cycles/s": 0.15}  # smaller changes are nobody's business


@dataclass(frozen=True)
class Flaky:
    """One case that ended differently with one seed on one commit (or, repeated alone, in one run)."""

    name: str
    seed: int
    verdicts: tuple[str, ...]


@dataclass(frozen=True)
class Drift:
    """One figure that left its noise.

    Attributes:
        name: the case, or the shape for simulation speed.
        figure: what was measured.
        before: median of earlier runs. `noise`: their robust standard deviation.
        since, until: the last commit of earlier runs and the commit of this one.
    """

    name: str
    figure: str
    before: float
    noise: float
    now: float
    since: str
    until: str

    @property
    def change(self) -> float:
        """Relative change."""
        return self.now / self.before - 1.0


def flaky(samples: Iterable[Sample]) -> list[Flaky]:
    """Cases of equal name, seed and commit with different verdicts."""
    seen: dict[tuple[str, int, str], set[str]] = {}
    for sample in samples:
        seen.setdefault((sample.name, sample.seed, sample.commit), set()).add(sample.verdict)
    return [
        Flaky(name, seed, tuple(sorted(verdicts)))
        for (name, seed, _), verdicts in sorted(seen.items())
        if len(verdicts) > 1
    ]


def drifts(earlier: Sequence[Sample], now: Sequence[Sample]) -> list[Drift]:
    """Figures of `now` that are beyond the noise of `earlier` (oldest first); only cases that passed count."""
    found = []
    for figure, value_of, key_of in _FIGURES:
        before = _by_key(earlier, key_of, value_of)
        for key, values in _by_key(now, key_of, value_of).items():
            runs = list(before.get(key, {}).values())
            if len(runs) < MIN_RUNS:
                continue
            drift = _judge(key, figure, [run[0] for run in runs], next(iter(values.values())), runs[-1][1])
            if drift is not None:
                found.append(drift)
    return sorted(found, key=lambda drift: -abs(drift.change))


def _by_key(
    samples: Sequence[Sample], key_of: Callable[[Sample], str], value_of: Callable[[Sample], float]
) -> dict[str, dict[str, tuple[float, str]]]:
    """Mean value and commit, by key and run."""
    grouped: dict[str, dict[str, list[Sample]]] = {}
    for sample in samples:
        if sample.verdict == "pass":
            grouped.setdefault(key_of(sample), {}).setdefault(sample.run, []).append(sample)
    return {
        key: {
            run: (statistics.fmean(value_of(sample) for sample in group), group[0].commit)
            for run, group in runs.items()
        }
        for key, runs in grouped.items()
    }


def _judge(key: str, figure: str, before: list[float], now: tuple[float, str], since: str) -> Drift | None:
    middle = statistics.median(before)
    noise = _MAD_TO_SIGMA * statistics.median(abs(value - middle) for value in before)
    if middle <= 0 or abs(now[0] - middle) <= max(_DEVIATIONS * noise, _LEAST[figure] * middle):
        return None
    return Drift(key, figure, middle, noise, now[0], since, now[1])


_Figure = tuple[str, Callable[[Sample], float], Callable[[Sample], str]]
_FIGURES: tuple[_Figure, ...] = (
    ("cycles", lambda sample: float(sample.cycles), lambda sample: sample.name),
    ("simulated cycles/s", lambda sample: sample.speed, lambda sample: sample.name.split("-")[2]),  # by shape
)
