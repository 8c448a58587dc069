"""Faults of a warp, which design and model must agree on, and faults of a kernel, which are reported."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import HardwareConfig
from golden_model import FindingKind, Step
from golden_model.follow.adopted import AdoptedKind
from golden_model.follow.difference import Category
from golden_model.records.layout import AxiChannel, FaultKind, Kind
from tests.unit import follow_kernels
from tests.unit.fake_hardware import FakeHardware
from tests.unit.follow_bench import Bench, Rows
from tests.unit.follow_kernels import CALLS, GOOD, ILLEGAL, LOST, UNSPLIT


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 1 << 32), shadow=st.integers(0, 5), cores=st.integers(1, 2))
def test_a_fault_that_both_see_passes_and_what_follows_it_is_ignored(seed: int, shadow: int, cores: int) -> None:
    bench = Bench(ILLEGAL, HardwareConfig(num_cores=cores), seed=seed, shadow=shadow)
    for _ in range(2):
        assert bench.launch() is None, bench.report()
    faults = bench.follower.faults
    assert len(faults) == 5  # rank 0 of each CTA of the second launch
    assert {fault.kind for fault in faults} == {FaultKind.ILLEGAL_INSTRUCTION}
    assert {fault.pc for fault in faults} == {bench.address("bad")}
    assert bench.follower.coverage.faults == 10
    assert bench.follower.coverage.ignored_after_fault == 10 * shadow


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_fetch_fault_belongs_to_no_instruction(seed: int) -> None:
    bench = Bench(LOST, seed=seed)
    launch = follow_kernels.launch(bench.image, grid=1)
    for _ in range(2):  # the second launch begins with the number that the fault of the first one had
        assert bench.launch(launch) is None, bench.report()
    assert {(fault.kind, fault.addr) for fault in bench.follower.faults} == {(FaultKind.FETCH, 0)}
    assert bench.follower.coverage.faults == 6
    assert bench.follower.coverage.instructions == sum(bench.hardware.retired)


def _load_fault(rows: Rows, bench: Bench) -> dict[str, Any]:
    """One warp's last load is answered with an error: it commits without a write, and the warp ends."""
    load = next(row for row in rows[Kind.COMMIT] if row["pc"] == bench.address("good") - 16 and row["flags"] & 3 == 3)
    access = next(row for row in rows[Kind.MEMORY] if (row["warp"], row["uid"]) == (load["warp"], load["uid"]))
    load.update(wmask=0, rd_file=0)
    for kind in (Kind.COMMIT, Kind.MEMORY):
        rows[kind] = [row for row in rows[kind] if row["warp"] != load["warp"] or row["uid"] <= load["uid"]]
    end = next(row for row in rows[Kind.CTA] if row["event"] == 2 and row["warp"] == load["warp"])
    end["cycle"] = load["cycle"]
    place = {name: load[name] for name in ("cycle", "launch", "core", "warp", "uid", "pc", "tmask")}
    fault = {**place, "kind": FaultKind.BUS_READ, "addr": access["addr"][0]}
    rows[Kind.FAULT].append(fault)
    bench.hardware.retired[0] = sum(row["flags"] & 2 != 0 for row in rows[Kind.COMMIT])
    return fault


