"""The end of a recording whose writer died: what it had not yet written is still in the ring."""

from __future__ import annotations

import json
from pathlib import Path

from golden_model.records.layout import Kind
from golden_model.records.ring import RecordError, RingReader
from hw.tb.debug.recording.format import META, RecordingError, columns
from hw.tb.debug.recording.reader import Recording, read_meta
from hw.tb.debug.recording.writer import RecordingWriter


def recover(folder: Path, ring: Path, about: dict[str, object] | None = None) -> int:
    """Append to the recording in `folder` what the ring has and it lacks; made from the ring alone if there is none.

    Only for runs that have ended. Returns the number of records that were added. A recording made from the ring alone
    begins where the ring's oldest records are; `about` describes it.

    Raises:
        RecordingError: neither can be read.
    """
    try:
        reader = RingReader(ring, recover=True)
    except RecordError as error:
        raise RecordingError(str(error)) from error
    batch = reader.read()
    lanes = reader.lanes
    reader.close()
    if not (folder / META).exists():
        with RecordingWriter(folder, lanes, about={**(about or {}), "from": "ring"}) as writer:
            writer.observe(batch)
        return sum(len(records) for records in batch.values())
    meta = read_meta(folder)
    if meta.lanes != lanes:
        raise RecordingError(f"{ring}: has records of {lanes} lanes, {folder} is of {meta.lanes}")
    _trim(folder)
    recording = Recording(folder)
    missing = {}
    for kind in Kind:
        known = recording[kind]
        last = int(known["seq"][-1]) if len(known) else -1
        missing[kind] = batch[kind][batch[kind]["seq"].astype("i8") > last]
    with RecordingWriter(folder, lanes, xlen=meta.xlen, append=True) as writer:
        writer.observe(missing)
    return sum(len(records) for records in missing.values())


def _trim(folder: Path) -> None:
    """Cut every column to the rows that all columns of its kind have."""
    meta = json.loads((folder / META).read_text(encoding="utf-8"))
    recording = Recording(folder)
    for kind in Kind:
        for column in columns(kind, meta["lanes"], meta["xlen"]):
            with column.file(folder).open("r+b") as file:
                file.truncate(len(recording[kind]) * column.row_bytes)
