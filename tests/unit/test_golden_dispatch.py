"""Grid walk, slots, LMEM placement, warp expansion, thread indices, rewind (docs/reference/vortex.md §4.3, §5)."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import EntryGeneration, HardwareConfig
from golden_model import DispatchError, Launch, LaunchError, Machine
from golden_model.cta import Dim3
from golden_model.kmu import Kmu, walk
from golden_model.launch import dcr_writes, warp_step
from golden_model.threads import lane_indices, next_base
from golden_model.window import call_offset, is_window
from tests.unit.golden_program import ARGS, BASE, OUT, Program, launch_of, machine_with, program, words


def shape(num_warps: int = 4, num_threads: int = 4, num_cores: int = 1) -> HardwareConfig:
    return HardwareConfig(num_warps=num_warps, num_threads=num_threads, num_cores=num_cores)


def started(machine: Machine, grid: Dim3, block: Dim3, lmem: int = 0, cluster: Dim3 = (1, 1, 1)) -> Machine:
    machine.launch(Launch(BASE, BASE, ARGS, grid, block, lmem, cluster))
    return machine


def finish(machine: Machine, core: int, slot: int) -> None:
    """End all warps of the CTA in a slot by executing `tmc zero`."""
    for warp in machine.cores[core].warps:
        if warp.active and warp.slot == slot:
            step = warp.step()
            assert step.warp_ended


def ends_at_once() -> Program:
    return program("ret", prologue="_start: tmc zero\n")


# ------------------------------------------------------------------ walk


@given(
    cluster=st.tuples(st.integers(1, 3), st.integers(1, 2), st.integers(1, 2)),
    factor=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2)),
)
def test_walk_visits_each_block_once_and_clusters_as_boxes(cluster: Dim3, factor: Dim3) -> None:
    grid = (cluster[0] * factor[0], cluster[1] * factor[1], cluster[2] * factor[2])
    order = list(walk(grid, cluster))
    assert sorted(block for block, _ in order) == sorted(itertools.product(*map(range, grid)))
    size = math.prod(cluster)
    origins = []
    for start in range(0, len(order), size):
        members = order[start : start + size]
        assert [member for _, member in members] == list(range(size))
        ox, oy, oz = members[0][0]
        assert ox % cluster[0] == oy % cluster[1] == oz % cluster[2] == 0
        # Inside a cluster, and over clusters, x is fastest: sorting by (z, y, x) changes nothing.
        blocks = [block for block, _ in members]
        assert blocks == sorted(blocks, key=lambda block: block[::-1])
        assert {(x - ox, y - oy, z - oz) for x, y, z in blocks} == set(itertools.product(*map(range, cluster)))
        origins.append((ox, oy, oz))
    assert origins == sorted(origins, key=lambda block: block[::-1])


@given(
    cluster=st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(1, 2)),
    factor=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2)),
    pieces=st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), max_size=20),
)
def test_blocks_taken_in_pieces_and_given_back_keep_the_walk(
    cluster: Dim3, factor: Dim3, pieces: list[tuple[int, int]]
) -> None:
    grid = (cluster[0] * factor[0], cluster[1] * factor[1], cluster[2] * factor[2])
    machine = started(machine_with(ends_at_once(), shape(num_warps=8)), grid, (1, 1, 1), cluster=cluster)
    kmu, order = machine.kmu, list(walk(grid, cluster))
    done = 0
    for count, back in pieces:
        taken = kmu.take_blocks(count)
        assert taken == order[done : done + count]
        kept = max(0, len(taken) - back)
        kmu.give_back(taken[kept:])
        done += kept
        assert kmu.taken == done
        if done < len(order):
            offered = kmu.take()
            assert (offered.block_idx, offered.cta_id) == (order[done][0], done)
            done += 1
    assert kmu.take_blocks(1000) == order[done:]
    assert kmu.peek() is None and kmu.take_blocks(1) == []


@given(
    cluster=st.tuples(st.integers(1, 2), st.integers(1, 2), st.integers(1, 2)),
    factor=st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 2)),
)
def test_places_in_the_walk(cluster: Dim3, factor: Dim3) -> None:
    grid = (cluster[0] * factor[0], cluster[1] * factor[1], cluster[2] * factor[2])
    kmu = started(machine_with(ends_at_once(), shape(num_warps=8)), grid, (1, 1, 1), cluster=cluster).kmu
    for number, (block, _) in enumerate(walk(grid, cluster)):
        assert kmu.position(block) == number and kmu.block_at(number) == block
    assert kmu.position((grid[0], 0, 0)) is None and kmu.position((0, 0, grid[2])) is None


def test_plain_walk_is_linear_x_fastest() -> None:
    assert [block for block, _ in walk((2, 2, 2), (1, 1, 1))] == [
        (0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0), (0, 0, 1), (1, 0, 1), (0, 1, 1), (1, 1, 1),
    ]  # fmt: skip


def test_cluster_walk_by_hand() -> None:
    assert [block[:2] for block, _ in walk((4, 2, 1), (2, 2, 1))] == [
        (0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (3, 0), (2, 1), (3, 1),
    ]  # fmt: skip


# ------------------------------------------------------------------ DCRs


def test_b8_vecadd_writes() -> None:
    launch = Launch(0x80000100, 0x80000000, 0x20000, grid=(4, 1, 1), block=(16, 1, 1))
    assert dcr_writes(launch, HardwareConfig(), EntryGeneration.CTA_ENTRY) == [
        (0x030, 20), (0x010, 0x80000000), (0x011, 0), (0x012, 0x80000100), (0x013, 0), (0x014, 0x20000), (0x015, 0),
        (0x016, 16), (0x017, 1), (0x018, 1), (0x019, 4), (0x01A, 1), (0x01B, 1), (0x01C, 0), (0x01D, 16),
        (0x01E, 4), (0x01F, 0), (0x020, 0), (0x021, 1), (0x022, 1), (0x023, 1),
    ]  # fmt: skip


def test_stored_widths() -> None:
    """4 warps of 4 lanes: CTA_TID_WIDTH 4, NW_WIDTH 2, LMEM_LOG_SIZE 14."""
    kmu = Kmu(shape())
    for addr in range(0x010, 0x024):
        kmu.write(addr, 0xFFFFFFFF)
    widths = {addr: value.bit_length() for addr in range(0x010, 0x024) if (value := kmu.read(addr)) is not None}
    expected = dict.fromkeys(range(0x010, 0x016), 32) | dict.fromkeys((0x016, 0x017, 0x018, 0x01D), 5)
    expected |= dict.fromkeys((0x019, 0x01A, 0x01B), 32) | {0x01C: 15} | dict.fromkeys((0x01E, 0x01F, 0x020), 4)
    assert widths == expected | dict.fromkeys((0x021, 0x022, 0x023), 3)
    kmu.write(0x024, 5)
    assert kmu.read(0x024) is None, "addresses beyond the group are ignored"


def test_rewind_register_takes_the_three_windows_only() -> None:
    kmu = Kmu(shape())
    assert kmu.rewind == 20
    for value in (12, 16, 20):
        kmu.write(0x030, value)
        assert kmu.rewind == value
    for value in (0, 8, 24, 0xFFFFFFFF):
        with pytest.raises(LaunchError, match="must be 12, 16 or 20"):
            kmu.write(0x030, value)


def test_start_needs_every_register() -> None:
    machine = Machine(shape())
    machine.dcr_write(0x010, BASE)
    with pytest.raises(LaunchError, match=r"0x016.*0x023.*no reset value"):
        machine.start()


def write_all(machine: Machine, changes: dict[int, int]) -> None:
    launch = Launch(BASE, BASE, ARGS, (2, 1, 1), (4, 1, 1))
    for addr, value in dcr_writes(launch, machine.config, EntryGeneration.CTA_ENTRY):
        machine.dcr_write(addr, changes.get(addr, value))


@pytest.mark.parametrize("changes", [{0x019: 0}, {0x01A: 0}, {0x01B: 0}, {0x01D: 0}])
def test_empty_grid_completes_at_once_and_the_next_launch_works(changes: dict[int, int]) -> None:
    machine = machine_with(ends_at_once())
    write_all(machine, changes)
    machine.start()
    assert not machine.busy
    assert machine.run().ctas == 0
    write_all(machine, {})
    machine.start()
    assert machine.run().ctas == 2


def test_cluster_dim_zero_counts_as_one() -> None:
    machine = machine_with(ends_at_once())
    write_all(machine, {0x021: 0, 0x022: 0, 0x023: 0})
    machine.start()
    assert machine.run().ctas == 2


@pytest.mark.parametrize(
    ("changes", "part"),
    [({0x021: 2, 0x019: 3}, "the walk never ends: grid x=3"), ({0x01D: 17}, "a block of 17 threads never starts")],
)
def test_start_refuses_what_never_ends(changes: dict[int, int], part: str) -> None:
    machine = machine_with(ends_at_once())
    write_all(machine, changes)
    with pytest.raises(LaunchError, match=part):
        machine.start()


# ------------------------------------------------------------------ thread indices


@settings(max_examples=200, deadline=None)
@given(
    block=st.tuples(st.integers(1, 12), st.integers(1, 8), st.integers(1, 5)),
    lanes=st.sampled_from([1, 2, 4, 8, 16, 32]),
)
def test_indices_number_the_block_x_fastest(block: Dim3, lanes: int) -> None:
    size = math.prod(block)
    base, step = (0, 0, 0), warp_step(block, lanes)
    for rank in range(-(-size // lanes)):
        for lane, index in enumerate(lane_indices(base, block, lanes)):
            linear = rank * lanes + lane
            if linear < size:
                assert index == (linear % block[0], linear // block[0] % block[1], linear // (block[0] * block[1]))
        base = next_base(base, block, step)


def test_b6_example() -> None:
    block, lanes = (3, 2, 2), 4
    step = warp_step(block, lanes)
    assert step == (1, 1, 0)
    bases = [(0, 0, 0)]
    for _ in range(2):
        bases.append(next_base(bases[-1], block, step))
    assert bases == [(0, 0, 0), (1, 1, 0), (2, 0, 1)]
    assert lane_indices(bases[1], block, lanes) == [(1, 1, 0), (2, 1, 0), (0, 0, 1), (1, 0, 1)]


def test_block_axis_of_the_whole_core_keeps_z() -> None:
    """The case in which a narrow compare would make thread z count up."""
    assert {index[2] for index in lane_indices((12, 0, 0), (16, 1, 1), 4)} == {0}


# Every thread writes {block linear + 1} to its own word and its indices' linear number to another.
COVER = """
    csrr t0, cta_block_id_z
    csrr t1, cta_grid_dim_y
    mul t0, t0, t1
    csrr t1, cta_block_id_y
    add t0, t0, t1
    csrr t1, cta_grid_dim_x
    mul t0, t0, t1
    csrr t1, cta_block_id_x
    add t0, t0, t1          # linear block
    csrr t1, cta_thread_id_z
    csrr t2, cta_block_dim_y
    mul t1, t1, t2
    csrr t2, cta_thread_id_y
    add t1, t1, t2
    csrr t2, cta_block_dim_x
    mul t1, t1, t2
    csrr t2, cta_thread_id_x
    add t1, t1, t2          # linear thread
    csrr t2, cta_block_dim_x
    csrr t3, cta_block_dim_y
    mul t2, t2, t3
    csrr t3, cta_block_dim_z
    mul t2, t2, t3
    mul t0, t0, t2
    add t0, t0, t1          # linear over all blocks
    slli t0, t0, 2
    add t0, t0, a0
    lw t3, 0(t0)
    addi t3, t3, 1
    sw t3, 0(t0)
    ret
