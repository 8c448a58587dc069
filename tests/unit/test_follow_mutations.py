"""One fault of every kind in the records of a design: each must be caught, by the check that names it best."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from golden_model.follow.difference import Category
from golden_model.records.layout import BarrierOp, CommitFlag, CtaEvent, IpdomOp, Kind, MemoryOp, MemorySpace
from tests.unit.follow_bench import Bench, Mutation, Row, Rows
from tests.unit.follow_kernels import CALLS, COUNTERS, DIVERGENT, EXCHANGE

Choose = Callable[[Row, Bench], bool]


def _at(label: str) -> Choose:
    """COMMIT records of the instruction at a label."""
    return lambda row, bench: row["pc"] == bench.address(label)


def _event(event: CtaEvent) -> Choose:
    return lambda row, bench: row["event"] == event


def _memory_at(label: str) -> Choose:
    """MEMORY records of the instruction at a label, found through its commits."""

    def choose(row: Row, bench: Bench) -> bool:
        commits = bench.hardware.rows[Kind.COMMIT]
        same = (commit for commit in commits if all(commit[name] == row[name] for name in ("core", "warp", "uid")))
        return bool(next(same)["pc"] == bench.address(label))

    return choose


def change(kind: Kind, choose: Choose, number: int, **fields: object) -> Mutation:
    """Replace fields of the chosen record number `number`; a callable gets the old value."""

    def mutate(rows: Rows, bench: Bench) -> None:
        row = [row for row in rows[kind] if choose(row, bench)][number]
        for name, value in fields.items():
            row[name] = value(row[name]) if callable(value) else value

    return mutate


def drop(kind: Kind, choose: Choose, number: int) -> Mutation:
    def mutate(rows: Rows, bench: Bench) -> None:
        rows[kind].remove([row for row in rows[kind] if choose(row, bench)][number])

    return mutate


def double(kind: Kind, choose: Choose, number: int, **fields: object) -> Mutation:
    def mutate(rows: Rows, bench: Bench) -> None:
        row = [row for row in rows[kind] if choose(row, bench)][number]
        rows[kind].append({**row, "cycle": row["cycle"] + 3, **fields})

    return mutate


def _flip_lane(lane: int, bits: int) -> Callable[[list[int]], list[int]]:
    return lambda values: [value ^ bits if index == lane else value for index, value in enumerate(values)]


def _swap_warps(rows: Rows, bench: Bench) -> None:
    """The dispatcher starts two warps of one CTA with each other's rank."""
    starts = [row for row in rows[Kind.CTA] if row["event"] == CtaEvent.WARP_START][:2]
    starts[0]["rank"], starts[1]["rank"] = starts[1]["rank"], starts[0]["rank"]


def _swap_commits(rows: Rows, bench: Bench) -> None:
    """Two results of different warps are written to each other's registers."""
    product = [row for row in rows[Kind.COMMIT] if row["pc"] == bench.address("product") + 4 and row["wmask"] == 15]
    first, second = product[0], next(row for row in product if row["warp"] != product[0]["warp"])
    first["data"], second["data"] = second["data"], first["data"]


def _swap_memory(rows: Rows, bench: Bench) -> None:
    """The LSU takes two accesses of one warp in the wrong order, both before either commits."""

    def committed(access: Row) -> int:
        same = (row for row in rows[Kind.COMMIT] if all(row[n] == access[n] for n in ("core", "warp", "uid")))
        return max(int(row["cycle"]) for row in same)

    first, later = next(
        (first, later)
        for first in rows[Kind.MEMORY][4:]
        for later in rows[Kind.MEMORY]
        if (first["core"], first["warp"]) == (later["core"], later["warp"])
        if first["uid"] < later["uid"] and first["cycle"] < later["cycle"] <= committed(first)
    )
    first["cycle"], later["cycle"] = later["cycle"], first["cycle"]
    rows[Kind.MEMORY].sort(key=lambda row: row["cycle"])


