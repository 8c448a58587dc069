"""Monitors count whole batches of records; each figure is checked against records written by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pyuvm import uvm_root

from golden_model.records.layout import AxiChannel, CommitFlag, CtaEvent, Kind, MemoryOp, MemorySpace, dtype
from golden_model.records.ring import Batch, Records
from hw.tb.agents.axi.agent import AxiMonitor
from hw.tb.agents.commit import CommitMonitor, MemoryMonitor
from hw.tb.agents.kmu.monitor import CtaLaunched, CtaRetired, KmuMonitor
from hw.tb.env import DifferenceFoundError, Judge

LANES = 4


def _records(kind: Kind, rows: list[dict[str, object]]) -> Records:
    out = np.zeros(len(rows), dtype(kind, LANES))
    for record, row in zip(out, rows, strict=True):
        for name, value in row.items():
            record[name] = value
    return out


def _batch(**kinds: list[dict[str, object]]) -> Batch:
    return {kind: _records(kind, kinds.get(kind.name, [])) for kind in Kind}


@pytest.fixture(autouse=True)
def fresh_uvm() -> Any:
    uvm_root().clear_children()
    yield
    uvm_root().clear_children()


class Subscriber:
    """Takes what an analysis port writes."""

    def __init__(self) -> None:
        self.seen: list[object] = []

    def write(self, item: object) -> None:
        self.seen.append(item)


def _cta(event: CtaEvent, **fields: object) -> dict[str, object]:
    return {"event": int(event), **fields}


def test_ctas_and_warps_in_flight_are_counted_over_batches() -> None:
    monitor = KmuMonitor("kmu", uvm_root())
    monitor.build_phase()
    start, end = CtaEvent.WARP_START, CtaEvent.WARP_END
    monitor.write(_batch(CTA=[_cta(CtaEvent.ACCEPT), _cta(start, warp=0), _cta(start, warp=1), _cta(start, core=1)]))
    monitor.write(_batch(CTA=[_cta(end, warp=0), _cta(start, warp=2), _cta(start, warp=3), _cta(end), _cta(end)]))
    monitor.write(_batch(CTA=[_cta(end), _cta(CtaEvent.RETIRE)]))
    counts = monitor.counts
    assert (counts.ctas, counts.retired, counts.warps_started) == (1, 1, 5)
    assert counts.max_warps_in_flight == 3, "two stay from the first batch, two come in the second, one had ended"
    monitor.begin_launch()
    monitor.write(_batch(CTA=[_cta(start)]))
    assert monitor.counts.max_warps_in_flight == 1


def test_cta_events_are_published_to_those_who_listen() -> None:
    monitor = KmuMonitor("kmu", uvm_root())
    monitor.build_phase()
    listener = Subscriber()
    monitor.events.subscribers.append(listener)
    accept = _cta(CtaEvent.ACCEPT, cycle=5, core=1, slot=2, block_x=7, block_z=9, num_warps=4, launch=3)
    monitor.write(_batch(CTA=[accept, _cta(CtaEvent.WARP_START), _cta(CtaEvent.RETIRE, cycle=8, slot=2)]))
    assert listener.seen == [CtaLaunched(5, 3, 1, 2, (7, 0, 9), 4), CtaRetired(8, 0, 0, 2)]


def test_commits_are_counted_by_packet_instruction_lane_and_core() -> None:
    monitor = CommitMonitor("commit", uvm_root())
    monitor.build_phase()
    first, last = CommitFlag.FIRST, CommitFlag.LAST
    rows: list[dict[str, object]] = [
        {"flags": int(first), "tmask": 0b1111},
        {"flags": int(last), "tmask": 0b1111},
        {"flags": int(first | last), "tmask": 0b0101, "core": 1},
    ]
    monitor.write(_batch(COMMIT=rows))
    monitor.write(_batch(COMMIT=rows[2:]))
    counts = monitor.counts
    assert (counts.packets, counts.instructions, counts.lanes) == (4, 3, 8)
    assert counts.per_core == {0: 1, 1: 2}


def test_memory_instructions_are_counted_by_kind() -> None:
    monitor = MemoryMonitor("memory", uvm_root())
    monitor.build_phase()
    rows: list[dict[str, object]] = [
        {"op": int(MemoryOp.LOAD), "space": int(MemorySpace.LMEM)},
        {"op": int(MemoryOp.LOAD)},
        {"op": int(MemoryOp.STORE)},
        {"op": int(MemoryOp.FENCE)},
    ]
    monitor.write(_batch(MEMORY=rows))
    counts = monitor.counts
    assert (counts.loads, counts.stores, counts.fences, counts.atomics, counts.lmem) == (2, 1, 1, 0, 1)


def test_handshakes_are_counted_by_channel() -> None:
    monitor = AxiMonitor("axi", uvm_root())
    monitor.build_phase()
    listener = Subscriber()
    monitor.handshakes.subscribers.append(listener)
    channels = [AxiChannel.AR, AxiChannel.AR, AxiChannel.R, AxiChannel.AW, AxiChannel.W, AxiChannel.B]
    monitor.write(
        _batch(AXI=[{"channel": int(channel), "resp": 2 * (channel is AxiChannel.B)} for channel in channels])
    )
    monitor.write(_batch())
    counts = monitor.counts
    assert (counts.read_requests, counts.reads, counts.write_requests, counts.write_data, counts.writes) == (
        2,
        1,
        1,
        1,
        1,
    )
    assert counts.error_responses == 1
    assert len(listener.seen) == 1


class _Checker:
    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.calls = 0

    def records(self, batch: Batch) -> object:
        self.calls += 1
        return self.answer


def test_the_judge_stops_at_the_first_difference() -> None:
    class Found:
        message = "here"

    judge: Any = Judge("judge", uvm_root())
    silent, loud, late = _Checker(None), _Checker(Found()), _Checker(None)
    judge.checkers = [silent, loud, late]
    judge.write(_batch())
    assert silent.calls == 0, "outside a launch there is nothing to judge"
    judge.active = True
    with pytest.raises(DifferenceFoundError, match="here"):
        judge.write(_batch())
    assert (silent.calls, loud.calls, late.calls) == (1, 1, 0)
    judge.write(_batch())
    assert loud.calls == 1, "after a difference nothing more is compared"
