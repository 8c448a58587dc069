"""What a viewer opens with: groups of lanes and signals, and a marker at the failure."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hw.tb.debug.waves.fst import CYCLE_NS

# Flags of GTKWave's save files.
_BITS, _HEX, _TEXT, _OPEN, _CLOSED, _END = "@28", "@22", "@820", "@800200", "@c00200", "@1401200"
_BEFORE = 40  # cycles that are shown left of the marker
_MOST = 40  # signals of a group
_TRANSACTIONS = 8  # lanes of transactions that are shown; the others are in the file


@dataclass(frozen=True)
class Group:
    """Signals under a headline, by full name; `closed` ones show the headline only, `mixed` ones are of several warps
    or cores, so their names must say which."""

    title: str
    signals: tuple[str, ...]
    closed: bool = False
    mixed: bool = False


# Ports and trace wires, by what follows the path of their instance; a core that has none of them shows its lanes.
_PORTS = re.compile(r"vx_tb_top\.dut\.(clk|reset|start|busy|m_axi_(ar|aw|r|w|b)(valid|ready|id|addr|resp|last))(\W|$)")
_OF_CORE = re.compile(r"lanes\.core(\d+)\.(?:warp(\d+)\.(\w+)|cta_slot(\d+))$")
_WIDTH = re.compile(r"\[\d+:\d+\]$")


def groups_of(names: Sequence[str], core: int | None = None, warp: int | None = None) -> list[Group]:
    """Lanes of the warp that failed, those of the others, ports, then the trace wires of its core.

    Args:
        names: full names of everything in the file, widths included (`…uid[35:0]`).
        core, warp: where the failure was seen.
    """
    lanes = [name for name in names if name.startswith("lanes.")]
    own = f"lanes.core{core}.warp{warp}."
    found = [Group(f"core {core} warp {warp}: where the failure was seen", _matching(lanes, own))]
    states = tuple(name for name in lanes if name.endswith((".state", ".pc")) and not name.startswith(own))
    found.append(Group("other warps", states, mixed=True))
    blocks = tuple(name for name in lanes if ".cta_slot" in name or name == "lanes.kmu")
    found.append(Group("CTAs and launches", blocks, mixed=True))
    found.append(Group("memory transactions", _matching(lanes, "lanes.axi.")[:_TRANSACTIONS]))
    found.append(Group("ports", tuple(name for name in names if _PORTS.match(name))))
    here = re.compile(rf"vx_tb_top\.dut\.g_core\[{core or 0}\]\.socket\.core\.(trace_\w+)\.")
    wires: dict[str, list[str]] = {}
    for name in names:
        if match := here.match(name):
            wires.setdefault(match[1], []).append(name)
    found += [Group(wire, tuple(members), closed=True) for wire, members in wires.items()]
    return [dataclasses.replace(group, signals=group.signals[:_MOST]) for group in found if group.signals]


def _matching(names: Sequence[str], prefix: str) -> tuple[str, ...]:
    return tuple(name for name in names if name.startswith(prefix))


def write_gtkwave(path: Path, waves: Path, groups: Sequence[Group], marker: int, window: tuple[int, int]) -> None:
    """A save file: `gtkwave <path>` opens the waves with these groups, the primary marker at cycle `marker`."""
    time = marker * CYCLE_NS
    lines = [f'[dumpfile] "{waves.resolve()}"', f'[savefile] "{path.resolve()}"']
    shown = max(marker - _BEFORE, window[0]) * CYCLE_NS
    # Zoom is minus the logarithm to base 2 of the time of a step: 8 shows about a hundred cycles, so this sixty, wide
    # enough to read instructions. The columns leave room for values that are text.
    lines += [f"[timestart] {shown}", "[size] 1600 900", "[pos] -1 -1", f"*-7.3 {time}{' -1' * 26}"]
    lines += ["[treeopen] lanes.", "[sst_width] 160", "[signals_width] 520", "[sst_expanded] 1"]
    for group in groups:
        lines += [_CLOSED if group.closed else _OPEN, f"-{group.title}"]
        for name in group.signals:
            lines += [_flags(name), f"+{{{_alias(name)}}} {name}" if group.mixed and _alias(name) else name]
        lines += [_END, f"-{group.title}"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _alias(name: str) -> str:
    """GTKWave shows the last part of a name only; this is what a lane is called among those of other warps."""
    match = _OF_CORE.match(name)
    if match is None:
        return ""
    core, warp, what, slot = match.groups()
    return f"core {core} slot {slot}" if slot is not None else f"core {core} warp {warp} {what}"


def _flags(name: str) -> str:
    if name.startswith("lanes."):
        return _TEXT
    return _HEX if name.endswith("]") else _BITS


def write_surfer(path: Path, groups: Sequence[Group], marker: int) -> None:
    """A command file: `surfer --command-file <path> <waves>` adds the groups and puts the cursor at cycle `marker`."""
    lines = []
    for group in groups:
        if group.closed:
            continue
        lines.append(f"divider_add {group.title}")
        lines += [f"variable_add {_WIDTH.sub('', name)}" for name in group.signals]
    time = marker * CYCLE_NS
    path.write_text("\n".join([*lines, f"cursor_set {time}", f"goto_time {time}"]) + "\n", encoding="utf-8")
