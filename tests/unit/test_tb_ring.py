"""The C++ ring writer against the Python reader: one layout, no record lost unnoticed."""

from __future__ import annotations

from pathlib import Path

import pytest

from golden_model.records.layout import CommitFlag, Kind, RunEvent
from golden_model.records.ring import RecordError, RingReader
from hw.tb.agents.axi.policy import MemoryPolicy
from tests.unit.tb_native import LANES, Bus


def _bus(folder: Path, capacity: int) -> Bus:
    return Bus(folder, MemoryPolicy.preset("fixed20"), capacity=capacity)


def test_records_of_the_cpp_writer_are_read_back_field_by_field(tmp_path: Path) -> None:
    bus = _bus(tmp_path, 64)
    reader = RingReader(tmp_path / "ring.bin")
    assert reader.lanes == LANES
    bus.commits(10, 3)
    bus.run_record(RunEvent.BUSY_FALL, 77)
    batch = reader.read()
    commits = batch[Kind.COMMIT]
    assert commits["uid"].tolist() == [10, 11, 12]
    assert commits["pc"].tolist() == [0x8000_0028, 0x8000_002C, 0x8000_0030]
    assert commits["data"].tolist() == [[uid + lane for lane in range(LANES)] for uid in (10, 11, 12)]
    assert set(commits["flags"].tolist()) == {CommitFlag.FIRST | CommitFlag.LAST}
    run = batch[Kind.RUN]
    assert (run["event"].tolist(), run["data"].tolist(), run["seq"].tolist()) == ([RunEvent.BUSY_FALL], [77], [3])


def test_many_rounds_around_a_small_ring_keep_every_record(tmp_path: Path) -> None:
    bus = _bus(tmp_path, 64)
    reader = RingReader(tmp_path / "ring.bin")
    seen: list[int] = []
    for first in range(0, 1000, 50):
        bus.commits(first, 50)
        seen += reader.read()[Kind.COMMIT]["uid"].tolist()
    assert seen == list(range(1000))


def test_views_show_the_same_records_and_cost_no_copy(tmp_path: Path) -> None:
    bus = _bus(tmp_path, 64)
    reader = RingReader(tmp_path / "ring.bin")
    for first in range(0, 400, 50):
        bus.commits(first, 50)
        commits = reader.read(copy=False)[Kind.COMMIT]
        assert commits["uid"].tolist() == list(range(first, first + 50))
        assert commits["data"][:, 2].tolist() == list(range(first + 2, first + 52))
        if first == 0:
            kept = commits
    assert kept["uid"].tolist() != list(range(50)), "a view of the ring must change when the ring is written again"


def test_the_writer_asks_for_a_drain_when_a_ring_is_half_full(tmp_path: Path) -> None:
    bus = _bus(tmp_path, 64)
    bus.commits(0, 31)
    assert not bus.wants_drain()
    bus.commits(31, 1)
    assert bus.wants_drain()


def test_an_overrun_is_counted_and_refused_by_the_reader(tmp_path: Path) -> None:
    bus = _bus(tmp_path, 64)
    bus.commits(0, 100)
    reader = RingReader(tmp_path / "ring.bin")
    assert reader.lost() == {Kind.COMMIT: 36}
    with pytest.raises(RecordError, match="overwritten"):
        reader.read()
    recovered = RingReader(tmp_path / "ring.bin", recover=True).read()[Kind.COMMIT]
    assert recovered["uid"].tolist() == list(range(37, 100)), "the newest records must survive"


def test_handshakes_become_axi_records(tmp_path: Path) -> None:
    bus = _bus(tmp_path, 64)
    bus.memory[128:192] = range(64)
    bus.read(128, 5)
    bus.write(256, bytes(range(64)), 0xF0, 6)
    bus.run(1, 1)
    axi = RingReader(tmp_path / "ring.bin").read()[Kind.AXI]
    by_channel = {int(record["channel"]): record for record in axi}
    assert len(axi) == len(by_channel) == 5
    assert by_channel[3]["addr"] == 128 and by_channel[3]["id"] == 5
    assert by_channel[4]["data"].tolist() == list(range(64)) and by_channel[4]["id"] == 5
    assert by_channel[1]["strobe"] == 0xF0 and by_channel[1]["data"].tolist() == list(range(64))
    assert by_channel[0]["addr"] == 256 and by_channel[2]["id"] == 6
    assert by_channel[4]["cycle"] - by_channel[3]["cycle"] == 20, "fixed20 is not 20 cycles"
