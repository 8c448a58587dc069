"""Running alone: order of cores and warps, counts, progress, limits and hangs (golden_model/scheduler.py)."""

from __future__ import annotations

import pytest

from config import HardwareConfig
from golden_model import HangError, Launch, LimitError, Machine
from golden_model.machine import Tier
from golden_model.scheduler import RunSummary, Watch
from golden_model.step import Step
from golden_model.warp import Warp
from tests.unit.golden_program import BASE, OUT, Program, launch_of, machine_with, program

Trace = list[tuple[int, int, int]]  # core, warp, pc


def loaded(kernel: str, config: HardwareConfig | None = None, prologue: str = "_start:\n") -> tuple[Machine, Program]:
    image = program(kernel, prologue=prologue)
    return machine_with(image, config), image


def traced(machine: Machine, seed: int | None = None, limit: int = 10_000) -> tuple[Trace, RunSummary]:
    seen: Trace = []

    def see(warp: Warp, step: Step) -> None:
        assert (step.core, step.warp) == (warp.core.core_id, warp.wid)
        seen.append((step.core, step.warp, step.pc))

    return seen, machine.run(limit, seed, Watch(step=see))


def test_every_ready_warp_steps_once_a_round() -> None:
    """Warps in ascending order, core by core; MCYCLE counts the rounds of every core, MINSTRET its instructions."""
    machine, image = loaded("nop\n ret", HardwareConfig(num_cores=2))
    machine.launch(launch_of(image, grid=(2, 1, 1), block=(6, 1, 1)))
    seen, summary = traced(machine)
    window = [image.labels["window"] + 4 * i for i in range(3)]
    kernel = [image.labels["kernel"], image.labels["kernel"] + 4]
    path = [*window, *kernel, *(window[-1] + 4 * i for i in (1, 2))]
    assert seen == [(core, warp, pc) for pc in path for core in (0, 1) for warp in (0, 1)]
    assert summary == RunSummary(28, 7 * 12, 2, 4, 0)
    assert [(core.mcycle, core.minstret) for core in machine.cores] == [(7, 14), (7, 14)]


def test_counts_of_a_second_launch_are_its_own() -> None:
    machine, image = loaded("ret")
    for number in (1, 2):
        machine.launch(launch_of(image, grid=(3, 1, 1), block=(2, 1, 1)))
        assert machine.run() == RunSummary(18, 36, 3, 3, 0), number
    assert (machine.cores[0].minstret, machine.launch_id) == (36, 2)


def test_faults_are_counted_per_warp() -> None:
    machine, image = loaded("csrr t0, cta_rank\n bnez t0, ok\n .word 0\nok: ret")
    machine.launch(launch_of(image, block=(12, 1, 1)))
    assert machine.run().faults == 1
    machine.launch(launch_of(image, block=(2, 1, 1)))
    summary = machine.run()
    assert (summary.faults, summary.warps, summary.warp_instructions) == (1, 1, 6)


@pytest.mark.parametrize("cores", [1, 2, 3])
def test_cores_take_ctas_in_turn(cores: int) -> None:
    """One CTA fills a core; the core after the last taker is asked first, so the next launch goes on behind it."""
    machine, image = loaded("ret", HardwareConfig(num_cores=cores))
    takers: list[int] = []
    take = machine.accept_cta

    def noted(core: int) -> object:
        takers.append(core)
        return take(core)

    machine.accept_cta = noted  # type: ignore[method-assign, assignment]
    machine.launch(launch_of(image, grid=(3 * cores, 1, 1), block=(16, 1, 1)))
    machine.run()
    assert takers == list(range(cores)) * 3


def test_a_core_takes_several_small_ctas_and_free_warps_in_ascending_order() -> None:
    machine, image = loaded("ret", HardwareConfig(num_cores=2))
    machine.launch(launch_of(image, grid=(4, 1, 1), block=(4, 1, 1)))
    seen, _ = traced(machine)
    assert seen[:4] == [(core, warp, BASE) for core in (0, 1) for warp in (0, 1)]


