"""Judges of a launch: lockstep with the golden model, or free without commit records."""

from __future__ import annotations

from config import RunConfig
from hw.tb.checker import Checker
from hw.tb.checkers import AxiChecker, BusyChecker
from hw.tb.scoreboard.lockstep import LockstepScoreboard

__all__ = ["LockstepScoreboard", "cosim_checkers"]


def cosim_checkers(config: RunConfig) -> list[Checker]:
    """Checkers of the backend `cosim`, in the order in which they see a batch."""
    return [AxiChecker(config.hardware), LockstepScoreboard(config), BusyChecker()]
