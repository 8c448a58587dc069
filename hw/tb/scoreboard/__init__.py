"""Judges of a launch: lockstep with the golden model, or free without commit records."""

from __future__ import annotations

from config import RunConfig
from hw.tb.checker import Checker
from hw.tb.checkers import AxiChecker, BusyChecker, ExerciseCounter
from hw.tb.scoreboard.free import FreeScoreboard
from hw.tb.scoreboard.lockstep import LockstepScoreboard

__all__ = ["FreeScoreboard", "LockstepScoreboard", "cosim_checkers", "free_checkers"]


def cosim_checkers(config: RunConfig) -> list[Checker]:
    """Checkers of the backend `cosim`, in the order in which they see a batch."""
    in_tree = config.core is None
    rules = (AxiChecker(config.hardware, strict=in_tree), BusyChecker(strict=in_tree))
    return [rules[0], LockstepScoreboard(config), rules[1], ExerciseCounter()]


def free_checkers(config: RunConfig) -> list[Checker]:
    """Checkers of a design without commit records.

    Only the in-tree core is held to what it promises beyond AXI4.
    """
    in_tree = config.core is None
    return [AxiChecker(config.hardware, strict=in_tree), FreeScoreboard(config), BusyChecker(strict=in_tree)]
