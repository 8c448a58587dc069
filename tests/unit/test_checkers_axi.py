"""AXI checker: any legal traffic passes with every transaction counted, and each broken rule has its name."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config import HardwareConfig
from golden_model.follow.difference import Difference
from golden_model.records.layout import AxiChannel, Kind
from hw.tb.checker import LaunchEnd
from hw.tb.checkers import AxiChecker
from hw.tb.checkers.axi_pairs import pair_by_id
from sw.runtime import messages as m
from tests.unit.axi_traffic import BLOCK, FIRST, Row, Traffic, batches
from tests.unit.fake_hardware import to_array

LAUNCH = m.Launch(1, "kernel", FIRST, FIRST, 0, (1, 1, 1), (1, 1, 1), 1, (0, 0, 0), 0, (1, 1, 1), 20)
Mutation = Callable[[list[Row]], None]


def judge(
    traffic: Traffic,
    rows: list[Row] | None = None,
    *,
    strict: bool = True,
    memory: bytes | None = None,
) -> tuple[AxiChecker, Difference | None]:
    """Feed the records of one launch; returns the checker and the first difference."""
    checker = AxiChecker(HardwareConfig(axi_num_banks=traffic.banks), strict=strict)
    checker.host(m.WriteMemory(FIRST, traffic.initial))
    assert checker.begin_launch(LAUNCH) is None
    for batch in batches(traffic.rows if rows is None else rows, traffic.seed):
        difference = checker.records(batch)
        if difference is not None:
            return checker, difference
    contents = traffic.final_memory() if memory is None else memory
    differences = checker.end_launch(LaunchEnd(_Device(contents)))  # type: ignore[arg-type]
    return checker, differences[0] if differences else None


class _Device:
    """Device memory of which only the test's blocks exist."""

    def __init__(self, contents: bytes) -> None:
        self._contents = np.frombuffer(contents.ljust(4096, b"\0"), np.uint8)

    def __getitem__(self, key: slice) -> Any:
        return self._contents[key.start - FIRST : key.stop - FIRST]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 32), banks=st.sampled_from([1, 2, 4]), blocks=st.integers(1, 12))
def test_orderly_traffic_passes(seed: int, banks: int, blocks: int) -> None:
    traffic = Traffic(seed, banks=banks, blocks=blocks).run()
    checker, difference = judge(traffic)
    assert difference is None, difference.render()
    assert checker.counts().axi_transactions == traffic.number
    assert checker.figures.reads_after_pending_write == checker.figures.overlapping_writes == 0


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 1 << 32), blocks=st.integers(1, 6))
def test_any_legal_traffic_passes_where_order_is_not_promised(seed: int, blocks: int) -> None:
    traffic = Traffic(seed, blocks=blocks, orderly=False).run()
    _, difference = judge(traffic, strict=False)
    assert difference is None, difference.render()


def test_what_the_in_tree_core_promises_is_counted_for_others_and_an_error_for_itself() -> None:
    traffic = Traffic(3, blocks=2, orderly=False).run()
    checker, difference = judge(traffic, strict=False)
    assert difference is None
    assert checker.figures.reads_after_pending_write > 0
    assert checker.figures.overlapping_writes > 0
    _, difference = judge(traffic)
    assert difference is not None
    assert difference.check in ("axi read after pending write", "axi write order")


def _pick(rows: list[Row], channel: AxiChannel, number: int) -> Row:
    return sorted((row for row in rows if row["channel"] == channel), key=lambda row: row["cycle"])[number]


def _set(channel: AxiChannel, number: int = 5, **fields: object) -> Mutation:
    return lambda rows: _pick(rows, channel, number).update(fields)


def _drop(channel: AxiChannel, number: int) -> Mutation:
    return lambda rows: rows.remove(_pick(rows, channel, number))


def _repeat(channel: AxiChannel) -> Mutation:
    return lambda rows: rows.append({**_pick(rows, channel, -1), "cycle": _pick(rows, channel, -1)["cycle"] + 1})


