"""Each finding of the diagnosis by a kernel written for it: kind, source lines and lanes; its clean twin has none."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from config import HardwareConfig
from golden_model import FindingKind as K
from golden_model.diagnosis import explain
from tests.unit.golden_diag import ATOMIC, CONFIG, SRC, Image, Seen
from tests.unit.golden_tiers import needs_compiler

pytestmark = needs_compiler
TWO_CORES = replace(CONFIG, num_cores=2)


@cache
def image(name: str, config: HardwareConfig = CONFIG) -> Image:
    return Image(name, config)


def seen(name: str, kernel: str, config: HardwareConfig = CONFIG, **run: object) -> list[Seen]:
    loaded = image(name, config)
    return [loaded.seen(finding) for finding in loaded.run(kernel, **run)]  # type: ignore[arg-type]


# ------------------------------------------------------------------ races


def test_lanes_that_store_different_values() -> None:
    assert seen("races.cpp", "lane_race") == [Seen(K.RACE_LANE, "lane store", 0b1110, "lane store", 0b0001)]


def test_lanes_that_store_the_same_value_race_only_if_asked() -> None:
    assert seen("races.cpp", "lane_same") == []
    strict = seen("races.cpp", "lane_same", strict_lanes=True)
    assert strict == [Seen(K.RACE_LANE, "same store", 0b1110, "same store", 0b0001)]


def test_warps_without_a_barrier() -> None:
    """Warp 0 loads what warp 1 has stored in the same round, and the other way round."""
    expected = [Seen(K.RACE_WARP, "warp load", 0b1111, "warp store", 0b1111)]
    assert seen("races.cpp", "warp_race", block=8) == expected
    assert seen("races.cpp", "warp_barrier", block=8) == []
    assert seen("races.cpp", "warp_race", block=4) == [], "a block of one warp races with nobody"


def test_arrive_and_wait_order_like_a_barrier() -> None:
    full = replace(CONFIG, ext_simt_full=True)
    assert seen("races.cpp", "arrive_and_wait", full, block=8) == []


def test_blocks_on_one_core_and_on_two() -> None:
    """Four one-warp blocks on four warps; two cores take turns."""
    block = Seen(K.RACE_CTA, "block store", 0b1111, "block store", 0b1111)
    core = replace(block, kind=K.RACE_CORE)
    assert seen("races.cpp", "block_race", grid=2) == [block]
    assert seen("races.cpp", "block_race", grid=1) == []
    assert seen("races.cpp", "block_race", TWO_CORES, grid=2) == [core]


def test_blocks_on_the_same_warp_after_each_other_race_too() -> None:
    """A grid of 5 on 4 warps: the fifth block runs where the first has ended, and is ordered after nobody."""
    finding = image("races.cpp").run("block_race", grid=5)[0]
    assert finding.count == 4


def test_a_declared_race_is_no_finding() -> None:
    assert seen("races.cpp", "block_race_allowed", grid=2) == []


def test_atomics_do_not_race() -> None:
    assert seen("atomics.cpp", "block_atomic", ATOMIC, grid=5, block=16) == []
    assert seen("atomics.cpp", "atomic_and_plain", ATOMIC, block=8) == [
        Seen(K.RACE_WARP, "plain load", 0b1111, "atomic", 0b1000)
    ]


def test_fences_order_a_flag_and_what_it_guards() -> None:
    assert seen("races.cpp", "flag_with_fences", block=8) == []
    found = seen("races.cpp", "flag_without_acquire", block=8)
    assert Seen(K.RACE_WARP, "data load", 0b1111, "data store", 0b1111) in found
    assert Seen(K.RACE_WARP, "flag load", 0b1111, "flag store", 0b1000) in found
    assert len(found) == 2


# ------------------------------------------------------------------ memory


@pytest.mark.parametrize(
    ("kernel", "expected"),
    [
        ("behind_the_buffer", [Seen(K.OUT_OF_BOUNDS, "behind", 0b1100)]),
        ("misaligned", [Seen(K.MISALIGNED_ACCESS, "misaligned", 0b1111)]),
        ("undefined_address", [Seen(K.UNDEFINED_ADDRESS, "undefined address", 0b1111)]),
        ("undefined_output", [Seen(K.UNDEFINED_STORE, "undefined output", 0b1111)]),
        (  # the compiler puts a SPLIT before a branch that lanes may decide differently
            "undefined_branch",
            [
                Seen(K.UNDEFINED_PREDICATE, "undefined branch", 0b1111),
                Seen(K.UNDEFINED_BRANCH, "undefined branch", 0b1111),
            ],
        ),
        ("undefined_register", [Seen(K.UNDEFINED_STORE, "undefined register", 0b1111)]),
        ("no_instruction", [Seen(K.ILLEGAL_INSTRUCTION, "encoding", 0b1111)]),
    ],
)
def test_accesses_and_encodings(kernel: str, expected: list[Seen]) -> None:
    assert seen("memory.cpp", kernel, second=SRC, no_check=("stale", "races")) == expected


def test_behind_the_local_memory_of_a_block() -> None:
    found = seen("memory.cpp", "behind_local_memory", no_check=("undefined",))
    assert found == [Seen(K.OUT_OF_BOUNDS, "local behind", 0b1100)]


def test_undefined_predicate() -> None:
    found = image("memory.cpp").run("undefined_predicate", second=SRC)
    assert [finding.kind for finding in found] == [K.UNDEFINED_PREDICATE]
    assert found[0].lanes == 0b1111
    place = image("memory.cpp").sources.locate(found[0].pc)
    assert place.function == "undefined_predicate"


def test_local_memory_of_an_earlier_block_is_undefined_if_asked() -> None:
    kernel = {"name": "memory.cpp", "kernel": "read_local", "before": "write_local"}
    assert seen(**kernel, no_check=("stale",)) == []  # type: ignore[arg-type]
    assert seen(**kernel) == [Seen(K.UNDEFINED_STORE, "stale local", 0b1111)]  # type: ignore[arg-type]


def test_a_call_of_nothing_names_the_call() -> None:
    found = image("memory.cpp").run("null_call", second=0)
    assert [(finding.kind, finding.pc) for finding in found] == [(K.FETCH_FAULT, 0)]
    assert found[0].other is not None
    assert image("memory.cpp").tag(found[0].other.pc) == "null call"


def test_self_modifying_code() -> None:
    assert seen("memory.cpp", "self_modifying") == [Seen(K.SELF_MODIFYING_CODE, "victim", 0b1111, "patch")]


# ------------------------------------------------------------------ control


@pytest.mark.parametrize(
    ("kernel", "block", "expected"),
    [
        ("divergent_branch", 4, [Seen(K.DIVERGENT_BRANCH, "divergent branch", 0b1111)]),
        ("overflow", 4, [Seen(K.IPDOM_OVERFLOW, "overflow", 0b1111), Seen(K.ILLEGAL_INSTRUCTION, "overflow", 0b1111)]),
        ("open_split", 4, [Seen(K.IPDOM_NOT_EMPTY, "open split", 0b1010)]),
        ("spin", 4, [Seen(K.SPIN_LIVELOCK, "spin load", 0b0111, "spin join", 0b1000)]),
    ],
)
def test_divergence(kernel: str, block: int, expected: list[Seen]) -> None:
    assert seen("control.S", kernel, block=block) == expected


def test_sides_that_end_at_different_joins() -> None:
    first = seen("control.S", "different_joins")[0]
    assert first == Seen(K.DIFFERENT_JOINS, "second join", 0b0101, "first join")


def test_unbalanced_join() -> None:
    found = seen("control.S", "unbalanced_join")
    assert Seen(K.IPDOM_MISMATCH, "unbalanced join", 0b1111) in found


def test_a_barrier_at_which_a_warp_never_arrives() -> None:
    loaded = image("control.S")
    found = loaded.run("deadlock", block=8)
    assert [finding.kind for finding in found] == [K.BARRIER_DEADLOCK]
    assert loaded.tag(found[0].pc) == "deadlock"
    assert (found[0].warp, found[0].lanes) == (0, 0b1111)
    assert "waits for 2 warps, 1 have arrived; warp 1 (rank 1) has ended" in found[0].detail
    assert found[0].other is not None and found[0].other.warp == 1


def test_warps_that_wait_at_different_barriers() -> None:
    found = seen("control.S", "crossed", block=8)
    assert found == [
        Seen(K.BARRIER_DEADLOCK, "crossed 0", 0b1111, "crossed 1", 0b1111),
        Seen(K.BARRIER_DEADLOCK, "crossed 1", 0b1111, "crossed 0", 0b1111),
    ]


def test_the_screen_names_both_lines() -> None:
    loaded = image("races.cpp")
    machine = loaded.machine()
    loaded.launch(machine, "warp_race", 1, 8)
    text = "\n".join(explain(machine.findings, machine.memory, 32, loaded.sources))
    numbers = {tag: line for (_, line), tag in loaded.tags.items()}
    assert f"races.cpp:{numbers['warp load']} <warp_race+" in text
    assert f"races.cpp:{numbers['warp store']} <warp_race+" in text
