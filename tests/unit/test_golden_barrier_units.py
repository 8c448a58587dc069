"""Barriers of one core and across cores, operation by operation (docs/reference/vortex.md §2.7)."""

from __future__ import annotations

from config import HardwareConfig
from golden_model.barrier import BarrierUnit
from golden_model.core import Core
from golden_model.global_barrier import GlobalBarriers
from golden_model.records.layout import BarrierOp
from tests.unit.golden_program import BASE, bare_warp, launch_of, machine_with, program

FULL = HardwareConfig(num_warps=4, num_barriers=8)


def test_the_place_of_a_barrier() -> None:
    """{CTA part, number}; fields out of range wrap (reference §2.7)."""
    for config in (FULL, HardwareConfig(num_warps=2, num_barriers=4), HardwareConfig(num_warps=8, num_barriers=1)):
        unit = BarrierUnit(config)
        places = set()
        for slot in range(config.num_warps):
            for number in range(config.num_barriers):
                identifier = number << 8 | slot
                place = unit.index(identifier)
                places.add(place)
                assert place == slot * config.num_barriers + number
                assert unit.entry(identifier) is unit.entries[place]
                for more in (config.num_warps, config.num_barriers << 8, 1 << 31):
                    assert unit.index(identifier + more) == place and unit.entry(identifier + more) is unit.entry(
                        identifier
                    )
        assert places == set(range(len(unit.entries)))


def test_counters_of_a_barrier_have_their_width() -> None:
    unit = BarrierUnit(FULL)
    entry = unit.entry(0)
    entry.count = 0xFFFF_FFFF
    assert unit.arrival(entry, 5) == 0 and entry.count == 0
    entry.count = 0x7FFF_FFFE
    unit.arrival(entry, 5)
    assert entry.count == 0x7FFF_FFFF
    unit.complete(0)
    assert entry.events == 0x7FFF_FFFF
    unit.expect(0, 3)
    assert entry.events == 2
    unit.expect(0, 0x4000_0000)
    assert entry.events == 0x4000_0002
    entry.events, entry.count, entry.waiters = 1, 1, 6
    assert (unit.complete(0), entry.phase, entry.waiters) == (0, 0, 6), "an arrival is outstanding"
    entry.events, entry.count = 1, 0
    assert (unit.complete(0), entry.phase, entry.waiters) == (6, 1, 0)


def test_who_takes_part_is_what_the_first_said() -> None:
    unit = BarrierUnit(FULL)
    entry = unit.entry(0x203)
    unit.arrive(0x203, 3)
    unit.sync(1, 0x203, 4)
    assert (entry.participants, entry.count, entry.waiters) == (3, 2, 0b10)
    assert unit.waiting_for(1) == "barrier 2 of CTA slot 3 (phase 0, 2 of 3 warps arrived)"
    assert unit.waiting_for(0) == "nothing known"
    unit.arrive(0x203, 3)
    unit.arrive(0x203, 2)
    assert (entry.participants, entry.phase) == (2, 1)


def test_a_barrier_gives_and_takes_its_state() -> None:
    unit = BarrierUnit(FULL)
    unit.entry(1).restore((1, 2, 1, 4, 5, 6))
    entry = unit.entry(1)
    assert (entry.count, entry.waiters, entry.phase, entry.participants, entry.events, entry.arrived) == (
        1, 2, 1, 4, 5, 6,
    )  # fmt: skip
    assert entry.fields() == (1, 2, 1, 4, 5, 6)


def test_events_of_a_barrier_say_what_happened() -> None:
    unit = BarrierUnit(FULL)
    assert unit.expect(2, 1) == unit.expect(2, 0).__class__(BarrierOp.EXPECT_TX, 2, 1, 0, 0)
    arrived = unit.arrive(2, 1)
    assert (arrived.op, arrived.id, arrived.count, arrived.phase, arrived.released) == (BarrierOp.ARRIVE, 2, 1, 0, 0)
    waits = unit.wait(3, 2, 6)
    assert (waits.op, waits.id, waits.count, waits.phase, waits.released) == (BarrierOp.WAIT, 2, 6, 0, 0)
    passes = unit.wait(3, 2, 7)
    assert (passes.count, passes.phase, passes.released) == (7, 0, 8)


TWO = HardwareConfig(num_cores=2, num_warps=2)
GLOBAL = 1 << 31


