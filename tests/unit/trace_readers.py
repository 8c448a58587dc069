"""Readers of Chrome trace JSON and Konata logs, from the formats' documents only: they share nothing with the writers.

Chrome: "Trace Event Format" (phases X, M, s, t, f). Konata: "Kanata Log Format" 0004. Both raise AssertionError with
what is wrong.
"""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_REQUIRED = {"X": {"pid", "tid", "ts", "dur", "name"}, "M": {"pid", "name", "args"}}
_FLOW = {"pid", "tid", "ts", "id", "name", "cat"}
_METADATA = {"process_name", "process_labels", "process_sort_index", "thread_name", "thread_sort_index"}


@dataclass
class ChromeTrace:
    """Slices by row name (`process/thread`), and flows as the slices that they touch, in order."""

    slices: dict[str, list[dict[str, Any]]] = field(default_factory=lambda: defaultdict(list))
    flows: dict[Any, list[dict[str, Any]]] = field(default_factory=dict)


def read_chrome(path: Path) -> ChromeTrace:
    content = json.loads(path.read_text(encoding="utf-8"), parse_constant=lambda text: 1 / 0)
    events = content["traceEvents"]
    assert content["displayTimeUnit"] in ("ms", "ns")
    names: dict[tuple[str, int, int], str] = {}
    rows: dict[tuple[int, int], list[dict[str, Any]]] = defaultdict(list)
    flows: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for event in events:
        phase = event["ph"]
        if phase in ("s", "t", "f"):
            assert event.keys() >= _FLOW, f"flow event lacks fields: {event}"
            flows[event["cat"], event["id"]].append(event)
            continue
        assert phase in _REQUIRED, f"unknown phase: {event}"
        assert event.keys() >= _REQUIRED[phase], f"event lacks fields: {event}"
        if phase == "M":
            assert event["name"] in _METADATA, f"unknown metadata: {event}"
            if event["name"].endswith("_name"):
                names[event["name"], event["pid"], event.get("tid", 0)] = event["args"]["name"]
        else:
            assert event["dur"] > 0 and event["ts"] >= 0, f"slice without time: {event}"
            rows[event["pid"], event["tid"]].append(event)
    trace = ChromeTrace()
    for (pid, tid), slices in rows.items():
        assert ("process_name", pid, 0) in names, f"process {pid} has no name"
        assert ("thread_name", pid, tid) in names, f"thread {pid}/{tid} has no name"
        _check_nesting(slices)
        name = f"{names['process_name', pid, 0]}/{names['thread_name', pid, tid]}"
        assert name not in trace.slices, f"two rows are called {name}"
        trace.slices[name] = sorted(slices, key=lambda item: item["ts"])
    for ident, steps in flows.items():
        steps.sort(key=lambda item: item["ts"])
        phases = "".join(step["ph"] for step in steps)
        assert phases[0] == "s" and phases[-1] == "f" and set(phases[1:-1]) <= {"t"}, f"flow {ident}: {phases}"
        trace.flows[ident] = [_slice_at(rows[step["pid"], step["tid"]], step) for step in steps]
    return trace


def _check_nesting(slices: list[dict[str, Any]]) -> None:
    """Slices of a row are disjoint or nested; a viewer draws anything else wrongly."""
    stack: list[int] = []
    for item in sorted(slices, key=lambda item: (item["ts"], -item["dur"])):
        while stack and stack[-1] <= item["ts"]:
            stack.pop()
        end = item["ts"] + item["dur"]
        assert not stack or end <= stack[-1], f"slice overlaps another of its row: {item}"
        stack.append(end)


def _slice_at(slices: list[dict[str, Any]], step: dict[str, Any]) -> dict[str, Any]:
    """The innermost slice around a flow event; without one a viewer drops the arrow."""
    found = [item for item in slices if item["ts"] <= step["ts"] < item["ts"] + item["dur"]]
    assert found, f"a flow event lies in no slice: {step}"
    return max(found, key=lambda item: item["ts"])


@dataclass
class KonataInstruction:
    """Stages as (name, begin, end)."""

    thread: int
    text: str = ""
    detail: str = ""
    stages: list[tuple[str, int, int]] = field(default_factory=list)
    open: dict[str, int] = field(default_factory=dict)
    retired: int | None = None
    order: int | None = None
    woken_by: list[int] = field(default_factory=list)


def read_konata(path: Path) -> list[KonataInstruction]:
    lines = path.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "Kanata\t0004", f"wrong header: {lines[0]!r}"
    now: int | None = None
    found: list[KonataInstruction] = []
    for line in lines[1:]:
        command, *fields = line.split("\t")
        if command == "C=":
            assert now is None, "the cycle is set twice"
            now = int(fields[0])
            continue
        assert now is not None, f"before the first cycle: {line}"
        if command == "C":
            assert int(fields[0]) > 0, f"time stands still: {line}"
            now += int(fields[0])
            continue
        ident = int(fields[0])
        if command == "I":
            assert ident == len(found), f"ids must count up from 0: {line}"
            found.append(KonataInstruction(int(fields[2])))
            continue
        item = found[ident]
        assert item.retired is None, f"after its retirement: {line}"
        if command == "L":
            if fields[1] == "0":
                item.text += fields[2]
            else:
                item.detail += fields[2]
        elif command == "S":
            assert fields[2] not in item.open, f"stage begins twice: {line}"
            item.open[fields[2]] = now
        elif command == "E":
            item.stages.append((fields[2], item.open.pop(fields[2]), now))
        elif command == "W":
            assert found[int(fields[1])] is not item, f"an instruction waits for itself: {line}"
            item.woken_by.append(int(fields[1]))
        elif command == "R":
            assert not item.open, f"retired in an open stage: {line}"
            item.retired, item.order = now, int(fields[1])
        else:
            raise AssertionError(f"unknown command: {line}")
    assert all(item.retired is not None for item in found), "an instruction was never retired"
    assert sorted(item.order for item in found if item.order is not None) == list(range(len(found)))
    return found
