"""Warps that WSPAWN starts: the design shows each in a SPAWN record, before or after the golden model starts it."""

from __future__ import annotations

from collections.abc import Iterable

from golden_model.follow.compare import Mismatch
from golden_model.follow.difference import Category
from golden_model.follow.instruction import CtaRow
from golden_model.follow.track import Found, Track


def see_spawn(track: Track, row: CtaRow) -> None:
    """A SPAWN record. Raises Found if the warp was active, or began otherwise in the golden model."""
    if track.hw_active:
        raise _found("warp started twice", f"{track} was spawned while it was active", row)
    track.hw_active, track.hw_slot, track.hw_spawned = True, row.slot, True
    if track.spawns_golden:
        _compare(track, track.spawns_golden.popleft(), row)
    else:
        track.spawns_seen.append(row)


def spawned(tracks: Iterable[Track], spawner: Track) -> list[Track]:
    """The golden warps of a core that a WSPAWN has just started. Raises Found if a record says something else."""
    started = [track for track in tracks if track is not spawner and track.warp.tmask]
    for track in started:
        _spawned(track)
    return started


def _spawned(track: Track) -> None:
    began = (track.warp.pc, track.warp.tmask, track.next_uid)
    track.block = track.rank = None
    track.ended_by_fault = False
    if track.spawns_seen:
        _compare(track, began, track.spawns_seen.popleft())
    else:
        track.spawns_golden.append(began)


def check_spawns(tracks: Iterable[Track], cycle: int) -> None:
    """At the end of a launch every spawned warp was seen on both sides."""
    for track in tracks:
        if track.spawns_seen:
            raise _found("warp spawn", f"no WSPAWN of the golden model starts {track}", track.spawns_seen[0])
        if track.spawns_golden:
            message = f"WSPAWN starts {track}, but the design never showed it"
            raise Found(Mismatch("warp spawn", Category.DISPATCH, message), cycle=cycle, track=track)


def _compare(track: Track, began: tuple[int, int, int], row: CtaRow) -> None:
    for check, message, expected, actual in (
        ("warp start pc", "the spawned warp starts at a wrong address", began[0], row.pc),
        ("warp mask", "the spawned warp starts with a wrong set of lanes", began[1], row.tmask),
        ("warp spawn", "the warp was spawned between other instructions (number of its next one)", began[2], row.uid),
    ):
        if expected != actual:
            mismatch = Mismatch(check, Category.DISPATCH, message, expected, actual)
            raise Found(mismatch, cycle=row.cycle, cta=row, track=track)


def _found(check: str, message: str, row: CtaRow) -> Found:
    return Found(Mismatch(check, Category.DISPATCH, message), cycle=row.cycle, cta=row)
