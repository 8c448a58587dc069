"""What a dead simulator left behind: its last commits, warp by warp, from the record file."""

from __future__ import annotations

from collections import deque
from pathlib import Path

from golden_model.records.layout import Kind
from golden_model.records.ring import RecordError, RingReader

_LAST = 4  # commits shown of each warp


def recovered(ring: Path) -> str:
    """The last commits of each warp that are still in the ring file, or a sentence why there are none."""
    try:
        with RingReader(ring, recover=True) as reader:
            commits = reader.read()[Kind.COMMIT]
    except RecordError as error:
        return f"no records: {error}"
    if not len(commits):
        return "no instruction had committed"
    last: dict[tuple[int, int], deque[str]] = {}
    for core, warp, cycle, pc, tmask in zip(
        *(commits[name].tolist() for name in ("core", "warp", "cycle", "pc", "tmask")), strict=True
    ):
        lines = last.setdefault((core, warp), deque(maxlen=_LAST))
        lines.append(f"cycle {cycle}: pc {pc:#010x}, thread mask {tmask:#x}")
    return "\n".join(
        f"core {core} warp {warp}\n" + "\n".join(f"  {line}" for line in lines)
        for (core, warp), lines in sorted(last.items())
    )
