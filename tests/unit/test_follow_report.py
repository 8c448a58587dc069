"""The first screen of a failure has everything that a person needs to begin with."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from golden_model.follow.difference import Category, Difference
from golden_model.follow.explain import SourceLocation
from golden_model.follow.follower import Follower
from golden_model.launch import dcr_writes
from golden_model.records.layout import AxiChannel, Kind
from golden_model.records.ring import Batch
from tests.unit import follow_kernels
from tests.unit.fake_hardware import DATA, to_array
from tests.unit.follow_bench import Bench, Rows
from tests.unit.follow_kernels import CALLS


def _wrong_load(rows: Rows, bench: Bench) -> None:
    """The load of the input delivers a wrong bit in lane 1."""
    load = bench.address("product") - 12
    row = next(row for row in rows[Kind.COMMIT] if row["pc"] == load and row["wmask"] == 15 and row["flags"] & 3 == 3)
    row["data"] = [value ^ 0x10 if lane == 1 else value for lane, value in enumerate(row["data"])]


def _difference(symbolize: object = None, axi: bool = False) -> Difference:
    bench = Bench(CALLS, mutate=_wrong_load)
    follower = Follower(bench.golden, symbolize)  # type: ignore[arg-type]
    launch = follow_kernels.launch(bench.image)
    batches = bench.hardware.launch(launch)
    for address, value in dcr_writes(launch, bench.config, bench.golden.entry):
        bench.golden.dcr_write(address, value)
    follower.begin_launch(1)
    if axi:
        batches.insert(0, _axi_read(DATA, b"\xa5" * 64))
    for batch in batches:
        follower.feed(batch)
    assert follower.difference is not None
    return follower.difference


def _axi_read(address: int, data: bytes) -> Batch:
    place = {"id": 7, "addr": address, "bank": 0}
    rows: list[dict[str, Any]] = [
        {**place, "cycle": 50, "channel": AxiChannel.AR},
        {**place, "cycle": 81, "channel": AxiChannel.R, "data": np.frombuffer(data, np.uint8)},
    ]
    batch: Batch = {kind: to_array(kind, [], 4) for kind in Kind}
    batch[Kind.AXI] = to_array(Kind.AXI, rows, 4)
    return batch


def test_the_screen_names_place_instruction_values_and_history() -> None:
    difference = _difference(lambda address: SourceLocation("twice+0x4", "kernel.cpp:12"))
    screen = difference.render()
    assert difference.check == "lane result"
    assert difference.lanes == [1]
    assert isinstance(difference.differing_bits, list)
    assert difference.differing_bits[1] == 0x10
    for text in (
        "DIFFERENCE  lane result  (rtl result)",
        "x18 got a wrong value in lane 1",
        f"core 0, warp {difference.warp}, slot {difference.slot}, CTA rank {difference.rank}",
        "<twice+0x4>",
        "kernel.cpp:12",
        "lw s2, 0(a1)",
        "0x00000010",
        "expected 1111, actual 1111",
        "last instructions of this warp",
        "add a1, a1, t0",
        "operands, and who wrote them last",
        "x11",
    ):
        assert text in screen, f"{text!r} is missing in\n{screen}"
    assert difference.writers[0].register == "x11"
    assert difference.writers[0].disassembly == "add a1, a1, t0"
    assert difference.writers[0].values[0] == DATA + 44 * (difference.block or (0, 0, 0))[0] + 16 * (
        difference.rank or 0
    )


def test_the_transaction_that_fed_a_wrong_load_is_shown() -> None:
    difference = _difference(axi=True)
    assert [(entry.axi_id, entry.request_cycle, entry.response_cycle) for entry in difference.transactions] == [
        (7, 50, 81)
    ]
    assert "AXI read bank 0 id 0x7 address 0x00030000: request cycle 50, data cycle 81: a5a5" in difference.render()


def test_without_a_transaction_the_screen_says_where_the_data_came_from() -> None:
    assert "the data came from a cache or LMEM" in _difference().render()


def test_a_difference_can_be_written_as_json() -> None:
    difference = _difference(axi=True)
    content = json.loads(json.dumps(difference.to_dict()))
    assert content["check"] == "lane result"
    assert content["category"] == "rtl result"
    assert content["differing_bits"][1] == 0x10
    assert content["history"][-1]["disassembly"]
    assert content["transactions"][0]["axi_id"] == 7


def test_a_difference_without_a_place_is_still_readable() -> None:
    screen = Difference("minstret", Category.COUNT, "counted wrong", launch=3, cycle=9, expected=4, actual=5).render()
    assert screen.splitlines()[:2] == ["DIFFERENCE  minstret  (count)", "  counted wrong"]
    assert "cycle 9, launch 3" in screen
    assert "0x00000001" in screen
    assert "None" not in screen