@pytest.mark.parametrize("seed", range(6))
def test_a_seed_makes_one_random_warp_step_at_a_time(seed: int) -> None:
    machine, image = loaded("nop\n nop\n ret", HardwareConfig(num_cores=2))

    def once(number: int | None) -> tuple[Trace, RunSummary, list[int]]:
        machine.reset()
        machine.launch(launch_of(image, grid=(4, 1, 1), block=(8, 1, 1)))
        seen, summary = traced(machine, number)
        return seen, summary, [core.mcycle for core in machine.cores]

    plain, (seen, summary, cycles) = once(None), once(seed)
    assert (seen, summary, cycles) == once(seed)
    assert summary == plain[1] and seen != plain[0]
    assert sorted(pc for _, _, pc in seen) == sorted(pc for _, _, pc in plain[0])
    assert cycles == [summary.warp_instructions] * 2, "a round is one step"


def test_choices_of_a_seed_are_spread() -> None:
    """Any free warp starts, any ready one steps, any core that can takes the CTA."""
    machine, image = loaded("ret", HardwareConfig(num_cores=2))
    firsts: set[tuple[int, int]] = set()
    for seed in range(40):
        machine.reset()
        machine.launch(launch_of(image, block=(4, 1, 1)))
        firsts.add(traced(machine, seed)[0][0][:2])
    assert firsts == {(core, warp) for core in (0, 1) for warp in range(4)}


# ------------------------------------------------------------------ progress and limits

LOOP = "li t0, 40\nagain: addi t0, t0, -1\n bnez t0, again\n ret"  # 82 instructions, and 5 of the window


@pytest.mark.parametrize("every", [1, 10, 86, 87, 1000])
def test_progress_is_told_after_so_many_instructions(every: int) -> None:
    machine, image = loaded(LOOP)
    machine.launch(launch_of(image))
    told: list[tuple[int, int]] = []
    summary = machine.run(watch=Watch(progress=lambda executed, ctas: told.append((executed, ctas)), every=every))
    assert summary.warp_instructions == 87
    assert told == [(executed, 1) for executed in range(every, 88, every)]


