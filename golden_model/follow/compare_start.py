"""Comparison of the start of a warp with what the dispatch rules demand."""

from __future__ import annotations

from golden_model.cta import WarpStart
from golden_model.follow.compare import Mismatch, lanes_of
from golden_model.follow.difference import Category
from golden_model.follow.instruction import CtaRow
from golden_model.follow.track import Found, Track


def wrong_start(row: CtaRow, golden: WarpStart, track: Track) -> Found:
    """The first rule that a start breaks."""
    for check, message, expected, actual in (
        ("warp slot", "the warp was started for a wrong CTA slot", golden.slot, row.slot),
        ("warp rank", "the warp has a wrong rank in its CTA", golden.rank, row.rank),
        ("warp mask", "the warp starts with a wrong set of lanes", golden.tmask, row.tmask),
        ("warp start pc", "the warp starts at a wrong address", golden.pc, row.pc),
        (
            "extra commit",
            "the warp issued instructions after the one that ended it (number of its next one)",
            track.next_uid,
            row.uid,
        ),
    ):
        if expected != actual:
            return Found(
                Mismatch(
                    check,
                    Category.DISPATCH,
                    message,
                    expected,
                    actual,
                    lanes_of(expected ^ actual) if check == "warp mask" else [],
                ),
                cycle=row.cycle,
                cta=row,
                track=track,
                block=golden.block_idx,
            )
    raise AssertionError("the start is right")
