"""A design that works passes, whatever its timing, and the counts show that everything was compared."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import HardwareConfig
from golden_model.follow.adopted import AdoptedKind
from tests.unit import follow_kernels
from tests.unit.fake_hardware import BUFFER_SIZE, OUT
from tests.unit.follow_bench import Bench
from tests.unit.follow_kernels import CLEAN

SHAPES = [(1, 4, 4), (2, 4, 4), (1, 2, 8), (2, 8, 2), (1, 1, 1)]


@pytest.mark.parametrize("name", sorted(CLEAN))
@pytest.mark.parametrize(("cores", "warps", "lanes"), SHAPES)
def test_a_correct_design_passes(name: str, cores: int, warps: int, lanes: int) -> None:
    bench = Bench(CLEAN[name], HardwareConfig(num_cores=cores, num_warps=warps, num_threads=lanes))
    block = min(11, warps * lanes)
    for _ in range(2):
        bench.launch(follow_kernels.launch(bench.image, block=block))
        assert bench.difference is None, bench.report()
    coverage = bench.follower.coverage
    assert coverage.instructions == bench.hardware.steps == sum(bench.hardware.retired) > 100
    assert coverage.ctas == 10
    assert coverage.warps_started == 10 * -(-block // lanes)
    assert coverage.lanes > coverage.instructions / 3
    assert coverage.memory_accesses > 0
    assert (coverage.barriers > 0) == (name == "exchange")
    assert (coverage.divergences > 0) == (name == "divergent" and lanes > 1)
    assert bench.hardware.machine.read(OUT, BUFFER_SIZE) == bench.golden.read(OUT, BUFFER_SIZE)


@settings(max_examples=25, deadline=None)
@given(
    name=st.sampled_from(sorted(CLEAN)),
    seed=st.integers(0, 1 << 32),
    cores=st.integers(1, 2),
    packets=st.integers(1, 4),
)
def test_any_commit_order_of_a_correct_design_passes(name: str, seed: int, cores: int, packets: int) -> None:
    bench = Bench(CLEAN[name], HardwareConfig(num_cores=cores), seed=seed, max_packets=packets)
    assert bench.launch() is None, bench.report()
    assert bench.follower.coverage.instructions == bench.hardware.steps


def test_only_what_hardware_may_choose_is_adopted() -> None:
    bench = Bench(CLEAN["calls"])
    assert bench.launch() is None
    adopted = bench.follower.coverage.adopted
    # Each of 15 warps spills one register that no warp ever wrote, and loads it again, in every lane of its mask.
    lanes = 5 * 11
    assert adopted[AdoptedKind.UNDEFINED_STORE] == adopted[AdoptedKind.UNDEFINED_MEMORY] == lanes
    assert adopted[AdoptedKind.PLACEMENT] == 5 + 15
    assert set(+adopted) == {AdoptedKind.UNDEFINED_STORE, AdoptedKind.UNDEFINED_MEMORY, AdoptedKind.PLACEMENT}


def test_counters_and_active_warps_are_adopted_and_counted() -> None:
    bench = Bench(CLEAN["counters"])
    assert bench.launch() is None
    adopted = bench.follower.coverage.adopted
    assert adopted[AdoptedKind.COUNTER] == 15 * 5
    assert adopted[AdoptedKind.ACTIVE_WARPS] == 15


def test_an_empty_grid_compares_nothing_and_passes() -> None:
    bench = Bench(CLEAN["calls"])
    bench.launch()
    bench.golden.dcr_write(0x019, 0)  # GRID_DIM_X
    bench.follower.begin_launch(2)
    assert bench.follower.end_launch() is None
    assert bench.follower.launch_coverage.instructions == 0


def test_coverage_of_one_launch_and_of_all() -> None:
    bench = Bench(CLEAN["calls"])
    bench.launch()
    first = bench.follower.launch_coverage
    bench.launch()
    assert bench.follower.launch_coverage.ctas == first.ctas == 5
    assert bench.follower.coverage.ctas == 10
