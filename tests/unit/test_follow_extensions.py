"""Atomics, float flags, WSPAWN, BAR.ARRIVE, WGATHER: what the design chose is followed, the rest compared."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config import HardwareConfig
from golden_model import FindingKind, Launch
from golden_model.follow.adopted import AdoptedKind
from golden_model.machine import Tier
from golden_model.records.layout import CtaEvent, Kind, MemoryOp
from tests.unit import follow_kernels
from tests.unit.fake_hardware import BASE
from tests.unit.follow_bench import Bench, Mutation, Rows
from tests.unit.follow_kernels import _INDEX

FULL = HardwareConfig(ext_a=True, ext_f=True, ext_simt_full=True, ext_packed=True)

# Every lane of every warp takes numbers from one word, then tries to store with a reservation.
ATOMICS = f"""
kernel:
    {_INDEX}
    lw a3, 4(a0)
    li t3, 5
add:
    amoadd.w t2, t3, (a3)
    amomax.w zero, t2, (a3)
    slli t0, t0, 4
    add a2, a2, t0
reserve:
    lr.w t4, (a2)
    addi t4, t4, 1
store:
    sc.w t5, t4, (a2)
    sw t5, 0(a2)
    ret
""".replace("    bar zero, t6\n", "")

FLOATS = f"""
kernel:
    {_INDEX}
    flw ft0, 0(a1)
    lw t2, 0(a1)
    fcvt.s.w ft1, t2
divide:
    fdiv.s ft2, ft1, ft0
    fmadd.s ft3, ft2, ft1, ft0
    fsw ft3, 0(a2)
    csrr t3, fflags
    sw t3, 0(a2)
undefined:
    fadd.s ft4, ft5, ft6
    ret
"""

LANES = f"""
kernel:
    {_INDEX}
    lw t2, 0(a1)
gather:
    wgather t3, t2, t2, t2, 1
    vote.all t4, t2
    li t5, 1
    shfl.bfly t6, t2, t5
    add t3, t3, t4
    add t3, t3, t6
    sw t3, 0(a2)
    ret
"""

ARRIVE = f"""
kernel:
    {_INDEX}
    csrr s9, cta_id
    csrr s10, cta_size
    li s5, 3
again:
    bar.arrive t2, s9, s10
    lw t3, 0(a1)
    bar.wait s9, t2
    addi s5, s5, -1
    bnez s5, again
    sw t3, 0(a2)
    ret
"""

# One warp starts the others, which store and end; then it waits until it is alone.
SPAWN = """
kernel:
    li t0, 4
    jal t1, spawn
other:
    csrr t2, warp_id
    li a2, 0x40000
    slli t3, t2, 2
    add a2, a2, t3
    lw t4, 0(a2)
    sw t2, 0(a2)
    tmc zero
spawn:
    wspawn t0, t1
    li t0, 1
    wspawn t0, t1
    ret
"""

# A barrier across cores, which the only warp of the only core passes at once.
ACROSS = """
kernel:
    lui s9, 0x80000
    li s10, 1
    li s5, 30
again:
    bar s9, s10
    bar.arrive t2, s9, s10
    addi t3, t3, 1
    bar.wait s9, t2
    addi s5, s5, -1
    bnez s5, again
    ret
