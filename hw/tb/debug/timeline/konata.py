"""A window as a Konata log (Kanata 0004): instructions from decode to commit, and arrows to who wrote their operands.

Stages: `Dc` decoded and waiting, `Ex` issued, `Cm` commit packets. A thread is a hart: core * warps of a core + warp.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from hw.tb.debug.library import words
from hw.tb.debug.timeline.scene import Scene

_HEADER = "Kanata\t0004"


def write_konata(scene: Scene, path: Path) -> int:
    """Write the log; returns the number of instructions. Raises OSError."""
    lines = konata_lines(scene)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return len(scene.table)


def konata_lines(scene: Scene) -> list[str]:
    """The log, line by line."""
    table, names = scene.table, scene.run.names
    begin = np.where(table.decode > 0, np.minimum(table.decode, table.issue), table.issue)
    order = np.lexsort((table.uid, table.warp, table.core, begin)).tolist()
    number = {row: at for at, row in enumerate(order)}  # ids count up in the order of appearance
    warps = max((warp for _, warp in scene.harts), default=0) + 1
    pairs = zip(scene.states.row.tolist(), scene.states.writer.tolist(), strict=True)
    owed = {row: writer for row, writer in pairs if writer >= 0}
    events: list[tuple[int, int, int, list[str]]] = []  # cycle, rank within the cycle, id, commands
    retired = {row: at for at, row in enumerate(sorted(order, key=lambda row: (int(table.commit[row]), number[row])))}
    for row in order:
        ident, pc = number[row], int(table.column["pc"][row])
        text = words.text(int(table.column["instr"][row]), pc, scene.run.recording.meta.xlen)
        where = f"core {int(table.core[row])} warp {int(table.warp[row])} uid {int(table.uid[row])}"
        thread = int(table.core[row]) * warps + int(table.warp[row])
        start = [
            f"I\t{ident}\t{int(table.uid[row])}\t{thread}",
            f"L\t{ident}\t0\t{pc:08x}: {text}",
            f"L\t{ident}\t1\t{where}, <{names.symbol(pc)}> {names.line(pc)}".rstrip(),
        ]
        first, issue = int(begin[row]), int(table.issue[row])
        if first < issue:
            events.append((first, 1, ident, [*start, f"S\t{ident}\t0\tDc"]))
            events.append((issue, 1, ident, [f"E\t{ident}\t0\tDc", f"S\t{ident}\t0\tEx"]))
        else:
            events.append((issue, 1, ident, [*start, f"S\t{ident}\t0\tEx"]))
        done = max(int(table.first[row]), issue)
        last = max(int(table.commit[row]), done)
        wakes = owed.get(row, -1)
        arrow = [f"W\t{ident}\t{number[wakes]}\t0"] if wakes >= 0 else []
        events.append((done, 2, ident, [f"E\t{ident}\t0\tEx", f"S\t{ident}\t0\tCm"]))
        events.append((last + 1, 0, ident, [f"E\t{ident}\t0\tCm", *arrow, f"R\t{ident}\t{retired[row]}\t0"]))
    events.sort(key=lambda event: event[:3])
    lines, now = [_HEADER], None
    for cycle, _, _, commands in events:
        if now is None:
            lines.append(f"C=\t{cycle}")
        elif cycle != now:
            lines.append(f"C\t{cycle - now}")
        now = cycle
        lines += commands
    return lines
