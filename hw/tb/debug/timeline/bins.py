"""A window divided into equal parts: how much of each the warps spent in each state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from hw.tb.debug.timeline.scene import Scene
from hw.tb.debug.timeline.states import State


@dataclass(frozen=True)
class Bins:
    """`share[hart, bin, state]`: cycles; `edges`: bins + 1 cycles; harts as in `harts`."""

    harts: list[tuple[int, int]]
    edges: npt.NDArray[np.int64]
    share: npt.NDArray[np.float64]

    def dominant(self) -> npt.NDArray[np.int64]:
        """State per hart and bin in which most cycles were spent; -1 where the warp was not active."""
        best = self.share.argmax(axis=2)
        return np.where(self.share.sum(axis=2) > 0, best, -1)


def divide(scene: Scene, columns: int) -> Bins:
    """At most `columns` bins, none shorter than a cycle."""
    cycles = scene.last - scene.first + 1
    count = max(1, min(columns, cycles))
    edges = np.linspace(scene.first, scene.last + 1, count + 1).round().astype(np.int64)
    harts = scene.harts
    index = {hart: at for at, hart in enumerate(harts)}
    share = np.zeros((len(harts), count, len(State)))
    states = scene.states
    stream = states.stream.astype(np.int64)
    hart: npt.NDArray[Any] = np.array(
        [index[number >> 8 & 0xFFF, number & 0xFF] for number in stream.tolist()], np.int64
    )
    begin, end = np.clip(states.begin, edges[0], edges[-1]), np.clip(states.end, edges[0], edges[-1])
    # A span adds to each bin that it touches; the loop is over bins, not over cycles.
    for at in range(count):
        inside = np.minimum(end, edges[at + 1]) - np.maximum(begin, edges[at])
        some = inside > 0
        np.add.at(share[:, at], (hart[some], states.state[some]), inside[some])
    return Bins(harts, edges, share)
