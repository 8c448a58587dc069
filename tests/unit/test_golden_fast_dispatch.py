"""Dispatch in C against dispatch.py: random launches, in order and by seed, interrupted and resumed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from config import HardwareConfig
from golden_model import LimitError, Machine, RunSummary, Watch
from golden_model.fast import dispatching
from tests.unit.golden_program import OUT, Program, launch_of, machine_with, program
from tests.unit.golden_tiers import needs_compiler, outcome

pytestmark = needs_compiler

# Every lane adds what tells its place to a word of its own; warps of different blocks run for different times.
KERNEL = """
    csrr t0, cta_block_id_x
    csrr t1, cta_block_id_y
    csrr t2, cta_block_id_z
    csrr t3, cta_thread_id_x
    csrr t4, cta_thread_id_y
    csrr t5, cta_thread_id_z
    csrr t6, cta_rank
    slli t1, t1, 4
    slli t2, t2, 8
    slli t4, t4, 12
    slli t5, t5, 16
    slli t6, t6, 20
    add a1, t0, t1
    andi a2, a1, 7
again:
    addi a2, a2, -1
    blt zero, a2, again
    add a1, a1, t2
    add a1, a1, t4
    add a1, a1, t5
    add a1, a1, t6
    add a1, a1, t3
    csrr t0, cta_id
    csrr t1, cta_lmem_addr
    csrr t2, cta_size
    csrr t3, cta_grid_dim_x
    csrr t4, cta_cluster_size
    csrr t5, mhartid
    sub t1, t1, t0
    add t1, t1, t2
    add t1, t1, t3
    add t1, t1, t4
    slli t5, t5, 3
    add t5, t5, a0
    lw t6, 0(t5)
    add t6, t6, a1
    sw t6, 0(t5)
    sw t1, 4(t5)
    ret
kernel_inside:
    csrr t0, cta_block_id_x
    tmc zero
kernel_window:
    lla t0, elsewhere
    jr t0
    nop
    nop
    nop
    nop
    nop
elsewhere:
    tmc zero
"""
CONFIG = HardwareConfig(num_cores=3)


def case(seed: int) -> dict[str, Any]:
    """A launch that the hardware can run."""
    r = random.Random(seed)
    block = (r.randint(1, 5), r.choice((1, 1, 2, 3)), r.choice((1, 1, 1, 2)))
    while block[0] * block[1] * block[2] > CONFIG.core_threads:
        block = (r.randint(1, 5), 1, 1)
    cluster = r.choice(((1, 1, 1), (1, 1, 1), (2, 1, 1), (1, 2, 1), (2, 1, 2)))
    grid = (cluster[0] * r.randint(1, 6), cluster[1] * r.randint(1, 4), cluster[2] * r.randint(1, 2))
    return {"grid": grid, "block": block, "cluster": cluster, "lmem": r.choice((0, 0, 4, 64, 65, 4096, 2048))}


def run_in_pieces(machine: Machine, seed: int | None, limit: int) -> list[object]:
    """A run that is stopped and goes on, again and again."""
    pieces: list[object] = []
    while True:
        try:
            pieces.append(machine.run(limit, seed))
            return pieces
        except LimitError as error:
            pieces.append(str(error))


def both(image: Program, seed: int | None, limit: int = 50_000, **shape: Any) -> None:
    results = []
    for tier in ("readable", "fast"):
        machine = machine_with(image, CONFIG)
        machine.tier = "fast" if tier == "fast" else "readable"
        texts: list[object] = []
        for _ in range(2):  # what the first launch leaves behind matters to the second
            machine.launch(launch_of(image, **shape))
            texts += run_in_pieces(machine, seed, limit)
        result = outcome(machine, limit)
        warps = [
            (w.resident, w.slot, w.rank, w.thread_idx, w.cta_mask, w.spawned) for c in machine.cores for w in c.warps
        ]
        cores = [(c.dispatcher.slots, c.dispatcher.tail, c.dispatcher.initialised) for c in machine.cores]
        results.append((texts, result, warps, cores, machine.locked_core, machine.kmu.taken))
    readable, fast = results
    for mine, theirs in zip(fast, readable, strict=True):
        assert mine == theirs


@pytest.mark.parametrize("seed", range(30))
def test_random_launches(seed: int) -> None:
    image = program(KERNEL)
    shape = case(seed)
    print(f"case {seed}: {shape}")
    both(image, seed if seed % 2 else None, **shape)


@pytest.mark.parametrize("seed", range(8))
def test_runs_in_pieces(seed: int) -> None:
    """The limit strikes in the middle of dispatch, of a cluster, of a block; the queue goes back to the KMU."""
    image = program(KERNEL)
    both(image, seed if seed % 2 else None, limit=random.Random(seed).randint(7, 300), **case(100 + seed))


@pytest.mark.parametrize("kernel", ["inside", "window"])
@pytest.mark.parametrize("seed", [None, 3])
def test_a_warp_that_ends_elsewhere(kernel: str, seed: int | None) -> None:
    """No dispatch window at its end: the same finding at the same place."""
    image = program(KERNEL)
    both(image, seed, kernel=kernel, grid=(9, 1, 1), limit=400)


def test_a_grid_larger_than_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching, "_QUEUE", 7)
    image = program(KERNEL)
    for seed in (None, 5):
        both(image, seed, grid=(5, 5, 2), block=(3, 1, 1))
        both(image, seed, grid=(5, 6, 1), block=(3, 1, 1), limit=100)


def test_exactly_one_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatching, "_QUEUE", 10)
    image = program(KERNEL)
    both(image, None, grid=(10, 1, 1))
    both(image, None, grid=(20, 1, 1))


def test_an_exception_from_a_watch_leaves_a_consistent_machine() -> None:
    image = program(KERNEL)
    machine = machine_with(image, CONFIG)
    machine.tier = "fast"
    machine.launch(launch_of(image, grid=(40, 1, 1)))

    def stop(instructions: int, blocks: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        machine.run(watch=Watch(progress=stop, every=300))
    taken = machine.kmu.taken
    assert 0 < taken < 40
    assert machine.busy
    done = sum(core.minstret for core in machine.cores)
    rest = machine.run()
    assert isinstance(rest, RunSummary)
    assert (rest.ctas, machine.kmu.taken, machine.busy) == (40 - taken, 40, False)
    whole = machine_with(image, CONFIG)
    whole.launch(launch_of(image, grid=(40, 1, 1)))
    assert whole.run().warp_instructions == done + rest.warp_instructions
    assert whole.read(OUT, 0x1000) == machine.read(OUT, 0x1000)


def test_the_queue_has_the_layout_of_c() -> None:
    machine = machine_with(program(KERNEL), CONFIG)
    machine.tier = "fast"
    machine.warm_up()
    engine = machine._engine
    assert engine is not None
    assert dispatching.sizes_agree(engine.tables.layout)
