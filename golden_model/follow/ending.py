"""What must hold when a launch has ended: nothing is left over, and the counts agree."""

from __future__ import annotations

from collections.abc import Mapping

from golden_model.follow.adopted import Coverage
from golden_model.follow.compare import Mismatch
from golden_model.follow.difference import Category
from golden_model.follow.dispatch import DispatchFollower
from golden_model.follow.joiner import missing_commit
from golden_model.follow.track import Executed, Found, Track


def check_end(tracks: list[Track], dispatch: DispatchFollower, cycle: int) -> None:
    """Every record was consumed, every CTA launched and retired, no warp is unfinished.

    The order of these checks is from cause to consequence: a warp that lacks a commit leaves its CTA open, too.
    """
    for track in tracks:
        part = track.pending.get(track.next_uid)
        if track.pending and (part is None or not part.complete):
            raise missing_commit(track, cycle)
    for track in tracks:
        if track.predicted_fault is not None:
            raise _missing_fault(track, track.predicted_fault)
        if track.warp.tmask and not track.pending:
            raise _unfinished(track, cycle)
    for track in tracks:
        if track.pending:
            raise _stuck(track, cycle)
        _check_leftovers(track, cycle)
    dispatch.check_end(cycle)
    for track in tracks:
        if track.ends_seen != track.ends_golden:
            raise Found(
                Mismatch(
                    "warp end",
                    Category.DISPATCH,
                    f"{track} ended another number of times than its instructions say",
                    track.ends_golden,
                    track.ends_seen,
                ),
                cycle=cycle,
                track=track,
            )


def check_counts(
    launch: Coverage, committed: int, retired: list[int], minstret: Mapping[int, int] | None, cycle: int
) -> None:
    """Records compared against the design's own counter; a launch with CTAs that compared nothing is a failure.

    Args:
        launch: what this launch compared.
        committed: instructions that committed in this launch, all cores.
        retired: per core, instructions that committed since reset.
        minstret: per core, the design's counter since reset.
    """
    if launch.ctas and not launch.instructions:
        message = f"{launch.ctas} CTAs ran, but not one instruction was compared"
        raise Found(Mismatch("nothing compared", Category.COUNT, message), cycle=cycle)
    if not launch.faults and launch.instructions != committed:
        message = "not every instruction that committed was compared"
        raise Found(Mismatch("not compared", Category.COUNT, message, committed, launch.instructions), cycle=cycle)
    for core, counted in (minstret or {}).items():
        if counted != retired[core]:
            raise Found(
                Mismatch(
                    "minstret",
                    Category.COUNT,
                    f"core {core} counted another number of instructions than it committed",
                    retired[core],
                    counted,
                ),
                cycle=cycle,
            )


def _missing_fault(track: Track, executed: Executed) -> Found:
    step, committed = executed
    return Found(
        Mismatch(
            "missing fault",
            Category.FAULT,
            f"{step.name} must stop the warp, but the design did not report a fault",
            step.fault.kind.name if step.fault else None,
            "no FAULT record",
        ),
        cycle=committed,
        track=track,
        step=step,
    )


def _unfinished(track: Track, cycle: int) -> Found:
    where = "is held by a barrier" if track.warp.blocked else f"would go on at {track.warp.pc:#x}"
    return Found(
        Mismatch(
            "missing commit",
            Category.CONTROL,
            f"the launch ended, but {track} has not: it {where}, and no further commit came",
            f"uid {track.next_uid}",
            "no commit",
        ),
        cycle=cycle,
        track=track,
        uid=track.next_uid,
    )


def _stuck(track: Track, cycle: int) -> Found:
    """A committed instruction that the golden warp could not follow."""
    ins = track.pending[track.next_uid]
    if track.warp.blocked:
        mismatch = Mismatch(
            "barrier released early",
            Category.BARRIER,
            f"{track} went on although the golden barrier still holds it",
            "suspended",
            f"committed pc {ins.pc:#x}",
        )
    else:
        mismatch = Mismatch(
            "memory order",
            Category.MEMORY,
            f"{track} committed pc {ins.pc:#x}, but an access that must come before it never committed",
        )
    return Found(mismatch, cycle=ins.cycle, track=track, uid=ins.uid, tmask=ins.tmask)


def _check_leftovers(track: Track, cycle: int) -> None:
    for what, uids, category in (
        ("memory", list(track.memory), Category.MEMORY),
        ("barrier", list(track.barrier), Category.BARRIER),
        ("IPDOM", list(track.ipdom), Category.CONTROL),
        ("fault", list(track.fault), Category.FAULT),
    ):
        if uids:
            raise Found(
                Mismatch(
                    "extra record", category, f"a {what} record of {track} belongs to no commit", None, f"uid {uids[0]}"
                ),
                cycle=cycle,
                track=track,
                uid=uids[0],
            )
