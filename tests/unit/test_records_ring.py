"""The record ring: what is written comes back in order, and every way to damage it is noticed with a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden_model.records.layout import Kind, dtype
from golden_model.records.ring import RecordError, RingReader, RingWriter


def _write_commits(writer: RingWriter, first: int, number: int) -> None:
    for uid in range(first, first + number):
        writer.write(Kind.COMMIT, uid=uid, pc=0x8000_0000 + 4 * uid, data=[uid + lane for lane in range(writer.lanes)])


def test_records_come_back_with_their_fields_and_in_order(tmp_path: Path) -> None:
    path = tmp_path / "ring.bin"
    writer = RingWriter(path, lanes=4)
    reader = RingReader(path)
    _write_commits(writer, 0, 3)
    writer.write(Kind.CTA, block_x=7, slot=2)
    batch = reader.read()
    assert batch[Kind.COMMIT]["uid"].tolist() == [0, 1, 2]
    assert batch[Kind.COMMIT]["data"].tolist() == [[0, 1, 2, 3], [1, 2, 3, 4], [2, 3, 4, 5]]
    assert batch[Kind.CTA]["seq"].tolist() == [3]
    assert all(len(reader.read()[kind]) == 0 for kind in Kind), "a record was delivered twice"


@settings(max_examples=40, deadline=None)
@given(sizes=st.lists(st.integers(0, 5), min_size=1, max_size=12), capacity=st.integers(5, 9))
def test_any_drain_rhythm_delivers_each_record_once(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], capacity: int
) -> None:
    path = tmp_path_factory.mktemp("ring") / "ring.bin"
    writer = RingWriter(path, 2, capacity)
    reader = RingReader(path)
    seen: list[int] = []
    for size in sizes:
        _write_commits(writer, len(seen), size)
        seen += reader.read()[Kind.COMMIT]["uid"].tolist()
    assert seen == list(range(sum(sizes)))


def test_a_batch_is_a_copy_that_outlives_the_ring(tmp_path: Path) -> None:
    path = tmp_path / "ring.bin"
    writer = RingWriter(path, 1, 2)
    reader = RingReader(path)
    _write_commits(writer, 0, 2)
    batch = reader.read()
    _write_commits(writer, 8, 2)
    reader.close()
    assert batch[Kind.COMMIT]["uid"].tolist() == [0, 1]


def test_overwritten_records_are_an_error(tmp_path: Path) -> None:
    writer = RingWriter(tmp_path / "ring.bin", 1, 2)
    reader = RingReader(tmp_path / "ring.bin")
    _write_commits(writer, 0, 3)
    with pytest.raises(RecordError, match="overwritten before they were read"):
        reader.read()


def test_a_gap_in_the_sequence_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "ring.bin"
    writer = RingWriter(path, 1, 8)
    reader = RingReader(path)
    _write_commits(writer, 0, 2)
    reader.read()
    writer._seq += 1
    _write_commits(writer, 2, 1)
    with pytest.raises(RecordError, match="without a gap"):
        reader.read()


def test_recovery_reads_what_a_dead_simulator_left_and_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "ring.bin"
    writer = RingWriter(path, 1, 4)
    _write_commits(writer, 0, 10)
    writer.close()
    before = path.read_bytes()
    with RingReader(path, recover=True) as reader:
        # Record 6 shares its place with the one that may have been half written when the simulator died.
        assert reader.read()[Kind.COMMIT]["uid"].tolist() == [7, 8, 9]
        assert reader.lost() == {Kind.COMMIT: 6}
    assert path.read_bytes() == before


def test_recovery_delivers_records_that_had_been_read_before(tmp_path: Path) -> None:
    path = tmp_path / "ring.bin"
    writer = RingWriter(path, 1, 4)
    _write_commits(writer, 0, 2)
    RingReader(path).read()
    assert RingReader(path, recover=True).read()[Kind.COMMIT]["uid"].tolist() == [0, 1]


def _damage(path: Path, offset: int, code: str, value: int | bytes) -> None:
    data = bytearray(path.read_bytes())
    raw = value if isinstance(value, bytes) else np.array(value, code).tobytes()
    data[offset : offset + len(raw)] = raw
    path.write_bytes(data)


@pytest.mark.parametrize(
    ("offset", "code", "value", "message"),
    [
        (0, "", b"NOTMAGIC", "not a record file"),
        (8, "<u4", 99, "record layout 99"),
        (12, "<u4", 0, "0 lanes"),
        (12, "<u4", 4, r"records of \d+ bytes"),
        (16, "<u4", 3, "3 record kinds"),
        (20, "<u4", 64, "header of 64 bytes"),
        (64, "<u4", 1, "COMMIT records has records of 1 bytes"),
        (68, "<u4", 0, "capacity 0"),
        (72, "<u8", 1 << 40, "outside the file"),
        (72, "<u8", 0, "outside the file"),
        (88, "<u8", 5, "read further"),
    ],
)
def test_a_damaged_file_is_refused_with_a_sentence(
    tmp_path: Path, offset: int, code: str, value: int | bytes, message: str
) -> None:
    path = tmp_path / "ring.bin"
    RingWriter(path, 2, 8).close()
    _damage(path, offset, code, value)
    with pytest.raises(RecordError, match=message) as caught:
        RingReader(path)
    assert str(path) in str(caught.value)


def test_missing_empty_and_short_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="cannot be opened: No such file"):
        RingReader(tmp_path / "none.bin")
    (tmp_path / "empty.bin").touch()
    with pytest.raises(RecordError, match="is empty"):
        RingReader(tmp_path / "empty.bin")
    (tmp_path / "short.bin").write_bytes(b"VXRECORD")
    with pytest.raises(RecordError, match="too few"):
        RingReader(tmp_path / "short.bin")


@pytest.mark.parametrize("lanes", [1, 2, 4, 32])
def test_fields_are_naturally_aligned_and_records_have_no_holes(lanes: int) -> None:
    for kind in Kind:
        record = dtype(kind, lanes)
        assert record.names is not None
        end = 0
        for name in record.names:
            field, offset = record.fields[name][:2] if record.fields else (None, 0)
            assert field is not None
            assert offset == end
            assert offset % field.base.itemsize == 0, f"{kind.name}.{name}"
            end = offset + field.itemsize
        assert end == record.itemsize
        assert record.itemsize % 8 == 0, f"{kind.name}: the next record would be misaligned"