def _release_early(rows: Rows, bench: Bench) -> None:
    """The second of three arrivals lets everybody go."""
    row = [row for row in rows[Kind.BARRIER] if row["released"] == 0][1]
    row["released"] = 0b1111


def _release_less(rows: Rows, bench: Bench) -> None:
    """The last arrival lets only itself go; the others never commit anything again."""
    row = next(row for row in rows[Kind.BARRIER] if row["released"] == 0b111)
    row["released"] = 1 << row["warp"]
    before = [other for other in rows[Kind.BARRIER] if other["cycle"] < row["cycle"]]
    held = {
        warp: max((other["uid"] for other in before if other["warp"] == warp), default=1 << 32) for warp in range(3)
    }
    held[row["warp"]] = 1 << 32
    for kind in (Kind.COMMIT, Kind.MEMORY, Kind.BARRIER, Kind.IPDOM):
        rows[kind] = [other for other in rows[kind] if other["uid"] <= held.get(other["warp"], 1 << 32)]


def _run_through(rows: Rows, bench: Bench) -> None:
    """A warp goes on although the barrier unit holds it: its commit comes before the release."""
    held = next(row for row in rows[Kind.BARRIER] if row["released"] == 0)
    after = min(
        (row for row in rows[Kind.COMMIT] if row["warp"] == held["warp"] and row["uid"] > held["uid"]),
        key=lambda row: row["cycle"],
    )
    after["cycle"] = held["cycle"] + 1


def _retire_early(rows: Rows, bench: Bench) -> None:
    retire = next(row for row in rows[Kind.CTA] if row["event"] == CtaEvent.RETIRE)
    ends = [row for row in rows[Kind.CTA] if row["event"] == CtaEvent.WARP_END and row["slot"] == retire["slot"]]
    retire["cycle"] = ends[0]["cycle"] - 1
    rows[Kind.CTA].sort(key=lambda row: row["cycle"])


def _extra_instruction(rows: Rows, bench: Bench) -> None:
    """A warp executes one more instruction after the last one of its launch."""
    last = max((row for row in rows[Kind.COMMIT] if row["warp"] == 0), key=lambda row: row["uid"])
    rows[Kind.COMMIT].append({**last, "uid": last["uid"] + 1, "pc": last["pc"] + 4, "cycle": last["cycle"] + 20})


def _keep_commits(rows: Rows, bench: Bench) -> None:
    """The probe of the design shows no instruction at all."""
    for kind in (Kind.COMMIT, Kind.MEMORY, Kind.BARRIER, Kind.IPDOM):
        rows[kind].clear()


_ANY: Choose = lambda row, bench: True  # noqa: E731
_HELD: Choose = lambda row, bench: row["released"] == 0  # noqa: E731
_STORE: Choose = lambda row, bench: row["op"] == MemoryOp.STORE  # noqa: E731
_REUSED: Choose = lambda row, bench: row["event"] == CtaEvent.WARP_START and row["pc"] != 0x8000_0000  # noqa: E731
_WHOLE: Choose = lambda row, bench: (  # noqa: E731
    row["pc"] == bench.address("product") and row["flags"] & 3 == 3 and row["wmask"] == 15
)


