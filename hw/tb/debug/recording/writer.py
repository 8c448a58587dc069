"""Writing a recording while the run goes on: an observer of the record hub.

Batches are collected as rows and taken apart into columns a few thousand rows at a time, so that the rows are still in
the processor's cache: that is what keeps the cost of recording below a tenth of a lockstep run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Self

import numpy as np
import numpy.typing as npt

from golden_model.records.layout import Kind, dtype
from golden_model.records.ring import Batch
from hw.tb.debug.recording.format import META, NAME, VERSION, Column, RecordingError, columns

CHUNK = 1 << 12  # rows


class RecordingWriter:
    """Appends batches to a recording; use as a context manager, or call `close`.

    Args:
        folder: made if missing. With `append` False an earlier recording in it is replaced.
        lanes: lanes of the records.
        xlen: width of the design's addresses and registers.
        about: goes into `meta.json` as it is, such as the knobs of the run and its images.
        append: go on behind what is there.

    Raises:
        RecordingError: the folder cannot be written, or holds a recording of another shape.
    """

    def __init__(
        self,
        folder: Path,
        lanes: int,
        *,
        xlen: int = 32,
        about: Mapping[str, object] | None = None,
        append: bool = False,
    ) -> None:
        self.folder = folder
        self._dtypes = {kind: dtype(kind, lanes) for kind in Kind}
        self._columns = {kind: columns(kind, lanes, xlen) for kind in Kind}
        self._files: dict[Column, BinaryIO] = {}
        self._held: dict[Kind, list[npt.NDArray[np.uint8]]] = {kind: [] for kind in Kind}
        self._rows = dict.fromkeys(Kind, 0)
        meta = {"format": NAME, "version": VERSION, "lanes": lanes, "xlen": xlen, "about": dict(about or {})}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not append or not (folder / META).exists():
                for old in folder.glob("*.*"):
                    old.unlink()
                (folder / META).write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")
                append = False
            else:
                _same_shape(folder, lanes, xlen)
            for kind in Kind:
                for column in self._columns[kind]:
                    self._files[column] = column.file(folder).open("ab" if append else "wb", buffering=0)
        except OSError as error:
            raise RecordingError(f"{folder}: the recording cannot be written: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def observe(self, batch: Batch) -> None:
        """Take one batch; its arrays may be views of the ring. Raises RecordingError, such as for a full disk."""
        for kind, records in batch.items():
            if len(records):
                # As rows of bytes: numpy copies structured elements field by field, many times slower.
                self._held[kind].append(records.view(np.uint8).reshape(len(records), -1).copy())
                self._rows[kind] += len(records)
                if self._rows[kind] >= CHUNK:
                    self._write(kind)

    def flush(self) -> None:
        """Put on disk what was observed until now."""
        for kind in Kind:
            self._write(kind)

    def close(self) -> None:
        """Flush and close; a second call does nothing."""
        if not self._files:
            return
        self.flush()
        for file in self._files.values():
            file.close()
        self._files = {}

    def _write(self, kind: Kind) -> None:
        held = self._held[kind]
        if not held:
            return
        rows = held[0] if len(held) == 1 else np.concatenate(held)
        held.clear()
        self._rows[kind] = 0
        try:
            for begin in range(0, len(rows), CHUNK):
                records: npt.NDArray[Any] = rows[begin : begin + CHUNK].reshape(-1).view(self._dtypes[kind])
                for column in self._columns[kind]:
                    data = np.ascontiguousarray(records[column.name], column.dtype).data.cast("B")
                    written = self._files[column].write(data)
                    if written != len(data):
                        raise RecordingError(f"{self.folder}: the disk took only a part of the recording; is it full?")
        except OSError as error:
            raise RecordingError(f"{self.folder}: the recording cannot be written: {error.strerror}") from error


def _same_shape(folder: Path, lanes: int, xlen: int) -> None:
    from hw.tb.debug.recording.reader import read_meta

    meta = read_meta(folder)
    if (meta.lanes, meta.xlen) != (lanes, xlen):
        raise RecordingError(
            f"{folder}: holds a recording of {meta.lanes} lanes and {meta.xlen} bits; records of {lanes} lanes and "
            f"{xlen} bits cannot go on behind it"
        )
