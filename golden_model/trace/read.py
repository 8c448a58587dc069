"""Reading a trace: the model's own file, or CSV of whoever made it."""

from __future__ import annotations

import csv
import json
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from golden_model.records.layout import MemoryOp
from golden_model.trace.columns import BY_NAME, COLUMNS, NONE
from golden_model.trace.mapping import Mapping, MappingError

Values = np.ndarray


class TraceError(ValueError):
    """A trace that cannot be understood; one sentence."""


@dataclass
class Trace:
    """Columns of a trace: shape (rows,), or (rows, lanes) for lane columns. `stated` holds the same shapes: where the
    file says something; a column that is not in it is stated everywhere."""

    lanes: int
    columns: dict[str, Values]
    stated: dict[str, Values] = field(default_factory=dict)
    about: dict[str, object] = field(default_factory=dict)  # meta.json

    def __len__(self) -> int:
        return next((len(values) for values in self.columns.values()), 0)

    def known_at(self, name: str, row: int) -> bool:
        """Whether one row states a column that has no lanes."""
        return name not in self.stated or bool(self.stated[name][row])

    def known(self, name: str) -> Values:
        """Where the column has a value that means something; shape of the column."""
        values = self.columns[name]
        known = self.stated.get(name, np.ones(values.shape, bool))
        column = BY_NAME[name]
        if not column.lanes:
            return known
        for mask, inside in ((column.where, True), (column.unknown, False)):
            if mask in self.columns:
                bits = self.columns[mask][:, None] >> np.arange(self.lanes, dtype=np.uint64) & np.uint64(1)
                known = known & ((bits == 1) == inside)
        if name == "data" and "mem_op" in self.columns:
            op = self.columns["mem_op"]
            known = known & ((op == MemoryOp.STORE) | (op == MemoryOp.ATOMIC))[:, None]
        return known


def read(path: Path, mapping: Mapping | None = None) -> Trace:
    """Read a trace file, or CSV if the name ends with .csv. Raises TraceError with the file, line and column."""
    try:
        if path.suffix.lower() == ".csv":
            return _read_csv(path, mapping or Mapping.of_own_names())
        return _read_archive(path)
    except OSError as error:
        raise TraceError(f"{path} cannot be read: {error.strerror or error}") from None
    except (zipfile.BadZipFile, KeyError, ValueError, EOFError) as error:
        if isinstance(error, TraceError):
            raise
        raise TraceError(f"{path} is no trace: {error}; a trace is a .npz of `trace`, or a .csv") from None


def _read_archive(path: Path) -> Trace:
    with zipfile.ZipFile(path) as archive:
        about = json.loads(archive.read("meta.json"))
        lanes = int(about["lanes"])
        chunks = sorted({name.split("/")[0] for name in archive.namelist() if "/" in name})
        columns: dict[str, Values] = {}
        for column in COLUMNS:
            parts = []
            for chunk in chunks:
                with archive.open(f"{chunk}/{column.name}.npy") as member:
                    parts.append(np.lib.format.read_array(member, allow_pickle=False))
            shape = (0, lanes) if column.lanes else (0,)
            columns[column.name] = np.concatenate(parts) if parts else np.zeros(shape, column.code)
        return Trace(lanes, columns, about=about)


def _read_csv(path: Path, mapping: Mapping) -> Trace:
    with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
        lines = csv.reader(file, delimiter=mapping.separator)
        head = next(lines, None)
        if not head:
            raise TraceError(f"{path} is empty: its first line must name the columns")
        places = {name.strip(): i for i, name in enumerate(head)}
        try:
            sources = mapping.sources(places)
        except MappingError as error:
            raise TraceError(f"{path}: {error}") from None
        cells: dict[str, list[list[int | None]]] = {source.name: [] for source in sources}
        for number, line in enumerate(lines, 2):
            if not line:
                continue
            if len(line) < len(head):
                raise TraceError(f"{path}, line {number}: {len(line)} cells, but the first line names {len(head)}")
            for source in sources:
                try:
                    cells[source.name].append(source.values(line))
                except ValueError as error:
                    raise TraceError(f"{path}, line {number}, column {source.title}: {error}") from None
    lanes = max([len(row) for s in sources if BY_NAME[s.name].lanes for row in cells[s.name]] or [0])
    trace = Trace(lanes, {})
    for source in sources:
        _add(trace, source.name, cells[source.name], path)
    return trace


def _add(trace: Trace, name: str, cells: list[list[int | None]], path: Path) -> None:
    column = BY_NAME[name]
    width = trace.lanes if column.lanes else 1
    absent = NONE if column.code == "u1" and (column.name.endswith("_op") or column.name == "fault") else 0
    padded = [row + [None] * (width - len(row)) for row in cells]
    try:
        values = np.array([[absent if v is None else v for v in row] for row in padded], np.uint64)
    except OverflowError:
        raise TraceError(f"{path}: column {name} holds a number below 0 or above 64 bits") from None
    stated = np.array([[v is not None for v in row] for row in padded], bool)
    shape = (len(cells), width) if column.lanes else (len(cells),)
    trace.columns[name] = values.reshape(shape)
    if absent == NONE:
        return  # empty says that nothing of the kind happened
    if not stated.all():
        trace.stated[name] = stated.reshape(shape)