def _error_response(rows: Rows, address: int, cycle: int) -> None:
    rows[Kind.AXI].append({"cycle": cycle, "channel": AxiChannel.R, "addr": address // 64 * 64, "resp": 2})


def test_a_bus_error_that_the_bus_shows_is_followed() -> None:
    def mutate(rows: Rows, bench: Bench) -> None:
        fault = _load_fault(rows, bench)
        _error_response(rows, fault["addr"], fault["cycle"] - 1)

    bench = Bench(GOOD, mutate=mutate)
    assert bench.launch(follow_kernels.launch(bench.image, grid=1)) is None, bench.report()
    assert [fault.kind for fault in bench.follower.faults] == [FaultKind.BUS_READ]
    assert bench.follower.coverage.adopted[AdoptedKind.BUS_ERROR] == 1


def test_a_bus_error_that_the_bus_does_not_show_is_a_difference() -> None:
    def mutate(rows: Rows, bench: Bench) -> None:
        fault = _load_fault(rows, bench)
        _error_response(rows, fault["addr"] + 64, fault["cycle"] - 1)

    bench = Bench(GOOD, mutate=mutate)
    difference = bench.launch(follow_kernels.launch(bench.image, grid=1))
    assert difference is not None
    assert difference.check == "unexpected fault"


def test_a_bus_error_of_another_address_than_the_load_is_a_difference() -> None:
    def mutate(rows: Rows, bench: Bench) -> None:
        fault = _load_fault(rows, bench)
        fault["addr"] += 0x1000
        _error_response(rows, fault["addr"], fault["cycle"] - 1)

    bench = Bench(GOOD, mutate=mutate)
    difference = bench.launch(follow_kernels.launch(bench.image, grid=1))
    assert difference is not None
    assert difference.check == "unexpected fault"


def test_a_bus_error_of_a_fetch_is_followed() -> None:
    """The instruction line of `good` cannot be read: the warp ends after the instruction before it."""

    def mutate(rows: Rows, bench: Bench) -> None:
        good = next(row for row in rows[Kind.COMMIT] if row["pc"] == bench.address("good"))
        for kind in (Kind.COMMIT, Kind.MEMORY):
            rows[kind] = [row for row in rows[kind] if row["warp"] != good["warp"] or row["uid"] < good["uid"]]
        end = next(row for row in rows[Kind.CTA] if row["event"] == 2 and row["warp"] == good["warp"])
        place = {name: good[name] for name in ("launch", "core", "warp", "uid", "pc", "tmask")}
        rows[Kind.FAULT].append({**place, "cycle": end["cycle"], "kind": FaultKind.BUS_READ, "addr": good["pc"]})
        _error_response(rows, good["pc"], good["cycle"] - 1)
        bench.hardware.retired[0] = sum(row["flags"] & 2 != 0 for row in rows[Kind.COMMIT])

    bench = Bench(GOOD, mutate=mutate)
    assert bench.launch(follow_kernels.launch(bench.image, grid=1)) is None, bench.report()
    assert [fault.kind for fault in bench.follower.faults] == [FaultKind.BUS_READ]


def _commit(rows: Rows, bench: Bench) -> dict[str, int]:
    return next(row for row in rows[Kind.COMMIT] if row["pc"] == bench.address("good"))


def test_a_fault_that_only_the_model_sees_is_reported() -> None:
    def mutate(rows: Rows, bench: Bench) -> None:
        rows[Kind.FAULT].pop()

    bench = Bench(ILLEGAL, mutate=mutate)
    difference = bench.launch()
    assert difference is not None
    assert (difference.check, difference.category) == ("missing fault", Category.FAULT)
    assert difference.pc == bench.address("bad")


def test_a_fault_that_only_the_design_sees_is_reported() -> None:
    def mutate(rows: Rows, bench: Bench) -> None:
        commit = _commit(rows, bench)
        place = {name: commit[name] for name in ("cycle", "launch", "core", "warp", "uid", "pc", "tmask")}
        rows[Kind.FAULT].append({**place, "kind": FaultKind.MISALIGNED, "addr": 3})

    difference = Bench(ILLEGAL, mutate=mutate).launch()
    assert difference is not None
    assert (difference.check, difference.actual) == ("unexpected fault", "MISALIGNED, address 0x3")


@pytest.mark.parametrize(
    ("field", "value", "check"),
    [
        ("kind", FaultKind.FETCH, "fault kind"),
        ("addr", 0x1234, "fault address"),
        ("pc", 0x80000000, "fault pc"),
        ("tmask", 1, "fault thread mask"),
    ],
)
def test_every_field_of_a_fault_is_compared(field: str, value: int, check: str) -> None:
    def mutate(rows: Rows, bench: Bench) -> None:
        rows[Kind.FAULT][0][field] = value

    difference = Bench(ILLEGAL, mutate=mutate).launch()
    assert difference is not None
    assert difference.check == check


def test_a_warp_that_goes_on_after_its_fault_is_caught() -> None:
    """The fault is reported, but the warp does not stop: its start for the next CTA never fits."""

    def mutate(rows: Rows, bench: Bench) -> None:
        fault = rows[Kind.FAULT][0]
        start = next(
            row
            for row in rows[Kind.CTA]
            if row["event"] == 1 and row["warp"] == fault["warp"] and row["cycle"] > fault["cycle"]
        )
        start["uid"] += 2

    difference = Bench(ILLEGAL, mutate=mutate).launch()
    assert difference is not None


def test_a_divergent_branch_is_a_finding_of_the_kernel() -> None:
    difference = Bench(UNSPLIT).launch()
    assert difference is not None
    assert (difference.check, difference.category) == ("finding divergent-branch", Category.KERNEL)
    assert "SPLIT" in difference.message
    assert "kernel (or its image) is at fault" in difference.render()


def test_an_allowed_finding_is_no_failure() -> None:
    bench = Bench(UNSPLIT, allowed=[FindingKind.DIVERGENT_BRANCH])
    assert bench.launch() is None, bench.report()


def test_a_finding_takes_precedence_over_what_the_design_did_there() -> None:
    def mutate(rows: Rows, bench: Bench) -> None:
        for row in rows[Kind.COMMIT]:
            if row["pc"] == bench.address("branch"):
                row["next_pc"] ^= 4

    difference = Bench(UNSPLIT, mutate=mutate).launch()
    assert difference is not None
    assert difference.category == Category.KERNEL


def test_a_stale_return_address_is_caught_although_memory_would_be_right() -> None:
    """The design loads the right ra but returns with an old one, to an address from which it would end the same way."""
    done: list[int] = []

    def stale(hardware: FakeHardware, step: Step) -> None:
        image_return = bench.address("return")
        if step.pc == image_return and not done:
            done.append(step.uid)
            warp = hardware.machine.cores[step.core].warps[step.warp]
            # One instruction late: WSYNC is skipped, nothing that memory could show.
            warp.pc += 4
            step.next_pc += 4

    bench = Bench(CALLS, bug=stale)
    difference = bench.launch()
    assert difference is not None
    assert (difference.check, difference.category) == ("next pc", Category.CONTROL)
    assert done == [difference.uid]
    assert "ra" in difference.render()
