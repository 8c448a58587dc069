"""Greedy shrinking of one run. Knows of no simulator: an attempt is a function from a configuration to a class."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, cast

from config import ConfigError, CopyMode, HardwareConfig, LaunchPath, MemoryPolicyName, RunConfig

DEFAULT_RUNS = 40

# Class of the first difference of a run: empty for a pass, None if the run cannot be started.
Attempt = Callable[[RunConfig], str | None]

_KINDER = (MemoryPolicyName.KIND, MemoryPolicyName.ORDERED, MemoryPolicyName.HOSTILE)
_SHAPE = ("num_clusters", "num_cores", "num_warps", "num_threads")


@dataclass(frozen=True)
class Tried:
    """One run: what it was about, with which seed, how it ended, and whether it became the new smallest."""

    change: str
    config: RunConfig
    ended: str | None
    kept: bool


@dataclass(frozen=True)
class Minimised:
    """The smallest run found; `complete`: every single step from it was tried and loses the failure."""

    config: RunConfig
    tried: tuple[Tried, ...]
    complete: bool

    @property
    def runs(self) -> int:
        return len(self.tried)


def minimise(
    config: RunConfig,
    wanted: str,
    attempt: Attempt,
    *,
    most_runs: int = DEFAULT_RUNS,
    seeds: tuple[int, ...] = (),
    tell: Callable[[Tried], None] = lambda tried: None,
) -> Minimised:
    """Make `config` smaller as long as a run of it ends with the class `wanted`.

    Args:
        config: the failing run; its size must be stated (0 is taken as "cannot be made smaller").
        attempt: runs one configuration; never asked twice about the same one.
        most_runs: bound on attempts.
        seeds: tried after the run's own seed where that passes, in this order; a failure found by one keeps it.
        tell: hears of each attempt.
    """
    tried: list[Tried] = []
    known: dict[tuple[tuple[str, str], ...], bool] = {}

    def fails(change: str, candidate: RunConfig) -> RunConfig | None:
        """The candidate, perhaps with another seed, if it still fails the same way."""
        for seed in dict.fromkeys((candidate.seed, *seeds)):
            seeded = dataclasses.replace(candidate, seed=seed)
            key = tuple(seeded.knobs().items())
            if key in known:
                if known[key]:
                    return seeded
                continue
            if len(tried) >= most_runs:
                return None
            ended = attempt(seeded)
            known[key] = ended == wanted
            tried.append(Tried(change, seeded, ended, known[key]))
            tell(tried[-1])
            if known[key]:
                return seeded
            if ended != "":  # fails otherwise, or can't run: another seed of the same shape tells no more
                return None
        return None

    smaller = True
    while smaller:
        smaller = False
        for change, candidate in _steps(config):
            found = fails(change, candidate)
            if found is not None:
                config, smaller = found, True
                break
    return Minimised(config, tuple(tried), complete=len(tried) < most_runs)


def _steps(config: RunConfig) -> Iterator[tuple[str, RunConfig]]:
    """Smaller neighbours, those that save most first; a change that does not fit the others is left out."""
    for path in (LaunchPath.KMU, LaunchPath.BAR):
        if config.launch is LaunchPath.BOTH and not (path is LaunchPath.KMU and config.copy is CopyMode.BAR):
            yield f"LAUNCH={path.value}", dataclasses.replace(config, launch=path)
    if config.copy is CopyMode.BAR:
        yield "COPY=backdoor", dataclasses.replace(config, copy=CopyMode.BACKDOOR)
    for policy in _KINDER[: _KINDER.index(config.mem)]:
        yield f"MEM={policy.value}", dataclasses.replace(config, mem=policy)
    for size in _lower(config.size):
        yield f"N={size}", dataclasses.replace(config, size=size)
    if config.hardware.simd_width:
        whole = dataclasses.replace(config.hardware, simd_width=0)
        yield f"SIMD_WIDTH={whole.simd_lanes}", dataclasses.replace(config, hardware=whole)
    for name in _SHAPE:
        for value in _lower(getattr(config.hardware, name)):
            hardware = _with(config.hardware, name, value)
            if hardware is not None:
                knob = name.removeprefix("num_").upper()
                yield f"{knob}={value}", dataclasses.replace(config, hardware=hardware)


def _lower(value: int) -> Iterator[int]:
    """1, then ever larger values below `value`: half, three quarters, …, one less."""
    if value > 1:
        yield 1
    below, gap = 1, value // 2
    while gap:
        if below < value - gap:
            below = value - gap
            yield below
        gap //= 2


def _with(hardware: HardwareConfig, name: str, value: int) -> HardwareConfig | None:
    try:
        return dataclasses.replace(hardware, **cast("dict[str, Any]", {name: value}))
    except ConfigError:  # such as a number that is no power of two
        return None