def test_progress_ends_a_run_with_its_exception() -> None:
    machine, image = loaded(LOOP)
    machine.launch(launch_of(image))

    def stop(executed: int, ctas: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine.run(watch=Watch(progress=stop, every=20))
    assert (machine.cores[0].minstret, machine.busy) == (20, True)
    assert machine.run().warp_instructions == 67, "and it can go on"


@pytest.mark.parametrize("limit", [1, 50, 86, 87, 88])
def test_the_limit_is_exact_for_one_warp(limit: int) -> None:
    machine, image = loaded(LOOP)
    machine.launch(launch_of(image))
    if limit >= 87:
        assert machine.run(limit).warp_instructions == 87
        return
    with pytest.raises(LimitError, match=rf"^launch 1: still running after {limit} warp instructions\n  core 0 warp 0"):
        machine.run(limit)
    assert machine.cores[0].minstret == limit


def test_the_limit_is_for_all_that_is_left_to_do() -> None:
    """The last CTA is not even handed out yet."""
    machine, image = loaded("ret", HardwareConfig(num_warps=1))
    machine.launch(launch_of(image, grid=(2, 1, 1)))
    with pytest.raises(LimitError, match=r"after 6 warp instructions\n  CTA \(1, 0, 0\) waits"):
        machine.run(6)


def test_an_empty_launch_is_over_at_once() -> None:
    machine, image = loaded("ret")
    machine.launch(launch_of(image))
    machine.run()
    machine.dcr_write(0x019, 0)
    machine.start()
    assert machine.run(1) == RunSummary(0, 0, 0, 0, 0)
    assert machine.cores[0].mcycle == 6


# ------------------------------------------------------------------ hangs

SPAWN_WAITS = """
    csrr t0, cta_rank
    li t1, 2
    {other}
    lla t2, away
    wspawn t1, t2
away:
    ret
"""


def test_wspawn_with_a_warp_at_a_barrier_is_a_hang() -> None:
    """Warp 0 waits until it is alone, warp 1 for a barrier to which nobody else comes."""
    other = "beqz t0, go\n li t3, 3\n bar zero, t3\ngo:"
    machine, image = loaded(SPAWN_WAITS.format(other=other))
    machine.launch(launch_of(image, block=(8, 1, 1)))
    with pytest.raises(HangError, match=r"launch 1: no warp can step(.|\n)*core 0 warp 0(.|\n)*warp 1"):
        machine.run(5_000)


def test_wspawn_waits_for_a_warp_that_still_runs() -> None:
    other = "beqz t0, go\n li t3, 30\nx: addi t3, t3, -1\n bnez t3, x\n ret\ngo:"
    machine, image = loaded(SPAWN_WAITS.format(other=other))
    machine.launch(launch_of(image, block=(8, 1, 1)))
    seen, summary = traced(machine)
    starts = [place for place in seen if place[2] == image.labels["away"] - 4]
    assert starts == [(0, 0, image.labels["away"] - 4)], "tried often, executed once"
    assert summary.warp_instructions == len(seen)


@pytest.mark.parametrize(("tier", "cores"), [("readable", 1), ("readable", 2), ("fast", 1)])
def test_warps_that_wait_for_each_other_are_a_hang_whatever_is_left(tier: Tier, cores: int) -> None:
    """All warps of a core wait until they are alone; the CTA that is left has no place, so nothing will happen."""
    machine, image = loaded(SPAWN_WAITS.format(other=""), HardwareConfig(num_cores=cores))
    machine.tier = tier
    machine.launch(launch_of(image, grid=(4 * cores + 1, 1, 1), block=(4, 1, 1)))
    with pytest.raises(HangError, match=rf"CTA \({4 * cores}, 0, 0\) waits for a core with a free slot"):
        machine.run(3_000)


@pytest.mark.parametrize("tier", ["readable", "fast"])
def test_a_cta_that_takes_the_place_of_one_that_ended_may_still_end_the_waiting(tier: Tier) -> None:
    """Warps 1 and 2 wait with a WSPAWN while warp 0 ends; the next CTA starts, and only after it there is a hang."""
    other = "csrr t4, cta_block_id_x\n li t5, 1\n beq t4, t5, go\n li t5, 2\n beq t4, t5, go\n"
    other += "slli t5, t4, 2\n add t5, t5, a0\n sw t1, 0(t5)\n ret\ngo:"
    machine, image = loaded(SPAWN_WAITS.format(other=other))
    machine.tier = tier
    machine.launch(launch_of(image, grid=(8, 1, 1), block=(4, 1, 1)))
    with pytest.raises(HangError) as caught:
        machine.run(3_000)
    stored = [int.from_bytes(machine.read(OUT + 4 * block, 4), "little") for block in range(8)]
    assert stored == [2, 0, 0, 2, 2, 0, 0, 0], "slots are given out in order, and those of warps 1 and 2 are not free"
    assert "CTA (5, 0, 0) waits" in str(caught.value)


def test_launch_numbers_are_in_what_is_said() -> None:
    machine, image = loaded("li t1, 2\n bar zero, t1\n ret")
    for number in (1, 2):
        machine.launch(Launch(image.kernels["k"], BASE, OUT, block=(8, 1, 1)))
        machine.run()
        machine.launch(Launch(image.kernels["k"], BASE, OUT, block=(4, 1, 1)))
        with pytest.raises(HangError, match=f"^launch {2}: no warp can step"):
            machine.run()
        assert number
        machine.reset()
