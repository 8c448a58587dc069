"""Lanes of text for a window: what every warp, CTA slot and memory port does, in words that can be read beside signals.

A lane is a list of changes (cycle, text); a text holds from its cycle up to the next change.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from golden_model.records.layout import Kind, RunEvent
from hw.tb.debug.library import words
from hw.tb.debug.library.commit import Commit, commits_of
from hw.tb.debug.library.transactions import OPEN
from hw.tb.debug.timeline.scene import BarrierSpan, Scene
from hw.tb.debug.timeline.states import State
from hw.tb.debug.timeline.tracks import spread

_NOTHING = "-"
_MOST_ROWS = 32  # of transactions that are under way at the same time


@dataclass
class Lane:
    """`path` are the names of its scopes, then its own."""

    path: tuple[str, ...]
    changes: list[tuple[int, str]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return ".".join(self.path)


def lanes_of(scene: Scene) -> list[Lane]:
    """All lanes of a window, in the order in which they are shown."""
    found: list[Lane] = [_launches(scene)]
    commits = commits_of(scene.table, scene.run.names, scene.run.recording.meta.xlen)
    for core, warp in scene.harts:
        own = [commit for commit in commits if (commit.core, commit.warp) == (core, warp)]
        found += [*_warp_lanes(scene, core, warp), _committed(own)]
    found += _slot_lanes(scene)
    return [lane for lane in [*found, *_memory_lanes(scene)] if lane.changes]


def _launches(scene: Scene) -> Lane:
    """Start and end of the launches."""
    lane = Lane(("lanes", "kmu"))
    table = scene.run.recording[Kind.RUN]
    rows = slice(0, len(table))
    names = {RunEvent.START: "launch", RunEvent.BUSY_RISE: "busy", RunEvent.BUSY_FALL: "not busy"}
    names |= {RunEvent.QUIESCENT: "quiescent", RunEvent.RESET: "reset"}
    for cycle, event in zip(table["cycle"][rows].tolist(), table["event"][rows].tolist(), strict=True):
        if event in names and cycle <= scene.last:
            lane.changes.append((cycle, names[RunEvent(event)]))
    return lane


def _warp_lanes(scene: Scene, core: int, warp: int) -> list[Lane]:
    base = ("lanes", f"core{core}", f"warp{warp}")
    place, what, state, mask, block = (Lane((*base, name)) for name in ("pc", "instruction", "state", "mask", "block"))
    table, states, xlen = scene.table, scene.states, scene.run.recording.meta.xlen
    for at in range(len(states)):
        stream, row = int(states.stream[at]), int(states.row[at])
        if (stream >> 8 & 0xFFF, stream & 0xFF) != (core, warp):
            continue
        begin = int(states.begin[at])
        if row >= 0:
            pc, word = int(table.column["pc"][row]), int(table.column["instr"][row])
            place.changes.append((begin, scene.run.names.symbol(pc)))
            what.changes.append((begin, words.text(word, pc, xlen)))
            mask.changes.append((begin, f"{int(table.column['tmask'][row]):0{scene.run.recording.lanes}b}"))
        state.changes.append((begin, _state(scene, at, core, warp)))
    for life in scene.warps:
        if (life.core, life.warp) == (core, warp):
            named = f"block {life.block} rank {life.rank}" if life.block is not None else "of no block (WSPAWN)"
            block.changes.append((life.begin, named))
            if life.end is not None:
                block.changes.append((life.end, _NOTHING))
                for lane in (place, what, state, mask):
                    lane.changes.append((life.end, "inactive" if lane is state else _NOTHING))
    return [_tidy(lane) for lane in (block, place, what, mask, state)]


def _committed(commits: list[Commit]) -> Lane:
    """What a warp commits, with its result, in the cycle of its last packet: what a report of a failure points at."""
    lane = Lane(("lanes", f"core{commits[0].core}", f"warp{commits[0].warp}", "commit") if commits else ())
    taken = {commit.cycle for commit in commits}
    for commit in commits:
        lane.changes.append((commit.cycle, f"{commit.text}{commit.result}"))
        if commit.cycle + 1 not in taken:
            lane.changes.append((commit.cycle + 1, _NOTHING))
    return _tidy(lane)


def _state(scene: Scene, at: int, core: int, warp: int) -> str:
    """State with its reason: which operand is owed by which instruction, which barrier with how many."""
    states, table = scene.states, scene.table
    state, row, writer = State(int(states.state[at])), int(states.row[at]), int(states.writer[at])
    if state is State.BARRIER:
        begin, end = int(states.begin[at]), int(states.end[at])
        for span in scene.barriers:
            if span.core == core and span.begin <= end and (span.end is None or span.end >= begin):
                return _at_barrier(span, begin)
        return "barrier"
    if writer >= 0 and row >= 0:
        pc, word = int(table.column["pc"][writer]), int(table.column["instr"][writer])
        register = int(words.destinations(table.column["rd"][writer], table.column["rd_file"][writer]))
        name = words.register_name(register) if register >= 0 else "an operand"
        unit = state.label.removeprefix("waits for ")
        xlen = scene.run.recording.meta.xlen
        return f"waits for {name} from {unit}: {words.text(word, pc, xlen)} at {scene.run.names.symbol(pc)}"
    return state.label


def _at_barrier(span: BarrierSpan, cycle: int) -> str:
    released = f", let go in cycle {span.end}" if span.end is not None else ", not let go in this window"
    return f"barrier {span.id:#x}: warps {', '.join(map(str, span.arrived))} arrived since cycle {span.begin}{released}"


def _slot_lanes(scene: Scene) -> list[Lane]:
    found = []
    for core, slot in sorted({(life.core, life.slot) for life in scene.ctas}):
        lane = Lane(("lanes", f"core{core}", f"cta_slot{slot}"), [(0, "free")])
        for life in scene.ctas:
            if (life.core, life.slot) == (core, slot):
                lane.changes.append((life.begin, f"block {life.block} of launch {life.launch}"))
                if life.end is not None:
                    lane.changes.append((life.end, "free"))
        found.append(_tidy(lane))
    return found


def _memory_lanes(scene: Scene) -> list[Lane]:
    """Transactions as spans, as many lanes as are under way at once."""
    seen = scene.transactions
    if not len(seen):
        return []
    ends = [int(end) if end != OPEN else scene.last for end in seen.response.tolist()]
    rows = spread([(int(begin), end + 1) for begin, end in zip(seen.request.tolist(), ends, strict=True)])
    lanes = [Lane(("lanes", "axi", f"transaction{row}")) for row in range(min(max(rows) + 1, _MOST_ROWS))]
    for at, row in enumerate(rows):
        if row >= len(lanes):
            continue
        begin, is_open = int(seen.request[at]), int(seen.response[at]) == OPEN
        kind = "write" if seen.write[at] else "read"
        ended = "no response" if is_open else f"{ends[at] - begin} cycles"
        error = ", ERROR" if seen.error[at] else ""
        text = f"{kind} {int(seen.addr[at]):#010x} bank {int(seen.bank[at])} id {int(seen.id[at])}: {ended}{error}"
        lanes[row].changes.append((begin, text))
        if not is_open:
            lanes[row].changes.append((ends[at] + 1, _NOTHING))
    return [_tidy(lane) for lane in lanes]


def _tidy(lane: Lane) -> Lane:
    """Ascending cycles, the last text of a cycle, no change that changes nothing."""
    last: dict[int, str] = {}
    for cycle, text in sorted(lane.changes, key=lambda change: change[0]):
        last[cycle] = text
    found: list[tuple[int, str]] = []
    for cycle, text in last.items():
        if not found or found[-1][1] != text:
            found.append((cycle, text))
    return Lane(lane.path, found)