"""


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_every_thread_of_every_block_runs_exactly_once(data: st.DataObject) -> None:
    config = shape(
        data.draw(st.sampled_from([1, 2, 4, 8])),
        data.draw(st.sampled_from([1, 2, 4, 8])),
        data.draw(st.sampled_from([1, 2])),
    )
    x = data.draw(st.integers(1, config.core_threads))
    y = data.draw(st.integers(1, config.core_threads // x))
    block = (x, y, data.draw(st.integers(1, config.core_threads // (x * y))))
    cluster = data.draw(st.sampled_from([(1, 1, 1), (min(2, config.num_warps), 1, 1)]))
    grid = (cluster[0] * data.draw(st.integers(1, 3)), data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2)))
    image = program(COVER)
    machine = machine_with(image, config)
    machine.write(OUT, bytes(0x4000))
    machine.launch(launch_of(image, grid=grid, block=block, cluster=cluster))
    summary = machine.run(200_000, seed=data.draw(st.one_of(st.none(), st.integers(0, 9))))
    assert words(machine, math.prod(grid) * math.prod(block) + 8)[:-8] == [1] * (math.prod(grid) * math.prod(block))
    assert words(machine, 8, OUT + 4 * math.prod(grid) * math.prod(block)) == [0] * 8
    assert summary.ctas == math.prod(grid)
    assert not machine.findings, [str(finding) for finding in machine.findings]


# ------------------------------------------------------------------ slots


def test_b7_slots_are_strictly_round_robin() -> None:
    """LMEM 16384, 5000 bytes a CTA: stride 5056, three slots; the fourth CTA waits for slot 0 though slot 1 is free."""
    machine = started(machine_with(ends_at_once()), (5, 1, 1), (4, 1, 1), lmem=5000)
    core = machine.cores[0]
    for expected in (0, 1, 2):
        accepted = machine.accept_cta(0)
        core.start_warp()
        assert (accepted.slot, accepted.lmem_addr) == (expected, 0xFFFF0000 + 5056 * expected)
    assert not machine.can_accept(0)
    finish(machine, 0, 1)
    assert not machine.can_accept(0)
    with pytest.raises(DispatchError, match="slot 0 is not free"):
        machine.accept_cta(0)
    finish(machine, 0, 0)
    assert machine.accept_cta(0).slot == 0
    core.start_warp()
    assert machine.accept_cta(0).slot == 1


@pytest.mark.parametrize(
    ("lmem", "usable"), [(0, 4), (1, 4), (4096, 4), (4097, 3), (5461, 2), (5440, 3), (8192, 2), (8193, 1), (16384, 1)]
)
def test_usable_slots(lmem: int, usable: int) -> None:
    machine = started(machine_with(ends_at_once()), (8, 1, 1), (1, 1, 1), lmem=lmem)
    slots = []
    while machine.can_accept(0):
        slots.append(machine.accept_cta(0).slot)
        machine.cores[0].start_warp()
    assert slots == list(range(usable))


def test_slots_restart_at_zero_with_each_launch() -> None:
    machine = machine_with(ends_at_once())
    for _ in range(3):
        started(machine, (1, 1, 1), (4, 1, 1))
        assert machine.accept_cta(0).slot == 0
        machine.cores[0].start_warp()
        finish(machine, 0, 0)


def test_cluster_waits_for_a_whole_window_of_slots() -> None:
    """Clusters of 3 on 4 slots: the second cluster cannot wrap around, it begins at slot 0 again."""
    machine = started(machine_with(ends_at_once()), (6, 1, 1), (4, 1, 1), cluster=(3, 1, 1))
    core = machine.cores[0]
    assert [(machine.accept_cta(0).slot, core.start_warp().first_use)[0] for _ in range(3)] == [0, 1, 2]
    assert not machine.can_accept(0)
    finish(machine, 0, 0)
    finish(machine, 0, 1)
    assert not machine.can_accept(0), "three free slots from 0 on are needed"
    with pytest.raises(DispatchError, match="slot 2 is not free"):
        machine.accept_cta(0)
    finish(machine, 0, 2)
    assert machine.accept_cta(0).slot == 0


def test_cluster_does_not_run_over_the_last_usable_slot() -> None:
    """Three usable slots, clusters of two: the second cluster would need slots 2 and 3, so it waits for 0 and 1."""
    machine = started(machine_with(ends_at_once()), (4, 1, 1), (4, 1, 1), lmem=5000, cluster=(2, 1, 1))
    core = machine.cores[0]
    for expected in (0, 1):
        assert machine.accept_cta(0).slot == expected
        core.start_warp()
    assert not machine.can_accept(0)
    finish(machine, 0, 0)
    finish(machine, 0, 1)
    assert machine.accept_cta(0).slot == 0


def test_cluster_stays_on_the_core_that_began_it() -> None:
    machine = started(machine_with(ends_at_once(), shape(num_cores=2)), (4, 1, 1), (4, 1, 1), cluster=(2, 1, 1))
    machine.accept_cta(1)
    machine.cores[1].start_warp()
    assert not machine.can_accept(0)
    with pytest.raises(DispatchError, match="whose cluster began on core 1"):
        machine.accept_cta(0)
    machine.accept_cta(1)
    assert machine.can_accept(0)
    assert machine.accept_cta(0).cta.block_idx == (2, 0, 0)


def test_one_cta_is_expanded_at_a_time() -> None:
    machine = started(machine_with(ends_at_once()), (2, 1, 1), (8, 1, 1))
    core = machine.cores[0]
    machine.accept_cta(0)
    core.start_warp()
    assert not machine.can_accept(0)
    with pytest.raises(DispatchError, match="are still to be started"):
        machine.accept_cta(0)
    core.start_warp()
    assert machine.can_accept(0)


def test_choices_that_are_illegal_are_refused() -> None:
    machine = started(machine_with(ends_at_once()), (1, 1, 1), (16, 1, 1))
    core = machine.cores[0]
    with pytest.raises(DispatchError, match="no CTA whose warps"):
        core.start_warp()
    with pytest.raises(DispatchError, match="only 1 cores"):
        machine.accept_cta(1)
    machine.accept_cta(0)
    assert core.start_warp(2).rank == 0
    with pytest.raises(DispatchError, match="cannot start warp 2: it is active"):
        core.start_warp(2)
    with pytest.raises(DispatchError, match="has no warp 4"):
        core.start_warp(4)
    assert [core.start_warp().warp for _ in range(3)] == [0, 1, 3], "the lowest inactive warp"
    with pytest.raises(DispatchError, match="all CTAs of the grid"):
        machine.accept_cta(0)


@pytest.mark.parametrize(("threads", "masks"), [(1, [1]), (4, [15]), (5, [15, 1]), (11, [15, 15, 7]), (16, [15] * 4)])
def test_masks_of_the_warps(threads: int, masks: list[int]) -> None:
    machine = started(machine_with(ends_at_once()), (1, 1, 1), (threads, 1, 1))
    assert machine.accept_cta(0).num_warps == len(masks)
    starts = [machine.cores[0].start_warp() for _ in masks]
    assert [start.tmask for start in starts] == masks
    assert [start.rank for start in starts] == list(range(len(masks)))
    assert all(start.pc == BASE and start.first_use and start.param == ARGS for start in starts)


def test_warps_of_a_partly_started_cta_wait_for_free_warps() -> None:
    machine = started(machine_with(ends_at_once()), (2, 1, 1), (12, 1, 1))
    core = machine.cores[0]
    machine.accept_cta(0)
    for _ in range(3):
        core.start_warp()
    machine.accept_cta(0)
    assert core.start_warp().warp == 3
    with pytest.raises(DispatchError, match="no inactive warp"):
        core.start_warp()
    step = core.warps[1].step()
    assert (step.warp_ended, step.retired_slot) == (True, None)
    assert core.start_warp().warp == 1
    assert core.warps[1].slot == 1


# ------------------------------------------------------------------ first use and rewind


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_windows_are_recognised_to_the_instruction(entry: EntryGeneration) -> None:
    image = program("ret", entry)
    start = image.labels["window"]

    def recognised(changes: dict[int, int]) -> bool:
        def read(addr: int) -> int:
            if addr - start in changes:
                return changes[addr - start]
            return int.from_bytes(image.image[addr - BASE : addr - BASE + 4], "little")

        return is_window(read, start, entry)

    call = call_offset(entry)
    assert recognised({})
    assert not recognised({entry.rewind - 4: 0x0002800B}), "tmc t0"
    assert not recognised({call - 4: 0x34002173}), "argument into sp"
    assert not recognised({call: 0x000D8067}), "jump without link"
    assert not recognised({call: 0x00000013}), "no call"
    assert recognised({0: 0xCE1022F3}) == (entry is EntryGeneration.CTA_ENTRY), "entry into another register"
    assert not is_window(lambda addr: 0, -8, entry)


@pytest.mark.parametrize("entry", list(EntryGeneration))
def test_reused_warp_re_enters_at_its_window(entry: EntryGeneration) -> None:
    kernel = "csrr t3, cta_block_id_x\n slli t3, t3, 2\n add t3, t3, a0\n li t4, 7\n sw t4, 0(t3)\n ret"
    image = program(kernel, entry)
    machine = machine_with(image, entry=entry)
    machine.launch(launch_of(image, entry=entry, grid=(3, 1, 1), block=(16, 1, 1)))
    core = machine.cores[0]
    startup = image.kernels["k"] if entry is EntryGeneration.S11 else BASE
    for round_number in range(3):
        machine.accept_cta(0)
        starts = [core.start_warp() for _ in range(4)]
        expected = startup if round_number == 0 else image.labels["window"]
        assert [start.pc for start in starts] == [expected] * 4
        for warp in core.warps:
            while warp.active:
                warp.step()
    assert words(machine, 4) == [7, 7, 7, 0]
    assert not machine.findings, [str(finding) for finding in machine.findings]
    machine.launch(launch_of(image, entry=entry, grid=(1, 1, 1), block=(4, 1, 1)))
    machine.accept_cta(0)
    assert core.start_warp().pc == startup, "every launch begins with the prologue"


def test_registers_survive_a_cta() -> None:
    image = program("addi s2, s2, 1\n csrr t0, thread_id\n slli t0, t0, 2\n add t0, t0, a0\n sw s2, 0(t0)\n ret")
    machine = machine_with(image, shape(num_warps=1))
    machine.cores[0].warps[0].undef[18] = 0
    machine.launch(launch_of(image, grid=(5, 1, 1)))
    machine.run()
    assert words(machine, 4) == [5] * 4
