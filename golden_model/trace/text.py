"""A trace as CSV: one row per instruction, cells without a value empty."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from golden_model.isa.disasm import disassemble
from golden_model.trace.columns import COLUMNS, NONE, header
from golden_model.trace.read import Trace, Values

_ONLY_WITH = {
    "mem_space": "mem_op", "mem_size": "mem_op", "mem_mask": "mem_op", "mem_undefined": "mem_op",
    "barrier_id": "barrier_op", "barrier_count": "barrier_op", "barrier_phase": "barrier_op",
    "released": "barrier_op", "ipdom_sp": "ipdom_op", "fault_addr": "fault",
}  # fmt: skip
TEXT = "text"  # last column, for people: the instruction as assembler text
_BATCH = 4096


def write_csv(trace: Trace, path: Path, xlen: int = 32) -> None:
    """Write the columns that the trace has. Raises OSError."""
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        names = [name for name in header(trace.lanes) if name.rstrip("0123456789") in trace.columns]
        out.writerow([*names, TEXT])
        known = {c.name: trace.known(c.name) for c in COLUMNS if c.lanes and c.name in trace.columns}
        for start in range(0, len(trace), _BATCH):
            out.writerows(_rows(trace, known, start, min(start + _BATCH, len(trace)), xlen))


def _rows(trace: Trace, known: dict[str, Values], start: int, stop: int, xlen: int) -> list[list[str]]:
    part: dict[str, Any] = {name: values[start:stop].tolist() for name, values in trace.columns.items()}
    rows: list[list[str]] = [[] for _ in range(stop - start)]
    for column in COLUMNS:
        values = part.get(column.name)
        if values is None:
            continue
        shown = hex if column.hexadecimal else str
        stated = known[column.name][start:stop].tolist() if column.lanes else []
        for i, value in enumerate(values):
            if column.lanes:
                rows[i] += [shown(v) if there else "" for v, there in zip(value, stated[i], strict=True)]
                continue
            group = part.get(_ONLY_WITH.get(column.name, ""))
            absent = value == NONE and column.name in _ONLY_WITH.values()
            rows[i].append("" if absent or (group is not None and group[i] == NONE) else shown(value))
    pcs, words = part.get("pc"), part.get("instr")
    for i, row in enumerate(rows):
        row.append(disassemble(words[i], pcs[i], xlen) if pcs is not None and words is not None else "")
    return rows
