"""The first difference of two traces, for a person."""

from __future__ import annotations

from collections.abc import Iterator

from golden_model.isa.disasm import disassemble
from golden_model.trace.columns import BY_NAME
from golden_model.trace.compare import Comparison, Difference
from golden_model.trace.read import Trace

_BEFORE = 5


def report(comparison: Comparison, ours: Trace, theirs: Trace, names: tuple[str, str], xlen: int) -> Iterator[str]:
    """Lines of text; `names` are those of the two files."""
    compared = f"{comparison.instructions:,} warp instructions agree; compared: {', '.join(comparison.columns)}"
    difference = comparison.difference
    if difference is None:
        yield f"no difference: {compared}"
        return
    who = ", ".join(f"{name} {value}" for name, value in difference.key.items()) or "in file order"
    yield f"DIFFERENCE  {who}, instruction {difference.number}"
    if difference.ours is None or difference.theirs is None:
        ended, on, trace, row = (
            (names[0], names[1], theirs, difference.theirs) if difference.ours is None
            else (names[1], names[0], ours, difference.ours)
        )  # fmt: skip
        assert row is not None
        yield f"  {ended} has ended here, {on} goes on with (row {row}):"
        yield f"    {_instruction(trace, row, xlen)}"
    else:
        yield f"  ours    row {difference.ours} of {names[0]}: {_instruction(ours, difference.ours, xlen)}"
        yield f"  theirs  row {difference.theirs} of {names[1]}: {_instruction(theirs, difference.theirs, xlen)}"
        yield from _columns(difference)
    yield from _before(difference, ours, xlen)
    yield f"  {compared}"


def _columns(difference: Difference) -> Iterator[str]:
    for name, (a, b) in difference.columns.items():
        shown = hex if BY_NAME[name].hexadecimal else str
        yield f"  {name}: {BY_NAME[name].meaning}"
        for lane, (mine, other) in enumerate(zip(a, b, strict=True)):
            differs = None not in (mine, other) and mine != other
            if differs or len(a) <= 8:
                texts = ["not stated" if value is None else shown(value) for value in (mine, other)]
                where = f"lane {lane:2d}  " if len(a) > 1 else ""
                yield f"    {where}ours {texts[0]:>18s}   theirs {texts[1]:>18s}{'  <--' if differs else ''}"


def _before(difference: Difference, ours: Trace, xlen: int) -> Iterator[str]:
    """The instructions of the same warp that come before it in our trace."""
    end = difference.ours if difference.ours is not None else len(ours)
    rows = []
    for row in range(end - 1, -1, -1):
        if all(int(ours.columns[name][row]) == value for name, value in difference.key.items()):
            rows.append(row)
            if len(rows) == _BEFORE:
                break
    if rows:
        yield "  before it (ours):"
        yield from (f"    {_instruction(ours, row, xlen)}" for row in reversed(rows))


def _instruction(trace: Trace, row: int, xlen: int) -> str:
    def value(name: str) -> int | None:
        known = name in trace.columns and trace.known_at(name, row)
        return int(trace.columns[name][row]) if known else None

    pc, word, mask = value("pc"), value("instr"), value("tmask")
    parts = [
        f"pc {pc:#010x}" if pc is not None else "",
        f"mask {mask:b}" if mask is not None else "",
        disassemble(word, pc, xlen) if word is not None else "",
    ]
    return "  ".join(part for part in parts if part)
