"""What the KMU and the dispatchers did, from CTA records: launches and retirements of CTAs, warps in flight."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from pyuvm import uvm_analysis_port, uvm_component, uvm_subscriber

from golden_model.records.layout import CtaEvent, Kind
from golden_model.records.ring import Batch, Records

_STARTS = (CtaEvent.WARP_START, CtaEvent.SPAWN)


@dataclass(frozen=True)
class CtaLaunched:
    """A core took a CTA."""

    cycle: int
    launch: int
    core: int
    slot: int
    block: tuple[int, int, int]
    num_warps: int


@dataclass(frozen=True)
class CtaRetired:
    """The last warp of the CTA in a slot has ended."""

    cycle: int
    launch: int
    core: int
    slot: int


@dataclass
class KmuCounts:
    """Figures of one launch."""

    ctas: int = 0
    retired: int = 0
    warps_started: int = 0
    max_warps_in_flight: int = 0  # in one core
    warps_used: set[tuple[int, int]] = field(default_factory=set)  # (core, warp)


class KmuMonitor(uvm_subscriber):
    """Counts, and publishes `CtaLaunched` and `CtaRetired` on `events` if somebody is connected."""

    events: Any

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.counts = KmuCounts()
        self._in_flight: dict[int, int] = {}

    def build_phase(self) -> None:
        self.events = uvm_analysis_port("events", self)

    def begin_launch(self) -> None:
        """Figures count from here."""
        self.counts = KmuCounts()

    def reset(self) -> None:
        """No warp survives a reset."""
        self._in_flight.clear()

    def write(self, batch: Batch) -> None:
        records = batch[Kind.CTA]
        if not len(records):
            return
        event = records["event"]
        self.counts.ctas += int(np.count_nonzero(event == CtaEvent.ACCEPT))
        self.counts.retired += int(np.count_nonzero(event == CtaEvent.RETIRE))
        self.counts.warps_started += int(np.count_nonzero(np.isin(event, _STARTS)))
        started = records[event == CtaEvent.WARP_START]
        self.counts.warps_used.update(zip(started["core"].tolist(), started["warp"].tolist(), strict=True))
        self._count_warps(records, event)
        if self.events.subscribers:
            for record in records:
                self._publish(record)

    def _count_warps(self, records: Records, event: npt.NDArray[np.uint16]) -> None:
        delta = np.isin(event, _STARTS).astype(np.int64) - (event == CtaEvent.WARP_END).astype(np.int64)
        for core in np.unique(records["core"]):
            level = self._in_flight.get(int(core), 0) + np.cumsum(delta[records["core"] == core])
            self._in_flight[int(core)] = int(level[-1])
            self.counts.max_warps_in_flight = max(self.counts.max_warps_in_flight, int(level.max()))

    def _publish(self, record: np.void) -> None:
        where = int(record["cycle"]), int(record["launch"]), int(record["core"]), int(record["slot"])
        if record["event"] == CtaEvent.ACCEPT:
            block = int(record["block_x"]), int(record["block_y"]), int(record["block_z"])
            self.events.write(CtaLaunched(*where, block, int(record["num_warps"])))
        elif record["event"] == CtaEvent.RETIRE:
            self.events.write(CtaRetired(*where))