"""

KERNELS = {"atomics": ATOMICS, "floats": FLOATS, "lanes": LANES, "arrive": ARRIVE}


def bench(body: str, seed: int = 1, mutate: Mutation | None = None) -> Bench:
    return Bench(body, FULL, seed=seed, mutate=mutate, allowed=(FindingKind.UNDEFINED_STORE,))


def spawn_launch(made: Bench) -> Launch:
    return follow_kernels.launch(made.image, grid=1, block=1)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_correct_design_passes(name: str, seed: int) -> None:
    made = bench(KERNELS[name], seed)
    assert made.launch() is None, made.report()
    assert made.follower.coverage.instructions == made.hardware.steps > 100
    adopted = made.follower.coverage.adopted
    assert (adopted[AdoptedKind.LANE_ORDER] > 0) == (name == "atomics")
    assert (adopted[AdoptedKind.SC_FAILURE] > 0) == (name == "atomics")


@pytest.mark.parametrize("tier", ["readable", "fast"])
def test_barriers_across_cores_are_followed(tier: Tier) -> None:
    made = Bench(ACROSS, FULL, tier=tier, allowed=(FindingKind.UNDEFINED_STORE,))
    assert made.launch(spawn_launch(made)) is None, made.report()
    assert made.follower.coverage.barriers == 3 * 30


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_spawned_warps_are_followed(seed: int) -> None:
    made = bench(SPAWN, seed)
    for _ in range(2):
        assert made.launch(spawn_launch(made)) is None, made.report()
    assert made.follower.coverage.warps_started >= 2 * 4
    assert made.follower.coverage.warps_started - 2 == made.hardware.spawned
    assert made.follower.coverage.instructions == made.hardware.steps


def _commit(label: str, number: int, **fields: object) -> Mutation:
    def mutate(rows: Rows, made: Bench) -> None:
        row = [row for row in rows[Kind.COMMIT] if row["pc"] == made.address(label) and row["wmask"]][number]
        for name, value in fields.items():
            row[name] = value(row[name]) if callable(value) else value

    return mutate


def _first_written(rows: Rows, made: Bench) -> None:
    row = [row for row in rows[Kind.COMMIT] if row["pc"] == made.address("add") and row["wmask"]][2]
    lane = row["wmask"].bit_length() - 1
    row["data"] = [value ^ (index == lane) for index, value in enumerate(row["data"])]


def _swap_lanes(rows: Rows, made: Bench) -> None:
    """Memory serves two lanes in another order than the record says."""
    atomics = [row for row in rows[Kind.MEMORY] if row["op"] == MemoryOp.ATOMIC]
    first, second = atomics[0], atomics[1]
    first["mask"], second["mask"] = second["mask"], first["mask"]


def _operand(rows: Rows, made: Bench) -> None:
    row = next(row for row in rows[Kind.MEMORY] if row["op"] == MemoryOp.ATOMIC)
    row["data"] = [value ^ 0x100 for value in row["data"]]


def _without_mask(rows: Rows, made: Bench) -> None:
    """WGATHER that writes the active lanes instead of the others."""
    row = next(row for row in rows[Kind.COMMIT] if row["pc"] == made.address("gather") and row["wmask"])
    row["wmask"] &= row["wmask"] - 1


MUTATIONS: dict[str, tuple[str, Callable[[Rows, Bench], None], str]] = {
    "old value": (ATOMICS, _first_written, "lane result"),
    "lane order": (ATOMICS, _swap_lanes, "lane result"),
    "operand": (ATOMICS, _operand, "atomic operand"),
    "flags": (FLOATS, _commit("divide", 0, fflags=lambda old: old ^ 4), "float flags"),
    "gather": (LANES, _without_mask, "write mask"),
}


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_fault_is_found(name: str) -> None:
    body, mutate, check = MUTATIONS[name]
    made = bench(body, mutate=mutate)
    difference = made.launch()
    assert difference is not None and difference.check == check, made.report()


def _no_spawn(rows: Rows, made: Bench) -> None:
    rows[Kind.CTA] = [row for row in rows[Kind.CTA] if row["event"] != CtaEvent.SPAWN]


def _spawn(**fields: object) -> Mutation:
    def mutate(rows: Rows, made: Bench) -> None:
        row = next(row for row in rows[Kind.CTA] if row["event"] == CtaEvent.SPAWN)
        row.update(fields)

    return mutate


@pytest.mark.parametrize(
    ("mutate", "check"),
    [(_no_spawn, "warp ended twice"), (_spawn(pc=BASE), "warp start pc"), (_spawn(tmask=3), "warp mask"),
     (_spawn(uid=77), "warp spawn")],
)  # fmt: skip
def test_a_wrong_spawn_is_found(mutate: Mutation, check: str) -> None:
    made = bench(SPAWN, mutate=mutate)
    difference = made.launch(spawn_launch(made))
    assert difference is not None and difference.check == check, made.report()
