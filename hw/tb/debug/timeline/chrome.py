"""A window as Chrome trace events (JSON), which Perfetto and chrome://tracing open. One cycle is one microsecond there.

A process a core: rows for CTA slots and barriers, then for each warp its states and, below, its instructions from issue
to last commit. A process for memory: a row for each transaction that is open at the same time. Arrows lead from a load
to the transaction that brought its data, and from its response to the commit.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from hw.tb.debug.library import words
from hw.tb.debug.library.transactions import OPEN
from hw.tb.debug.timeline.scene import Scene
from hw.tb.debug.timeline.states import State
from hw.tb.debug.timeline.tracks import spread

Event = dict[str, Any]

_MEMORY = 1_000_000  # pid
_CTA, _BARRIER, _WARP, _PER_WARP = 1, 10_000, 100_000, 1_000  # tid of the first row of each kind

# Names of colours that chrome://tracing knows; Perfetto gives each name a colour of its own.
_COLOURS = {
    State.ISSUE: "good",
    State.BARRIER: "thread_state_uninterruptible",
    State.CONTROL: "yellow",
    State.FETCH: "grey",
    State.MEMORY: "terrible",
    State.FLOAT: "rail_animation",
    State.MULDIV: "rail_response",
    State.OPERAND: "bad",
    State.PORT: "olive",
    State.DRAIN: "white",
}


def write_chrome(scene: Scene, path: Path) -> int:
    """Write the JSON file; returns the number of events. Raises OSError."""
    events = list(chrome_events(scene))
    window = f"cycles {scene.first} to {scene.last}"
    content = {
        "traceEvents": events,
        "displayTimeUnit": "ns",
        "otherData": {"window": window, "unit": "1 us = 1 cycle"},
    }
    path.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")
    return len(events)


def chrome_events(scene: Scene) -> Iterator[Event]:
    """All events of the window; metadata first."""
    yield from _names(scene)
    yield from _states(scene)
    tids = _instruction_rows(scene)
    yield from _instructions(scene, tids)
    yield from _ctas(scene)
    yield from _barriers(scene)
    rows = _transaction_rows(scene)
    yield from _transactions(scene, rows)
    yield from _arrows(scene, tids, rows)


def _slice(pid: int, tid: int, name: str, begin: int, end: int, **more: object) -> Event:
    return {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": begin, "dur": max(end - begin, 1), **more}


def _meta(pid: int, kind: str, tid: int = 0, **args: object) -> Event:
    return {"ph": "M", "pid": pid, "tid": tid, "name": kind, "args": args}


def _row(pid: int, tid: int, name: str) -> Iterator[Event]:
    yield _meta(pid, "thread_name", tid, name=name)
    yield _meta(pid, "thread_sort_index", tid, sort_index=tid)


def _names(scene: Scene) -> Iterator[Event]:
    for core in sorted({core for core, _ in scene.harts}):
        yield _meta(core, "process_name", name=f"core {core}")
        yield _meta(core, "process_sort_index", sort_index=core)
    for core, warp in scene.harts:
        yield from _row(core, _WARP + _PER_WARP * warp, f"warp {warp}")
    if len(scene.transactions):
        yield _meta(_MEMORY, "process_name", name="memory")
        yield _meta(_MEMORY, "process_sort_index", sort_index=_MEMORY)


def _states(scene: Scene) -> Iterator[Event]:
    states, table = scene.states, scene.table
    for at in range(len(states)):
        stream, state = int(states.stream[at]), State(int(states.state[at]))
        args: dict[str, object] = {}
        row, writer = int(states.row[at]), int(states.writer[at])
        if row >= 0:
            args["instruction"] = _text(scene, row)
        if writer >= 0:
            args["owed by"] = f"uid {int(table.uid[writer])}, {_text(scene, writer)}"
            args["register"] = words.register_name(
                int(words.destinations(table.column["rd"][[writer]], table.column["rd_file"][[writer]])[0])
            )
        yield _slice(
            stream >> 8 & 0xFFF, _WARP + _PER_WARP * (stream & 0xFF), state.label,
            int(states.begin[at]), int(states.end[at]), cat="state", cname=_COLOURS[state], args=args,
        )  # fmt: skip


def _text(scene: Scene, row: int) -> str:
    column = scene.table.column
    pc = int(column["pc"][row])
    text = words.text(int(column["instr"][row]), pc, scene.run.recording.meta.xlen)
    return f"{text}  <{scene.run.names.symbol(pc)}>"


def _instruction_rows(scene: Scene) -> list[int]:
    """tid of every instruction: instructions of a warp overlap, so they are spread below its states."""
    table = scene.table
    tids = [0] * len(table)
    of_hart: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for row, hart in enumerate(zip(table.core.tolist(), table.warp.tolist(), strict=True)):
        of_hart[hart].append(row)
    for (_, warp), rows in of_hart.items():
        # With the cycle of the commit, which is shown as a slice of its own.
        spans = [(int(table.issue[row]), int(table.commit[row]) + 1) for row in rows]
        for row, track in zip(rows, spread(spans), strict=True):
            tids[row] = _WARP + _PER_WARP * warp + 1 + track
    return tids


def _instructions(scene: Scene, tids: list[int]) -> Iterator[Event]:
    table, names = scene.table, scene.run.names
    for core, tid in sorted({(int(core), tid) for core, tid in zip(table.core, tids, strict=True)}):
        warp, track = divmod(tid - _WARP, _PER_WARP)
        yield from _row(core, tid, f"warp {warp} in flight {track}")
    lanes = table.data.shape[1]
    for row, tid in enumerate(tids):
        column = {name: int(values[row]) for name, values in table.column.items()}
        pc = column["pc"]
        text = words.text(column["instr"], pc, scene.run.recording.meta.xlen)
        args = {
            "pc": f"{pc:#010x}",
            "symbol": names.symbol(pc),
            "line": names.line(pc),
            "mask": f"{column['tmask']:0{lanes}b}",
            "uid": int(table.uid[row]),
            "decoded": int(table.decode[row]),
        }
        if column["wmask"]:
            args["result"] = " ".join(
                f"{int(table.data[row, lane]):x}" if column["wmask"] >> lane & 1 else "-" for lane in range(lanes)
            )
        core, issue, commit = int(table.core[row]), int(table.issue[row]), int(table.commit[row])
        if commit > issue:
            yield _slice(core, tid, text, issue, commit, cat="instruction", args=args)
            yield _slice(core, tid, "commit", commit, commit + 1, cat="commit", args={"uid": args["uid"]})
        else:
            yield _slice(core, tid, text, issue, issue + 1, cat="instruction", args=args)


def _ctas(scene: Scene) -> Iterator[Event]:
    for core, slot in sorted({(life.core, life.slot) for life in scene.ctas}):
        yield from _row(core, _CTA + slot, f"CTA slot {slot}")
    for life in scene.ctas:
        name = "block " + ", ".join(map(str, life.block))
        end = life.end if life.end is not None else scene.last + 1
        args = {"launch": life.launch, "local memory": f"{life.lmem:#x}"}
        yield _slice(life.core, _CTA + life.slot, name, life.begin, end, cat="cta", args=args)


def _barriers(scene: Scene) -> Iterator[Event]:
    for core in sorted({span.core for span in scene.barriers}):
        mine = [span for span in scene.barriers if span.core == core]
        rows = spread([(span.begin, (span.end if span.end is not None else scene.last) + 1) for span in mine])
        for row in sorted(set(rows)):
            yield from _row(core, _BARRIER + row, f"barriers {row}")
        for span, row in zip(mine, rows, strict=True):
            end = span.end if span.end is not None else scene.last
            args = {"arrived": list(span.arrived), "released": f"{span.released:b}", "open": span.end is None}
            yield _slice(core, _BARRIER + row, f"barrier {span.id:#x}", span.begin, end + 1, cat="barrier", args=args)


def _transaction_rows(scene: Scene) -> list[int]:
    seen = scene.transactions
    return spread(
        [
            (begin, (end if end != OPEN else scene.last) + 1)
            for begin, end in zip(seen.request.tolist(), seen.response.tolist(), strict=True)
        ]
    )


def _transactions(scene: Scene, rows: list[int]) -> Iterator[Event]:
    seen = scene.transactions
    for row in sorted(set(rows)):
        yield from _row(_MEMORY, row, f"open {row}")
    for at, row in enumerate(rows):
        request, response = int(seen.request[at]), int(seen.response[at])
        end = response if response != OPEN else scene.last
        args = {
            "id": int(seen.id[at]),
            "bank": int(seen.bank[at]),
            "bytes": int(seen.bytes[at]),
            "latency": end - request if response != OPEN else "no response",
        }
        name = f"{'write' if seen.write[at] else 'read'} {int(seen.addr[at]):#x}"
        colour = "terrible" if seen.error[at] or response == OPEN else "good"
        yield _slice(_MEMORY, row, name, request, end + 1, cat="axi", cname=colour, args=args)


def _arrows(scene: Scene, tids: list[int], rows: list[int]) -> Iterator[Event]:
    table, seen = scene.table, scene.transactions
    for number, link in enumerate(scene.links, 1):
        core, tid = int(table.core[link.load]), tids[link.load]
        response = int(np.int64(seen.response[link.transaction]))
        common = {"cat": "memory", "name": "load", "id": number}
        yield {"ph": "s", "pid": core, "tid": tid, "ts": int(table.issue[link.load]), **common}
        yield {"ph": "t", "pid": _MEMORY, "tid": rows[link.transaction], "ts": response, **common}
        yield {"ph": "f", "bp": "e", "pid": core, "tid": tid, "ts": int(table.commit[link.load]), **common}
