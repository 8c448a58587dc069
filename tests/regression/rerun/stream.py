"""Two runs did the same if their commit streams are the same: a checksum over every commit packet, cycles included."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from golden_model.records.layout import Kind
from golden_model.records.ring import RecordError, RingReader
from tests.regression.typed_json import TypedJsonError, read_json, write_json

FILE = "commits.json"
_COMPARED = ("seq", "cycle", "core", "warp", "uid", "pc", "instr", "tmask", "wmask")


@dataclass(frozen=True)
class CommitStream:
    """What the design committed on one launch path, up to its end.

    Attributes:
        commits: commit packets since the simulator began, those of earlier paths included.
        checksum: over the defined bits and cycles of all packets since the path's reset, as the simulator counted it.
        cycle: in which the path ended.
    """

    path: str
    commits: int
    checksum: int
    cycle: int


@dataclass(frozen=True)
class CommitStreams:
    """Of a whole run, in the order of its launch paths."""

    paths: tuple[CommitStream, ...]


def write_streams(folder: Path, paths: list[CommitStream]) -> None:
    """Put them beside the results of the run."""
    write_json(folder / FILE, CommitStreams(tuple(paths)))


def compare(first: Path, again: Path) -> tuple[bool, str]:
    """Whether two results folders are of the same run, and a sentence that says how that is known.

    Streams are compared; where a process died before it could write them, what its rings still hold.
    """
    try:
        mine, theirs = (read_json(folder / FILE, CommitStreams) for folder in (first, again))
    except TypedJsonError:
        return _compare_rings(first / "sim" / "ring.bin", again / "sim" / "ring.bin")
    if mine == theirs:
        total = max((stream.commits for stream in mine.paths), default=0)
        if not total:
            return True, "no commit packet can be seen (the core has no probes), so only the verdicts can be compared"
        sums = ", ".join(f"{stream.path} {stream.checksum:#018x}" for stream in mine.paths)
        return True, f"the same {total:,} commit packets in the same cycles: checksum {sums}"
    for one, other in zip(mine.paths, theirs.paths, strict=False):
        if one != other:
            return False, (
                f"the commit streams differ on path {one.path}: {one.commits:,} packets up to cycle {one.cycle:,}, "
                f"checksum {one.checksum:#018x}; then {other.commits:,} up to {other.cycle:,}, {other.checksum:#018x}"
            )
    return False, f"{len(mine.paths)} launch paths were run, then {len(theirs.paths)}"


def last_cycle(folder: Path) -> int:
    """Cycle in which the run in `folder` ended; 0 if it did not say."""
    try:
        return max((stream.cycle for stream in read_json(folder / FILE, CommitStreams).paths), default=0)
    except TypedJsonError:
        return 0


def _compare_rings(first: Path, again: Path) -> tuple[bool, str]:
    rings = []
    for path in (first, again):
        try:
            with RingReader(path, recover=True) as reader:
                rings.append(reader.read()[Kind.COMMIT].copy())
        except RecordError as error:
            return False, f"the commit streams can't be compared: {error}"
    mine, theirs = rings
    # A process that was stopped from outside ends anywhere, so only what both have is compared.
    shared = np.intersect1d(mine["seq"], theirs["seq"])
    if not len(shared):
        return False, "the commit streams can't be compared: their rings hold no common record"
    left, right = mine[np.isin(mine["seq"], shared)], theirs[np.isin(theirs["seq"], shared)]
    if all(np.array_equal(left[name], right[name]) for name in _COMPARED):
        return True, f"the last {len(shared):,} commit packets that both runs left behind are the same"
    return False, "the last commit packets of both runs differ"
