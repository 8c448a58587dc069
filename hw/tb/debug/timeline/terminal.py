"""Warps over time in the terminal, for people on ssh: a row a warp, a column a stretch of cycles."""

from __future__ import annotations

import numpy as np
from rich.console import Console
from rich.table import Table
from rich.text import Text

from hw.tb.debug.timeline.bins import divide
from hw.tb.debug.timeline.scene import Scene
from hw.tb.debug.timeline.states import State

# Letters, so that the picture can be read without colours and pasted into a report.
_CELLS: dict[State, tuple[str, str]] = {
    State.ISSUE: ("#", "black on green"),
    State.BARRIER: ("b", "white on magenta"),
    State.CONTROL: ("c", "black on yellow"),
    State.FETCH: ("n", "black on bright_black"),
    State.MEMORY: ("m", "white on red"),
    State.FLOAT: ("f", "black on cyan"),
    State.MULDIV: ("d", "black on bright_cyan"),
    State.OPERAND: ("o", "black on bright_yellow"),
    State.PORT: ("p", "white on blue"),
    State.DRAIN: ("e", "bright_black"),
}
_LABEL = 14
_SHARE = 7


def view(scene: Scene, console: Console) -> None:
    """Print the picture, where the cycles went, and what is in the window."""
    bins = divide(scene, max(20, console.width - _LABEL - _SHARE - 2))
    dominant = bins.dominant()
    per_column = (scene.last - scene.first + 1) / dominant.shape[1]
    console.print(
        f"cycles {scene.first:,} to {scene.last:,}, {per_column:.4g} cycles a column (its longest state)",
        highlight=False,
    )
    console.print(_ruler(scene, dominant.shape[1]), highlight=False, no_wrap=True)
    for number, (core, warp) in enumerate(bins.harts):
        line = Text(f"core {core} warp {warp}".ljust(_LABEL), no_wrap=True)
        for state in dominant[number].tolist():
            letter, style = _CELLS[State(state)] if state >= 0 else (" ", "")
            line.append(letter, style)
        active = bins.share[number].sum()
        issued = bins.share[number, :, State.ISSUE].sum()
        line.append(f" {issued / active:6.1%}" if active else "      -")
        console.print(line, highlight=False)
    console.print(_where(bins.share))
    _counts(scene, console)


def _ruler(scene: Scene, columns: int) -> Text:
    line = [" "] * (_LABEL + columns + _SHARE)
    step = max(10, columns // 8)
    for at in range(0, columns, step):
        mark = f"|{scene.first + at * (scene.last - scene.first + 1) // columns:,}"
        line[_LABEL + at : _LABEL + at + len(mark)] = mark[: _SHARE + columns - at]
    line[_LABEL + columns :] = " issued"
    return Text("".join(line), no_wrap=True)


def _where(share: np.ndarray) -> Table:
    table = Table(box=None, pad_edge=False, show_header=False)
    total = share.sum() or 1.0
    for state in sorted(State, key=lambda item: -share[:, :, item].sum()):
        cycles = share[:, :, state].sum()
        if cycles:
            letter, style = _CELLS[state]
            table.add_row(Text(f" {letter} ", style), state.label, f"{cycles:,.0f}", f"{cycles / total:.1%}")
    return table


def _counts(scene: Scene, console: Console) -> None:
    misses = len({link.load for link in scene.links})
    console.print(
        f"{len(scene.table):,} instructions, {len(scene.ctas):,} CTAs, {len(scene.barriers):,} barrier phases, "
        f"{len(scene.transactions):,} memory transactions, {misses:,} loads that waited for one",
        highlight=False,
    )