def _swap_data(rows: list[Row]) -> None:
    first, second = _overlapping_reads(rows)
    first["data"], second["data"] = second["data"], first["data"]


def _swap_ids(rows: list[Row]) -> None:
    first, second = _overlapping_reads(rows)
    first["id"], second["id"] = second["id"], first["id"]


def _overlapping_reads(rows: list[Row]) -> tuple[Row, Row]:
    """Two responses of different ids and blocks that could be mixed up."""
    answers = [row for row in rows if row["channel"] == AxiChannel.R]
    answers.sort(key=lambda row: row["cycle"])
    return next(
        (first, second)
        for first, second in itertools.pairwise(answers)
        if first["id"] != second["id"] and first["addr"] != second["addr"]
    )


def _corrupt(rows: list[Row]) -> None:
    row = _pick(rows, AxiChannel.R, 7)
    row["data"] = row["data"] ^ (np.arange(BLOCK) == 9).astype(np.uint8)


def _early_response(rows: list[Row]) -> None:
    _pick(rows, AxiChannel.R, 0)["cycle"] = 1


def _early_b(rows: list[Row]) -> None:
    """B comes before the data."""
    write = _pick(rows, AxiChannel.AW, 0)
    data = _pick(rows, AxiChannel.W, 0)
    answer = next(row for row in rows if row["channel"] == AxiChannel.B and row["id"] == write["id"])
    answer["cycle"] = write["cycle"] + 1
    data["cycle"] = write["cycle"] + 2


BROKEN: dict[str, tuple[Mutation, str]] = {
    "burst length": (_set(AxiChannel.AR, len=1), "axi burst length"),
    "burst size": (_set(AxiChannel.AW, size=5), "axi burst size"),
    "burst type": (_set(AxiChannel.AR, burst=0), "axi burst type"),
    "alignment": (_set(AxiChannel.AW, addr=FIRST + 4), "axi alignment"),
    "WLAST": (_set(AxiChannel.W, last=0), "axi wlast"),
    "RLAST": (_set(AxiChannel.R, last=0), "axi rlast"),
    "no such bank": (_set(AxiChannel.AR, bank=3), "axi bank"),
    "wrong id of R": (_set(AxiChannel.R, id=99), "axi read without request"),
    "wrong id of B": (_set(AxiChannel.B, id=99), "axi response without request"),
    "R twice": (_repeat(AxiChannel.R), "axi read without request"),
    "B twice": (_repeat(AxiChannel.B), "axi response without request"),
    "R lost": (_drop(AxiChannel.R, -1), "axi missing response"),
    "B lost": (_drop(AxiChannel.B, -1), "axi missing response"),
    "AW lost": (_drop(AxiChannel.AW, -1), "axi response without request"),
    "R before AR": (_early_response, "axi read without request"),
    "B before W": (_early_b, "axi response before data"),
    "corrupted data": (_corrupt, "axi read data"),
    "swapped data": (_swap_data, "axi read data"),
    "swapped ids": (_swap_ids, "axi read data"),
}


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("seed", [11, 12])
def test_a_broken_rule_is_named(name: str, seed: int) -> None:
    mutation, check = BROKEN[name]
    traffic = Traffic(seed).run()
    rows = [dict(row) for row in traffic.rows]
    mutation(rows)
    # A write without B forbids every later read of its block; without that promise the end shows it.
    _, difference = judge(traffic, rows, strict=name != "B lost")
    assert difference is not None, f"{name}: not noticed"
    assert difference.check == check, difference.render()
    assert difference.launch == 1


def test_swapped_responses_are_explained() -> None:
    traffic = Traffic(11).run()
    rows = [dict(row) for row in traffic.rows]
    _swap_data(rows)
    _, difference = judge(traffic, rows)
    assert difference is not None
    assert any("responses are swapped" in note for note in difference.notes), difference.render()


