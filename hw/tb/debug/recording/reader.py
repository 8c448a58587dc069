"""Reading a recording: columns are mapped, so opening one costs the same for a thousand and for ten million rows."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from golden_model.records.layout import Kind
from hw.tb.debug.recording.format import META, NAME, VERSION, Column, RecordingError, columns

Values = npt.NDArray[Any]


@dataclass(frozen=True)
class Meta:
    """Head of a recording; `about` is what its writer was told."""

    lanes: int
    xlen: int
    about: Mapping[str, Any]


def read_meta(folder: Path) -> Meta:
    """Head of the recording in `folder`. Raises RecordingError."""
    path = folder / META
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordingError(f"{path}: no recording can be opened: {error.strerror}") from error
    except ValueError as error:
        raise RecordingError(f"{path}: is no JSON file ({error}); record the run again") from error
    if not isinstance(content, dict) or content.get("format") != NAME:
        raise RecordingError(f"{path}: is not the head of a recording ({NAME})")
    if content.get("version") != VERSION:
        raise RecordingError(
            f"{path}: is of version {content.get('version')}, this one reads {VERSION}; record the run again"
        )
    lanes, xlen = content.get("lanes"), content.get("xlen")
    if not isinstance(lanes, int) or not 1 <= lanes <= 64 or xlen not in (32, 64):
        raise RecordingError(f"{path}: says {lanes} lanes and {xlen} bits, which no design has")
    return Meta(lanes, xlen, content.get("about") or {})


class Table:
    """All records of one kind, in the order of writing. A column is an array of `len(self)` rows, mapped from disk."""

    def __init__(self, folder: Path, kind: Kind, described: list[Column]) -> None:
        self.kind = kind
        self._folder = folder
        self._columns = {column.name: column for column in described}
        self._mapped: dict[str, Values] = {}
        # A writer that was killed may have written some columns of the last chunk only.
        self._length = min(self._size(column) // column.row_bytes for column in described)

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, name: str) -> Values:
        """One column; shape (rows,) or (rows, lanes)."""
        if name not in self._mapped:
            if name not in self._columns:
                raise KeyError(f"{self.kind.name} records have no field {name!r}; they have: {', '.join(self.names)}")
            self._mapped[name] = self._map(self._columns[name])
        return self._mapped[name]

    @property
    def names(self) -> list[str]:
        return list(self._columns)

    def window(self, first: int, last: int) -> slice:
        """Rows of the cycles `first` to `last`."""
        cycle = self["cycle"]
        return slice(int(cycle.searchsorted(first, "left")), int(cycle.searchsorted(last, "right")))

    def _size(self, column: Column) -> int:
        path = column.file(self._folder)
        try:
            return path.stat().st_size
        except OSError as error:
            raise RecordingError(f"{path}: a column of the recording is missing: {error.strerror}") from error

    def _map(self, column: Column) -> Values:
        shape = (self._length,) if column.width == 1 else (self._length, column.width)
        if not self._length:
            return np.zeros(shape, column.dtype)
        # A plain array: every slice of a memmap object costs a Python call.
        return np.memmap(column.file(self._folder), column.dtype, "r", shape=shape).view(np.ndarray)


class Recording:
    """A recording that was opened; `recording[Kind.COMMIT]["cycle"]` is a column.

    Raises:
        RecordingError: there is none, or it is damaged.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.meta = read_meta(folder)
        self.lanes = self.meta.lanes
        self._tables = {kind: Table(folder, kind, columns(kind, self.lanes, self.meta.xlen)) for kind in Kind}

    def __getitem__(self, kind: Kind) -> Table:
        return self._tables[kind]

    @property
    def cycles(self) -> tuple[int, int]:
        """First and last cycle of any record; (0, 0) of an empty recording."""
        seen = [table["cycle"] for table in self._tables.values() if len(table)]
        return (min(int(cycle[0]) for cycle in seen), max(int(cycle[-1]) for cycle in seen)) if seen else (0, 0)