CASES: dict[str, tuple[str, Mutation, str, Category]] = {
    # name: kernel, mutation, expected check, expected category
    "lane result": (CALLS, change(Kind.COMMIT, _WHOLE, 1, data=_flip_lane(2, 0x40)), "lane result", Category.RESULT),
    "write mask": (CALLS, change(Kind.COMMIT, _WHOLE, 0, wmask=0b0111), "write mask", Category.RESULT),
    "no write": (CALLS, change(Kind.COMMIT, _WHOLE, 0, rd_file=0), "write mask", Category.RESULT),
    "destination": (CALLS, change(Kind.COMMIT, _WHOLE, 0, rd=17), "destination", Category.RESULT),
    "swapped results": (CALLS, _swap_commits, "lane result", Category.RESULT),
    "pc": (CALLS, change(Kind.COMMIT, _WHOLE, 0, pc=lambda pc: pc + 8), "pc", Category.CONTROL),
    "instruction": (
        CALLS,
        change(Kind.COMMIT, _WHOLE, 0, instr=lambda word: word ^ 1 << 20),
        "instruction word",
        Category.CONTROL,
    ),
    "thread mask": (CALLS, change(Kind.COMMIT, _WHOLE, 0, tmask=0b0111), "thread mask", Category.CONTROL),
    "slot of a commit": (CALLS, change(Kind.COMMIT, _WHOLE, 0, slot=3), "cta slot", Category.DISPATCH),
    "next pc": (
        CALLS,
        change(Kind.COMMIT, _at("return"), 1, next_pc=lambda pc: pc + 4),
        "next pc",
        Category.CONTROL,
    ),
    "no control": (CALLS, change(Kind.COMMIT, _at("return"), 1, flags=3), "control record", Category.CONTROL),
    "mask after JOIN": (
        DIVERGENT,
        change(Kind.COMMIT, _at("outer_join"), 1, next_mask=lambda mask: mask ^ 1),
        "next mask",
        Category.CONTROL,
    ),
    "mask of the instruction after JOIN": (
        DIVERGENT,
        change(
            Kind.COMMIT,
            lambda row, bench: row["pc"] == bench.address("outer_join") + 4 and row["flags"] & 3 == 3,
            0,
            tmask=0b1101,
        ),
        "thread mask",
        Category.CONTROL,
    ),
    "IPDOM operation": (
        DIVERGENT,
        change(Kind.IPDOM, lambda row, bench: row["op"] == IpdomOp.FLIP, 0, op=IpdomOp.POP),
        "ipdom operation",
        Category.CONTROL,
    ),
    "IPDOM mask": (
        DIVERGENT,
        change(Kind.IPDOM, _ANY, 2, mask=lambda mask: mask ^ 2),
        "ipdom saved mask",
        Category.CONTROL,
    ),
    "IPDOM pc": (DIVERGENT, change(Kind.IPDOM, _ANY, 2, pc=lambda pc: pc + 4), "ipdom saved pc", Category.CONTROL),
    "IPDOM pointer": (
        DIVERGENT,
        change(Kind.IPDOM, _ANY, 2, sp=lambda sp: sp + 1),
        "ipdom stack pointer",
        Category.CONTROL,
    ),
    "no push": (
        DIVERGENT,
        drop(Kind.IPDOM, lambda row, bench: row["op"] == IpdomOp.PUSH, 1),
        "ipdom record",
        Category.CONTROL,
    ),
    "second push": (DIVERGENT, double(Kind.IPDOM, _ANY, 0), "extra record", Category.CONTROL),
    "store byte": (
        CALLS,
        change(Kind.MEMORY, _memory_at("store"), 1, data=_flip_lane(0, 0xFF00)),
        "store data",
        Category.MEMORY,
    ),
    "dropped store": (CALLS, drop(Kind.MEMORY, _memory_at("store"), 1), "missing memory access", Category.MEMORY),
    "extra access": (
        CALLS,
        double(Kind.MEMORY, _ANY, -1, uid=10_000),
        "extra record",
        Category.MEMORY,
    ),
    "access of an instruction without": (
        CALLS,
        change(Kind.MEMORY, _memory_at("store"), 1, uid=lambda uid: uid - 1),
        "extra memory access",
        Category.MEMORY,
    ),
    "access twice": (CALLS, double(Kind.MEMORY, _memory_at("store"), 1), "memory mask", Category.MEMORY),
    "memory mask": (
        CALLS,
        change(Kind.MEMORY, _memory_at("store"), 1, mask=lambda mask: mask & ~1),
        "memory mask",
        Category.MEMORY,
    ),
    "memory address": (
        CALLS,
        change(Kind.MEMORY, _memory_at("restore"), 1, addr=_flip_lane(1, 0x8)),
        "memory address",
        Category.MEMORY,
    ),
    "memory size": (CALLS, change(Kind.MEMORY, _STORE, 1, size=2), "memory size", Category.MEMORY),
    "memory operation": (CALLS, change(Kind.MEMORY, _STORE, 1, op=MemoryOp.LOAD), "memory operation", Category.MEMORY),
    "memory space": (
        EXCHANGE,
        change(Kind.MEMORY, _memory_at("to_lmem"), 1, space=MemorySpace.GLOBAL),
        "memory space",
        Category.MEMORY,
    ),
    "memory order": (CALLS, _swap_memory, "memory order", Category.MEMORY),
    "CTA twice": (
        CALLS,
        change(Kind.CTA, _event(CtaEvent.ACCEPT), 3, block_x=1),
        "cta launched twice",
        Category.DISPATCH,
    ),
    "CTA skipped": (CALLS, change(Kind.CTA, _event(CtaEvent.ACCEPT), 3, block_x=4), "cta skipped", Category.DISPATCH),
    "CTA lost": (CALLS, drop(Kind.CTA, _event(CtaEvent.ACCEPT), 4), "warp of no cta", Category.DISPATCH),
    "wrong slot": (CALLS, change(Kind.CTA, _event(CtaEvent.ACCEPT), 1, slot=2), "cta slot", Category.DISPATCH),
    "LMEM address": (
        CALLS,
        change(Kind.CTA, _event(CtaEvent.ACCEPT), 1, lmem_addr=lambda address: address + 64),
        "cta lmem address",
        Category.DISPATCH,
    ),
    "number of warps": (
        CALLS,
        change(Kind.CTA, _event(CtaEvent.ACCEPT), 1, num_warps=2),
        "cta warps",
        Category.DISPATCH,
    ),
    "first of cluster": (
        CALLS,
        change(Kind.CTA, _event(CtaEvent.ACCEPT), 1, first_of_cluster=0),
        "cta cluster",
        Category.DISPATCH,
    ),
    "swapped warps": (CALLS, _swap_warps, "warp rank", Category.DISPATCH),
    "start mask": (
        CALLS,
        change(Kind.CTA, lambda row, bench: row.get("tmask") == 0b0111, 0, tmask=0b1111),
        "warp mask",
        Category.DISPATCH,
    ),
    "rewound pc": (
        CALLS,
        change(Kind.CTA, _REUSED, 0, pc=lambda pc: pc + 4),
        "warp start pc",
        Category.DISPATCH,
    ),
    "prologue skipped": (
        CALLS,
        change(Kind.CTA, _event(CtaEvent.WARP_START), 1, pc=0x8000_002C),
        "warp start pc",
        Category.DISPATCH,
    ),
    "warp started twice": (
        CALLS,
        double(Kind.CTA, _event(CtaEvent.WARP_START), 0),
        "warp started twice",
        Category.DISPATCH,
    ),
    "warp ended twice": (CALLS, double(Kind.CTA, _event(CtaEvent.WARP_END), 14), "warp ended twice", Category.DISPATCH),
    "warp ended for another CTA": (
        CALLS,
        change(Kind.CTA, _event(CtaEvent.WARP_END), 1, slot=lambda slot: slot ^ 1),
        "warp slot",
        Category.DISPATCH,
    ),
    "warp end lost": (CALLS, drop(Kind.CTA, _event(CtaEvent.WARP_END), 14), "cta retired early", Category.DISPATCH),
    "retired early": (CALLS, _retire_early, "cta retired early", Category.DISPATCH),
    "retire lost": (CALLS, drop(Kind.CTA, _event(CtaEvent.RETIRE), 4), "cta not retired", Category.DISPATCH),
    "barrier released early": (EXCHANGE, _release_early, "barrier released early", Category.BARRIER),
    "barrier ignored": (EXCHANGE, _run_through, "barrier released early", Category.BARRIER),
    "barrier not released": (
        EXCHANGE,
        _release_less,
        "barrier not released",
        Category.BARRIER,
    ),
    "barrier phase": (
        EXCHANGE,
        change(Kind.BARRIER, _ANY, 4, phase=lambda x: 1 - x),
        "barrier phase",
        Category.BARRIER,
    ),
    "barrier id": (EXCHANGE, change(Kind.BARRIER, _HELD, 1, id=0x300), "barrier id", Category.BARRIER),
    "barrier count": (EXCHANGE, change(Kind.BARRIER, _HELD, 1, count=9), "barrier participant count", Category.BARRIER),
    "barrier operation": (
        EXCHANGE,
        change(Kind.BARRIER, _HELD, 1, op=BarrierOp.WAIT),
        "barrier operation",
        Category.BARRIER,
    ),
    "barrier lost": (EXCHANGE, drop(Kind.BARRIER, _ANY, 0), "barrier record", Category.BARRIER),
    "missing commit": (CALLS, drop(Kind.COMMIT, _WHOLE, 1), "missing commit", Category.CONTROL),
    "missing last packet": (
        CALLS,
        change(Kind.COMMIT, _WHOLE, 1, flags=CommitFlag.FIRST),
        "missing commit",
        Category.CONTROL,
    ),
    "extra commit": (CALLS, double(Kind.COMMIT, _WHOLE, 1), "extra commit", Category.CONTROL),
    "instruction after the end": (CALLS, _extra_instruction, "extra commit", Category.CONTROL),
    "no first packet": (
        CALLS,
        change(Kind.COMMIT, _WHOLE, 1, flags=CommitFlag.LAST),
        "commit packets",
        Category.CONTROL,
    ),
    "no records": (CALLS, _keep_commits, "missing commit", Category.CONTROL),
    "mcycle": (
        COUNTERS,
        change(
            Kind.COMMIT,
            lambda row, bench: row["pc"] == bench.address("read_cycle") + 12 and row["flags"] & 3 == 3,
            0,
            data=lambda data: [value + 1000 for value in data],
        ),
        "mcycle",
        Category.RESULT,
    ),
    "active warps": (
        COUNTERS,
        change(
            Kind.COMMIT,
            lambda row, bench: row["pc"] == bench.address("read_active") and row["flags"] & 3 == 3,
            0,
            data=lambda data: [0x10 for _ in data],
        ),
        "active warps",
        Category.RESULT,
    ),
    "foreign warp": (CALLS, change(Kind.COMMIT, _ANY, 0, warp=9), "foreign record", Category.COUNT),
    "unknown event": (CALLS, change(Kind.CTA, _ANY, 3, event=9), "cta record", Category.DISPATCH),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_fault_is_caught_by_its_check(name: str, seed: int) -> None:
    kernel, mutation, check, category = CASES[name]
    bench = Bench(kernel, seed=seed, mutate=mutation)
    difference = bench.launch()
    assert difference is not None, f"{name}: not caught"
    assert (difference.check, difference.category) == (check, category), difference.render()
    assert difference.launch == 1
    assert check in difference.render()


@pytest.mark.parametrize("name", ["lane result", "CTA skipped", "barrier released early", "rewound pc"])
def test_a_fault_of_a_later_launch_is_caught(name: str) -> None:
    kernel, mutation, check, _ = CASES[name]
    bench = Bench(kernel, seed=4, mutate=mutation, mutated_launch=2)
    assert bench.launch() is None
    difference = bench.launch()
    assert difference is not None
    assert (difference.check, difference.launch) == (check, 2)


def test_minstret_must_equal_the_records() -> None:
    bench = Bench(CALLS)
    difference = bench.launch(minstret={0: 7})
    assert difference is not None
    assert (difference.check, difference.actual) == ("minstret", 7)
    assert difference.expected == bench.hardware.retired[0]


def test_after_the_first_difference_nothing_more_is_compared() -> None:
    kernel, mutation, _, _ = CASES["lane result"]
    bench = Bench(kernel, mutate=mutation)
    first = bench.launch()
    compared = bench.follower.coverage.instructions
    assert bench.launch() is first
    assert bench.follower.coverage.instructions == compared