def test_a_request_to_the_wrong_bank_is_named() -> None:
    traffic = Traffic(5, banks=2).run()
    rows = [dict(row) for row in traffic.rows]
    request = _pick(rows, AxiChannel.AR, 3)
    request["addr"] ^= BLOCK
    _, difference = judge(traffic, rows)
    assert difference is not None
    assert (difference.check, difference.cycle) == ("axi bank", request["cycle"])


def test_a_stale_read_is_noticed() -> None:
    """A read that begins after the B of a write must see it."""
    traffic = Traffic(21, blocks=2).run()
    rows = [dict(row) for row in traffic.rows]
    changed = np.frombuffer(traffic.initial, np.uint8)
    for row in sorted(rows, key=lambda row: row["cycle"]):
        if row["channel"] == AxiChannel.R:
            block = (row["addr"] - FIRST) // BLOCK
            old = changed[block * BLOCK : (block + 1) * BLOCK]
            if (old != row["data"]).any():
                row["data"] = old
                break
    _, difference = judge(traffic, rows)
    assert difference is not None
    assert difference.check == "axi read data"


def test_a_byte_that_is_lost_behind_the_bus_is_noticed_at_the_end() -> None:
    traffic = Traffic(31).run()
    memory = bytearray(traffic.final_memory())
    memory[BLOCK + 3] ^= 1
    _, difference = judge(traffic, memory=bytes(memory))
    assert difference is not None
    assert difference.check == "axi memory"
    assert f"{FIRST + BLOCK + 3:#x}" in difference.message


def test_an_error_response_is_counted_and_its_data_not_compared() -> None:
    traffic = Traffic(41).run()
    rows = [dict(row) for row in traffic.rows]
    _pick(rows, AxiChannel.R, 2).update(resp=2, data=np.full(BLOCK, 0xBD, np.uint8))
    checker, difference = judge(traffic, rows)
    assert difference is None
    assert checker.figures.error_responses == 1
    assert checker.counts().axi_transactions == traffic.number - 1


def test_a_block_that_all_accesses_share_costs_time_in_proportion() -> None:
    """Atomics on one word: the whole traffic is one block, in one batch; what grew with its square took minutes."""
    traffic = Traffic(61, number=8000, blocks=1).run()
    rows = [{**row, "seq": number} for number, row in enumerate(sorted(traffic.rows, key=lambda row: row["cycle"]))]
    checker = AxiChecker(HardwareConfig())
    checker.host(m.WriteMemory(FIRST, traffic.initial))
    batch = {kind: to_array(kind, rows if kind is Kind.AXI else [], 4) for kind in Kind}
    begun = time.process_time()
    assert checker.records(batch) is None
    assert time.process_time() - begun < 4
    assert checker.figures.reads + checker.figures.writes == traffic.number


def test_reset_forgets_what_was_outstanding() -> None:
    traffic = Traffic(51).run()
    checker = AxiChecker(HardwareConfig())
    checker.host(m.WriteMemory(FIRST, traffic.initial))
    rows = sorted(traffic.rows, key=lambda row: row["cycle"])
    for batch in batches(rows[:60], 1):
        assert checker.records(batch) is None
    checker.reset()
    checker.host(m.WriteMemory(FIRST, traffic.initial))
    checker.begin_launch(LAUNCH)
    for batch in batches(traffic.rows, 2):
        assert checker.records(batch) is None


def test_pairing_is_by_id_and_in_order() -> None:
    requests = np.array([3, 1, 3, 2, 1], np.uint64)
    responses = np.array([1, 3, 9, 3, 3, 1], np.uint64)
    pairs = pair_by_id(requests, responses)
    assert pairs.response.tolist() == [0, 1, 3, 5]
    assert pairs.request.tolist() == [1, 0, 2, 4]
    assert pairs.orphans.tolist() == [2, 4]
    assert pairs.open.tolist() == [3]
