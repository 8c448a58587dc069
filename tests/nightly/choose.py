"""From a suite to its cases of tonight."""

from __future__ import annotations

import itertools
import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from config import CopyMode, EntryGeneration, HardwareConfig, LaunchPath, MemoryPolicyName, RunConfig
from tests.nightly.case import Case
from tests.nightly.errors import NightlyError
from tests.nightly.suite import ExpectedFailure, Rule, Scale, Suite, shape_knobs
from tests.regression.catalogue import find_test, known_tests

Combination = tuple[str, str, EntryGeneration, LaunchPath, MemoryPolicyName, CopyMode]
_CANDIDATES = 40  # combinations looked at for each next one of a covering choice


def _always(hardware: HardwareConfig) -> str:
    return ""


@dataclass(frozen=True)
class Entry:
    """What a suite must know of a test.

    Attributes:
        sizes: value of the knob N by scale; without one the test's default is used.
        unmet: why it cannot run on a processor; empty if it can.
        knobs: its own defaults of knobs.
    """

    sizes: Mapping[Scale, int] = field(default_factory=dict)
    unmet: Callable[[HardwareConfig], str] = _always
    knobs: Mapping[str, str] = field(default_factory=dict)


Tests = Mapping[str, Entry]


def every_test() -> Tests:
    """The tests of tests/kernels."""
    found = {name: find_test(name) for name in known_tests()}
    return {
        name: Entry({Scale.SMOKE: test.sizes.smoke, Scale.LARGE: test.sizes.large}, test.unmet, test.knobs)
        for name, test in found.items()
    }


@dataclass(frozen=True)
class Chosen:
    """Cases of a suite, and why others of its product are none: how many by reason."""

    cases: tuple[Case, ...]
    skipped: Mapping[str, int]


def choose(suite: Suite, tests: Tests, night_seed: int) -> Chosen:
    """Cases of `suite`; equal night seeds give equal cases.

    Args:
        suite: one file of the catalogue.
        tests: every test that exists, by name.
        night_seed: where the choice and all seeds come from.

    Raises:
        NightlyError: the suite names a test that does not exist, or leaves nothing to run.
    """
    names = _tests(suite, tests)
    axes = suite.axes
    product = [
        combination
        for combination in itertools.product(names, axes.shape, axes.entry, axes.launch, axes.memory, axes.copy_mode)
        if not (combination[5] is CopyMode.BAR and combination[3] is LaunchPath.KMU)  # nothing would use the BARs
    ]
    processors = {shape: RunConfig.from_knobs(shape_knobs(shape)).hardware for shape in axes.shape}
    able, skipped = list[Combination](), Counter[str]()
    for combination in product:
        reason = tests[combination[0]].unmet(processors[combination[1]])
        if reason:
            skipped[reason] += 1
        else:
            able.append(combination)
    if suite.choice.rule is Rule.PAIRS:
        able = _pairs(able, suite.choice.count, random.Random(f"{night_seed}/{suite.name}"))
    cases = [
        _case(suite, tests[combination[0]], combination, seed)
        for combination in able
        for seed in _seeds(suite, combination, night_seed)
    ]
    return Chosen(tuple(cases), skipped)


def _tests(suite: Suite, tests: Iterable[str]) -> list[str]:
    known = list(tests)
    for pattern in (*suite.tests, *suite.exclude, *suite.size, *(item.test for item in suite.expected_failure)):
        if not any(fnmatchcase(test, pattern) for test in known):
            raise NightlyError(
                f"suite {suite.name}: there is no test {pattern}; `python -m tests.regression list` lists all"
            )
    excluded = [test for test in known if any(fnmatchcase(test, pattern) for pattern in suite.exclude)]
    names = [test for test in known if any(fnmatchcase(test, pattern) for pattern in suite.tests)]
    names = [test for test in names if test not in excluded]
    if not names:
        raise NightlyError(f"suite {suite.name}: every test that it names is excluded")
    return names


def _pairs(product: list[Combination], count: int, rng: random.Random) -> list[Combination]:
    """Combinations in which every pair of values of two axes occurs that occurs in `product`, then random ones."""
    open_pairs = {pair for combination in product for pair in _pairs_of(combination)}
    chosen: dict[Combination, None] = {}
    left = list(product)
    rng.shuffle(left)
    while open_pairs:
        # One that must cover something, and better ones if a random sample has them.
        wanted = min(open_pairs)
        holding = [combination for combination in left if wanted in set(_pairs_of(combination))]
        sample = rng.sample(holding, min(_CANDIDATES, len(holding)))
        best = max(sample, key=lambda item: sum(pair in open_pairs for pair in _pairs_of(item)))
        chosen[best] = None
        open_pairs.difference_update(_pairs_of(best))
    rest = [combination for combination in left if combination not in chosen]
    return [*chosen, *rest[: max(0, count - len(chosen))]]


def _pairs_of(combination: Combination) -> list[tuple[int, int, str, str]]:
    values = [value if isinstance(value, str) else value.value for value in combination]
    return [(first, second, values[first], values[second]) for first, second in itertools.combinations(range(6), 2)]


def _seeds(suite: Suite, combination: Combination, night_seed: int) -> list[int]:
    if suite.choice.fixed_seeds:
        return list(suite.choice.fixed_seeds)
    label = "/".join([suite.name, *(item if isinstance(item, str) else item.value for item in combination)])
    return [zlib.crc32(f"{night_seed}/{index}/{label}".encode()) & 0x7FFF_FFFF for index in range(suite.choice.seeds)]


def _case(suite: Suite, facts: Entry, combination: Combination, seed: int) -> Case:
    test, shape, entry, launch, memory, copy = combination
    size = suite.size.get(test, facts.sizes.get(suite.scale, 0))
    knobs = {
        **facts.knobs,
        "SIM": "verilator",
        "TEST": test,
        **shape_knobs(shape),
        "ENTRY": entry.value,
        "LAUNCH": launch.value,
        "MEM": memory.value,
        "COPY": copy.value,
        "SEED": str(seed),
        **({"N": str(size)} if size else {}),
        **suite.knobs,
    }
    reasons = [item.reason for item in suite.expected_failure if _matches(item, combination)]
    return Case(
        suite=suite.name,
        knobs=knobs,
        shape=shape,
        tags=suite.tags,
        seconds=suite.budget.seconds,
        cycles=suite.budget.cycles,
        expected_failure=reasons[0] if reasons else "",
    )


def _matches(item: ExpectedFailure, combination: Combination) -> bool:
    test, shape, entry, _, memory, _ = combination
    return (
        fnmatchcase(test, item.test)
        and item.shape in ("", shape)
        and item.entry in ("", entry.value)
        and item.memory in ("", memory.value)
    )
