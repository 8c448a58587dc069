"""Holds a run against the minimum that its test declares."""

from __future__ import annotations

from collections.abc import Sequence

from config import HardwareConfig, RunConfig
from sw.runtime import LaunchResult
from sw.runtime.exercise import NAMES, Exercise
from tests.regression.kernel_test import KernelTest

_TEXT = {
    "splits": "divergent SPLITs",
    "pred_exits": "PREDs that changed the mask",
    "barriers": "barrier operations",
    "lmem": "accesses of local memory",
    "atomics": "atomic operations",
}
_DIVERGENT = ("splits", "pred_exits")


def exercised(launches: Sequence[LaunchResult]) -> Exercise | None:
    """Sum over all launches; None if one of them was not watched."""
    total = Exercise()
    for launch in launches:
        if launch.stats.exercised is None:
            return None
        total += launch.stats.exercised
    return total


def fill(hardware: HardwareConfig, launches: Sequence[LaunchResult]) -> float:
    """How often the CTAs of all launches fill every warp slot of the processor."""
    warps = sum(launch.geometry.warps(hardware.num_threads) for launch in launches)
    return warps / (hardware.total_cores * hardware.num_warps)


def shortfalls(test: KernelTest, config: RunConfig, launches: Sequence[LaunchResult]) -> list[str]:
    """What the run did not exercise, one sentence each; what nobody counted is not asked for."""
    if test.minimum is None:
        return []
    hardware, minimum = config.hardware, test.minimum
    large = (config.size or test.sizes.default) >= test.sizes.default
    default = HardwareConfig()
    same_shape = hardware.label() == default.label()
    found = []
    seen = exercised(launches)
    for name in NAMES if seen is not None else ():
        wanted = getattr(minimum.exercise, name)
        if name in _DIVERGENT and hardware.num_threads < default.num_threads:
            continue  # two lanes may well agree everywhere
        if name in minimum.one_core and hardware.total_cores > 1:
            continue
        wanted = wanted if large and same_shape else min(wanted, 1)
        number = getattr(seen, name)
        if number < wanted:
            found.append(f"{test.name} exercised {number} {_TEXT[name]}; its minimum is {wanted}")
    rounds = fill(hardware, launches)
    if large and same_shape and not minimum.fixed and rounds < minimum.rounds:
        found.append(f"{test.name} filled every warp slot {rounds:.1f} times; its minimum is {minimum.rounds}")
    return found
