"""Every kernel of tests/kernels at its smallest size on the golden model, in each entry generation; no simulator."""

from __future__ import annotations

import dataclasses
from functools import cache

import pytest

from config import EntryGeneration, HardwareConfig, LaunchPath, RunConfig
from sw.runtime.bar.golden import GoldenBarBackend
from sw.runtime.exercise import Exercise
from sw.runtime.golden_backend import GoldenBackend
from tests.regression.catalogue import find_test, known_tests
from tests.regression.compile import compile_images
from tests.regression.errors import RunError
from tests.regression.execute import execute
from tests.regression.kernel_test import Minimum
from tests.regression.pipeline import Request, run_test
from tests.regression.result import RunResult


def run_golden(name: str, entry: EntryGeneration, *, count: bool, path: LaunchPath = LaunchPath.KMU) -> RunResult:
    """One run at the smoke size."""
    test = find_test(name)
    cores = int(test.knobs.get("CORES", "1"))
    hardware = HardwareConfig(num_cores=cores)
    config = RunConfig(test=name, hardware=hardware, entry=entry, size=test.sizes.smoke)
    return execute(test, GoldenBackend(config, count=count), compile_images(test, config), config, path)


@cache
def newest(name: str) -> RunResult:
    """In the newest generation, with everything counted that a test's minimum asks for."""
    return run_golden(name, EntryGeneration.CTA_ENTRY, count=True)


@pytest.mark.parametrize("name", known_tests())
def test_kernel(name: str) -> None:
    result = newest(name)
    assert result.passed, [failure.screen for failure in result.failures]


def test_every_kernel_states_a_minimum() -> None:
    assert [name for name in known_tests() if find_test(name).minimum is None] == []


# Programs of the legacy library have a generation of their own; an image a kernel takes long where there are many.
IN_ALL_GENERATIONS = [
    name for name in known_tests() if not find_test(name).legacy and len(find_test(name).kernels) <= 4
]


@pytest.mark.parametrize("entry", [EntryGeneration.S11, EntryGeneration.DIRECT], ids=lambda entry: entry.value)
@pytest.mark.parametrize("name", IN_ALL_GENERATIONS)
def test_older_entry(name: str, entry: EntryGeneration) -> None:
    """The same launches, blocks and results; instructions differ by prologue and window alone, which are per warp."""
    result = run_golden(name, entry, count=False)
    assert result.passed, [failure.screen for failure in result.failures]
    assert [(kernel.kernel, kernel.ctas) for kernel in result.kernels] == [
        (kernel.kernel, kernel.ctas) for kernel in newest(name).kernels
    ]


def test_io_window_through_the_bars() -> None:
    """The window is mapped from the start, so a buffer there must not be mapped a second time, nor be unmapped."""
    test = find_test("io_addr")
    config = RunConfig(test="io_addr", size=test.sizes.smoke)
    result = execute(test, GoldenBarBackend(config), compile_images(test, config), config, LaunchPath.BAR)
    assert result.passed, [failure.screen for failure in result.failures]


@pytest.mark.parametrize(
    ("minimum", "message"),
    [
        (Minimum(Exercise(atomics=1)), "exercised 0 atomic operations; its minimum is 1"),
        (Minimum(rounds=5), "filled every warp slot 4.0 times; its minimum is 5"),
        (Minimum(rounds=5, fixed="the test says so"), ""),
    ],
)
def test_a_kernel_that_degenerates_fails(minimum: Minimum, message: str) -> None:
    """Results are right, but the run does not show what the test is there for."""
    test = dataclasses.replace(find_test("fence"), minimum=minimum)
    config = RunConfig(test=test.name)
    result = execute(test, GoldenBackend(config, count=True), compile_images(test, config), config)
    assert result.passed == (not message)
    assert [failure.message for failure in result.failures] == ([f"fence {message}"] if message else [])


def test_a_kernel_is_refused_where_it_cannot_run() -> None:
    """Before anything is built."""
    with pytest.raises(RunError, match=r"TEST=histogram can't run on this processor: it needs atomics \(EXT_A\)"):
        run_test(Request(RunConfig(test="histogram", hardware=HardwareConfig(ext_a=False)), "golden"))