def two_cores(source: str, warps: int = 2) -> list[Core]:
    """Every warp of two cores about to execute `source`, with a0 = barrier, a1 = number of cores, a2 = token."""
    image = program(source, prologue="_start:\n" + source + "\n tmc zero\n")
    machine = machine_with(image, TWO)
    machine.launch(launch_of(image, grid=(2, 1, 1), block=(4 * warps, 1, 1)))
    for core in machine.cores:
        machine.accept_cta(core.core_id)
        for _ in range(warps):
            core.start_warp()
        for warp in core.warps:
            warp.undef = [0] * 32
            warp.regs[10], warp.regs[11], warp.regs[12] = [GLOBAL | 0x100] * 4, [2] * 4, [0] * 4
    return machine.cores


def test_bar_across_cores() -> None:
    """All warps of both cores; the last one lets everybody go, and its step says who of its own core that is."""
    first, second = two_cores("bar a0, a1")
    released = []
    for warp in (first.warps[1], second.warps[0], first.warps[0], second.warps[1]):
        assert not any(other.blocked for other in (warp,))
        step = warp.step()
        assert step.barrier is not None
        assert (step.barrier.op, step.barrier.id, step.barrier.count, step.barrier.phase) == (
            BarrierOp.SYNC, GLOBAL | 0x100, 2, 0,
        )  # fmt: skip
        released.append(step.barrier.released)
        assert warp.blocked == (warp is not second.warps[1])
    assert released == [0, 0, 0, 0b11]
    assert not first.global_barriers.busy
    for core in (first, second):
        assert core.barriers.entry(0x100).fields() == (0, 0, 1, 2, 0, 0)
        assert not any(warp.blocked for warp in core.warps)


def test_arrivals_across_cores_without_waiting() -> None:
    first, second = two_cores("bar.arrive a3, a0, a1\n bar.wait a0, a2")
    for warp in (*first.warps, second.warps[0]):
        step = warp.step()
        assert (step.result, warp.blocked) == ([0] * 4, False)
    assert first.warps[0].step().barrier.released == 0  # type: ignore[union-attr]
    assert first.warps[0].blocked
    step = second.warps[1].step()
    assert step.barrier is not None and step.barrier.released == 0, "nobody waits on this core"
    assert not first.warps[0].blocked
    assert first.warps[1].step().barrier.released == 0b10, "over already"


def test_fewer_cores_than_stated_are_all_there_are() -> None:
    first, second = two_cores("bar a0, a1")
    for core in (first, second):
        for warp in core.warps:
            warp.regs[11] = [9] * 4
    for warp in (*first.warps, *second.warps):
        warp.step()
    assert not any(warp.blocked for core in (first, second) for warp in core.warps)


def test_a_barrier_of_one_core_ends_by_another_cores_smaller_number() -> None:
    """The last number counts; the core that has not arrived with all its warps lets nobody go."""
    first, second = two_cores("bar a0, a1")
    for warp in first.warps:
        warp.step()
    second.warps[0].regs[11] = [1] * 4
    step = second.warps[0].step()
    assert step.barrier is not None and step.barrier.released == 0
    assert second.warps[0].blocked and not any(warp.blocked for warp in first.warps)


def test_a_warp_that_ends_may_end_the_phase() -> None:
    first, second = two_cores("bar a0, a1")
    for warp in (*first.warps, second.warps[0]):
        warp.step()
    assert first.global_barriers.busy and second.warps[0].blocked
    second.warps[1].pc = BASE + 4  # tmc zero
    assert second.warps[1].step().warp_ended
    assert not second.warps[0].blocked and not first.warps[1].blocked and not first.global_barriers.busy


def test_transactions_hold_a_barrier_across_cores() -> None:
    first, second = two_cores("bar a0, a1")
    second.barriers.expect(0x100, 1)
    for warp in (*first.warps, *second.warps):
        warp.step()
    assert first.global_barriers.busy
    assert all(warp.blocked for warp in second.warps)


def test_barriers_across_cores_stand_apart() -> None:
    first, second = two_cores("bar a0, a1")
    unit = first.global_barriers
    assert isinstance(unit, GlobalBarriers)
    for warp in second.warps:
        warp.regs[10] = [GLOBAL | 0x200] * 4
    for warp in (*first.warps, *second.warps):
        warp.step()
    assert all(warp.blocked for core in (first, second) for warp in core.warps) and unit.busy


def test_a_transaction_that_ends_lets_the_waiting_warps_go() -> None:
    machine, warp = bare_warp("bar.arrive a2, a0, a1\n bar a0, a3")
    warp.regs[10], warp.regs[11], warp.regs[13] = [0x100] * 4, [0x8000_0002] * 4, [1] * 4
    warp.step()
    warp.step()
    core = machine.cores[0]
    assert warp.blocked
    core.barrier_event_done(0x100)
    assert warp.blocked
    core.barrier_event_done(0x100)
    assert not warp.blocked and core.barriers.entry(0x100).phase == 1
