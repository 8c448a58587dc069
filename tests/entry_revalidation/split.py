"""Splits the steps of a run into prologue, dispatch window and kernel, and counts which blocks were called."""

from __future__ import annotations

from collections import Counter
from collections.abc import Set
from dataclasses import dataclass, field

from golden_model.step import Step
from golden_model.warp import Warp
from tests.entry_revalidation.static import Window

Place = tuple[int, int]  # core, warp
Called = tuple[int, tuple[int, int, int], int]  # launch, block, rank of the warp in it


@dataclass
class Split:
    """Counts of warp instructions by part, over all launches of a run.

    Attributes:
        window: where the dispatch window lies; None for a legacy image, which has none: all of it is kernel.
        starts: addresses at which a fresh warp begins.
        reused: times that a warp began at the window, because it had run a block before.
        kernel: by launch, because in some the number depends on the order of warps.
        called: how often each warp of each block reached the call.
    """

    window: Window | None = None
    starts: Set[int] = frozenset()
    prologue: int = 0
    in_window: int = 0
    kernel: Counter[int] = field(default_factory=Counter)
    reused: int = 0
    called: Counter[Called] = field(default_factory=Counter)
    _in_prologue: set[Place] = field(default_factory=set)
    _fresh: set[Place] = field(default_factory=set)

    def __call__(self, warp: Warp, step: Step) -> None:
        """Called after every step."""
        window, place = self.window, (step.core, step.warp)
        if window is None:
            self.kernel[step.launch] += 1
        elif place in self._in_prologue or step.pc in self.starts:
            self._in_prologue.add(place)
            self._step_in_prologue(window, place, step)
        elif window.start <= step.pc < window.end:
            self.in_window += 1
            if step.pc == window.start:
                self.reused += place not in self._fresh
                self._fresh.discard(place)
            if step.pc == window.call:
                assert warp.resident is not None, "a warp without a block is in the dispatch window"
                self.called[step.launch, warp.resident.cta.block_idx, warp.rank] += 1
        else:
            self.kernel[step.launch] += 1

    def _step_in_prologue(self, window: Window, place: Place, step: Step) -> None:
        self.prologue += 1
        if step.next_pc == window.start:
            self._in_prologue.discard(place)
            self._fresh.add(place)
