"""Memory serves atomics of two cores alternately: records and values made by hand, line by line."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from config import HardwareConfig
from golden_model import Launch
from golden_model.follow.adopted import AdoptedKind
from golden_model.machine import Tier
from golden_model.records.layout import Kind, MemoryOp
from tests.unit import follow_kernels
from tests.unit.fake_hardware import OUT
from tests.unit.follow_bench import Bench, Row, Rows

TWO_CORES = HardwareConfig(num_cores=2, num_warps=2)
SEED = 2  # one block on each core
LINE = 64

# Lanes 0 and 1 of both cores meet in one word, lanes 2 and 3 in a word of the next line. Operands differ everywhere.
KERNEL = f"""
kernel:
    csrr t1, core_id
    slli t1, t1, 4
    csrr t2, thread_id
    add t1, t1, t2
    addi t3, t1, 1
    srli t2, t2, 1
    slli t2, t2, 6
    li a3, {OUT:#x}
    add a3, a3, t2
atomic:
    %s
    ret
"""
ADD = KERNEL % "amoadd.w t4, t3, (a3)"
ADD_IN_PLACE = KERNEL % "amoadd.w a3, t3, (a3)"  # the address of a lane is gone when it has been served
CONDITIONAL = ADD.replace("atomic:", "lr.w zero, (a3)\natomic:").replace("amoadd.w", "sc.w")
LOW, HIGH = 0b0011, 0b1100


def operands(core: int) -> list[int]:
    return [16 * core + lane + 1 for lane in range(4)]


class Hand:
    """Rewrites what the fake hardware recorded of the two atomics."""

    def __init__(self, order: list[tuple[int, int]], values: dict[tuple[int, int], int] | None) -> None:
        """`order`: (core 0 or 1, lanes) as memory served them; `values` by (core, lane), None: as they follow."""
        self.order, self.values = order, values

    def __call__(self, rows: Rows, bench: Bench) -> None:
        commits = [row for row in rows[Kind.COMMIT] if row["pc"] == bench.address("atomic")]
        by_core = {row["core"]: row for row in commits}
        assert len(commits) == 2 and set(by_core) == {0, 1}, "not one warp on each core: take another seed"
        first, second = sorted(commits, key=lambda row: row["cycle"])
        self._delay(rows, first, second["cycle"] - first["cycle"])
        for row in commits:  # time for four records
            self._delay(rows, row, 6)
        cycle = second["cycle"] - 5
        uids = {row["core"]: row["uid"] for row in commits}
        old = [row for row in rows[Kind.MEMORY] if row["uid"] == uids[row["core"]]]
        assert all(row["op"] == MemoryOp.ATOMIC for row in old)
        shown = {row["core"]: row for row in old}
        rows[Kind.MEMORY] = [row for row in rows[Kind.MEMORY] if row not in old]
        for number, (core, mask) in enumerate(self.order):
            addr = [OUT + LINE * (lane // 2) for lane in range(4)]
            changes = {"cycle": cycle + number, "mask": mask, "addr": addr, "data": operands(core)}
            rows[Kind.MEMORY].append({**shown[core], **changes})
        values = self.values or results(self.order)
        for core, row in by_core.items():
            row["data"] = [values[core, lane] for lane in range(4)]

    @staticmethod
    def _delay(rows: Rows, commit: Row, cycles: int) -> None:
        """The core does everything from this commit on later; nothing else runs on it."""
        begin = commit["cycle"]
        for kind in (Kind.COMMIT, Kind.CTA, Kind.MEMORY):
            for row in rows[kind]:
                if row.get("core") == commit["core"] and row["cycle"] >= begin:
                    row["cycle"] += cycles
            rows[kind].sort(key=lambda row: row["cycle"])


def results(order: list[tuple[int, int]]) -> dict[tuple[int, int], int]:
    """Old values, line by line: each line is one counter."""
    counters = [0, 0]
    values = {}
    for core, mask in order:
        for lane in [lane for lane in range(4) if mask >> lane & 1]:
            values[core, lane] = counters[lane // 2]
            counters[lane // 2] += operands(core)[lane]
    return values


def run(kernel: str, mutate: Callable[[Rows, Bench], None], tier: Tier) -> Bench:
    bench = Bench(kernel, TWO_CORES, seed=SEED, mutate=mutate, max_packets=1, tier=tier)
    launch: Launch = follow_kernels.launch(bench.image, grid=2, block=4)
    bench.launch(launch)
    return bench


ALTERNATING = [(0, LOW), (1, HIGH), (0, HIGH), (1, LOW)]
ORDERS = {
    "one after the other": [(0, LOW), (0, HIGH), (1, LOW), (1, HIGH)],
    "alternating": ALTERNATING,
    "the other first": [(1, HIGH), (0, LOW), (1, LOW), (0, HIGH)],
    "one inside": [(1, LOW), (0, HIGH), (0, LOW), (1, HIGH)],
    "lane by lane": [(0, 8), (1, 1), (0, 1), (1, 4), (1, 2), (0, 2), (0, 4), (1, 8)],
}


@pytest.mark.parametrize("tier", ["readable", "fast"])
@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("kernel", [ADD, ADD_IN_PLACE])
def test_each_line_in_its_turn(kernel: str, order: str, tier: Tier) -> None:
    bench = run(kernel, Hand(ORDERS[order], None), tier)
    assert bench.difference is None, bench.report()
    golden = [int.from_bytes(bench.golden.read(OUT + LINE * line, 4), "little") for line in (0, 1)]
    both = [operands(0)[lane] + operands(1)[lane] for lane in range(4)]
    assert golden == [both[0] + both[1], both[2] + both[3]], "every lane once"
    assert bench.follower.coverage.instructions == sum(bench.hardware.retired)


@pytest.mark.parametrize("tier", ["readable", "fast"])
def test_values_of_another_order_are_found(tier: Tier) -> None:
    """The records alternate, the values are those of whole atomics."""
    bench = run(ADD, Hand(ALTERNATING, results(ORDERS["one after the other"])), tier)
    assert bench.difference is not None and bench.difference.check == "lane result", bench.report()


@pytest.mark.parametrize("tier", ["readable", "fast"])
def test_a_line_served_twice_is_found(tier: Tier) -> None:
    order = [(0, LOW), (1, HIGH), (0, LOW), (1, LOW)]
    bench = run(ADD, Hand(order, results(ORDERS["one after the other"])), tier)
    assert bench.difference is not None and bench.difference.check == "memory mask", bench.report()


STORED = [(0, 0b0001), (1, 0b0100), (0, 0), (1, 0)]  # of each line the first; the others' reservations are broken
SUCCESS = {(0, 0), (1, 2)}


@pytest.mark.parametrize("tier", ["readable", "fast"])
def test_conditional_stores_in_their_turn(tier: Tier) -> None:
    values = {(core, lane): int((core, lane) not in SUCCESS) for core in (0, 1) for lane in range(4)}
    bench = run(CONDITIONAL, Hand(STORED, values), tier)
    assert bench.difference is None, bench.report()
    golden = [int.from_bytes(bench.golden.read(OUT + LINE * line, 4), "little") for line in (0, 1)]
    assert golden == [operands(0)[0], operands(1)[2]]
    assert bench.follower.coverage.adopted[AdoptedKind.SC_FAILURE] == 0, "every failure has its reason"


@pytest.mark.parametrize("tier", ["readable", "fast"])
def test_a_conditional_store_without_a_reservation_is_found(tier: Tier) -> None:
    """Core 0 stores to the second line although core 1 has done so since."""
    success = {*SUCCESS, (0, 2)}
    values = {(core, lane): int((core, lane) not in success) for core in (0, 1) for lane in range(4)}
    bench = run(CONDITIONAL, Hand([(0, 0b0001), (1, 0b0100), (0, 0b0100), (1, 0)], values), tier)
    assert bench.difference is not None and bench.difference.check in ("lane result", "memory mask"), bench.report()
