"""Recordings: what is observed comes back, whatever the rhythm, after a crash too; damage is a sentence."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from golden_model.records.layout import LAYOUT, Kind, dtype
from golden_model.records.ring import RingReader, RingWriter
from hw.tb.debug.recording import Recording, RecordingError, RecordingWriter, recover
from tests.unit.debug_records import two_warps


def random_records(kind: Kind, lanes: int, number: int, rng: np.random.Generator) -> np.ndarray:
    """Random bits in every field, within the 32 bits of a 32-bit design; masks within the lanes."""
    records = np.zeros(number, dtype(kind, lanes))
    for name, code, _ in LAYOUT[kind]:
        if name != "pad":
            bits = lanes if name in ("tmask", "next_mask", "wmask", "mask") else min(32, 8 * int(code[1:]))
            records[name] = rng.integers(0, 1 << bits, records[name].shape, dtype=np.uint64)
    records["cycle"] = np.sort(records["cycle"])
    return records


@pytest.mark.parametrize("lanes", [1, 4, 8])
@pytest.mark.parametrize("sizes", [[1], [3, 5000, 1, 4096, 9]])
def test_every_field_comes_back(tmp_path: Path, lanes: int, sizes: list[int]) -> None:
    rng = np.random.default_rng(lanes)
    written = {kind: [random_records(kind, lanes, size, rng) for size in sizes] for kind in Kind}
    with RecordingWriter(tmp_path / "r", lanes, about={"why": "test"}) as writer:
        for at in range(len(sizes)):
            writer.observe({kind: written[kind][at] for kind in Kind})
    recording = Recording(tmp_path / "r")
    assert recording.meta.about == {"why": "test"}
    for kind in Kind:
        expected = np.concatenate(written[kind])
        assert set(recording[kind].names) == {name for name, *_ in LAYOUT[kind]} - {"pad"}
        for name in recording[kind].names:
            got = recording[kind][name]
            assert np.array_equal(got.reshape(len(expected), -1), expected[name].reshape(len(expected), -1)), name


def test_a_batch_may_be_a_view_that_changes_afterwards(tmp_path: Path) -> None:
    records = np.zeros(2, dtype(Kind.RUN, 1))
    records["addr"] = [1, 2]
    with RecordingWriter(tmp_path, 1) as writer:
        writer.observe({Kind.RUN: records})
        records["addr"] = 9
    assert Recording(tmp_path)[Kind.RUN]["addr"].tolist() == [1, 2]


def test_two_clients_of_a_process_share_a_recording(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    for append in (False, True):
        with RecordingWriter(tmp_path, 2, append=append) as writer:
            writer.observe({Kind.COMMIT: random_records(Kind.COMMIT, 2, 7, rng)})
    assert len(Recording(tmp_path)[Kind.COMMIT]) == 14
    with RecordingWriter(tmp_path, 2):
        pass
    assert len(Recording(tmp_path)[Kind.COMMIT]) == 0, "a new recording still has the rows of the old one"


def test_the_ring_completes_a_recording_whose_writer_died(tmp_path: Path) -> None:
    ring = RingWriter(tmp_path / "ring.bin", 4, 64)
    reader = RingReader(tmp_path / "ring.bin")
    for uid in range(30):
        ring.write(Kind.COMMIT, uid=uid, cycle=uid)
    writer = RecordingWriter(tmp_path / "r", 4)
    writer.observe(reader.read())
    writer.flush()
    for uid in range(30, 50):
        ring.write(Kind.COMMIT, uid=uid, cycle=uid)
    writer.observe(reader.read())  # never flushed: the process dies here
    with (tmp_path / "r" / "COMMIT.uid").open("ab") as torn:
        torn.write(bytes(11))  # one column had got further than the others
    assert recover(tmp_path / "r", tmp_path / "ring.bin") == 20
    assert Recording(tmp_path / "r")[Kind.COMMIT]["uid"].tolist() == list(range(50))
    assert recover(tmp_path / "r", tmp_path / "ring.bin") == 0, "a second recovery added records again"


def test_a_ring_alone_becomes_a_recording(tmp_path: Path) -> None:
    two_warps(tmp_path)
    assert recover(tmp_path / "new", tmp_path / "ring.bin") == len_of(tmp_path / "recording")
    assert Recording(tmp_path / "new")[Kind.COMMIT]["uid"].tolist() == [0, 1, 2, 3, 4, 0, 5, 1, 2]


def len_of(folder: Path) -> int:
    recording = Recording(folder)
    return sum(len(recording[kind]) for kind in Kind)


def test_damage_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"nothing/meta.json: no recording can be opened"):
        Recording(tmp_path / "nothing")
    folder = two_warps(tmp_path)
    (folder / "COMMIT.pc").unlink()
    with pytest.raises(RecordingError, match=r"COMMIT.pc: a column of the recording is missing"):
        Recording(folder)
    (folder / "meta.json").write_text("{")
    with pytest.raises(RecordingError, match="is no JSON file"):
        Recording(folder)
    (folder / "meta.json").write_text('{"format": "vortex-cosim recording", "version": 99}')
    with pytest.raises(RecordingError, match="is of version 99, this one reads 1"):
        Recording(folder)
    with pytest.raises(RecordingError, match="the record file cannot be opened"):
        recover(tmp_path / "x", tmp_path / "no_ring")


def test_what_recording_costs(tmp_path: Path, report_figure: object) -> None:
    """Microseconds an instruction, beside those of a lockstep run (about 20 on this project's default shape)."""
    rng = np.random.default_rng(3)
    batches = [{Kind.COMMIT: random_records(Kind.COMMIT, 4, 16_384, rng)} for _ in range(8)]
    with RecordingWriter(tmp_path, 4) as writer:
        begin = time.process_time()
        for batch in batches:
            writer.observe(batch)
        writer.flush()
        spent = time.process_time() - begin
    each = 1e6 * spent / (8 * 16_384)
    report_figure(f"recording: {each:.2f} us of processor time for a commit record of 4 lanes")  # type: ignore[operator]
    assert each < 5
