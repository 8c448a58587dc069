"""The AXI memory agent: configuration of the C++ responder, and a monitor of the handshakes from the ring.

There is no sequencer: the responder answers by policy in C++, because Python per beat would cost most of the speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from pyuvm import uvm_agent, uvm_analysis_port, uvm_component, uvm_subscriber

from golden_model.records.layout import AxiChannel, Kind
from golden_model.records.ring import Batch
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.records import RecordHub
from hw.tb.top.harness import Harness


@dataclass
class AxiCounts:
    """Handshakes of one launch, flush included."""

    reads: int = 0  # R
    writes: int = 0  # B
    read_requests: int = 0  # AR
    write_requests: int = 0  # AW
    write_data: int = 0  # W
    error_responses: int = 0


class AxiMonitor(uvm_subscriber):
    """Counts handshakes and publishes the AXI records of every batch, as one array, on `handshakes`."""

    handshakes: Any

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.counts = AxiCounts()

    def build_phase(self) -> None:
        self.handshakes = uvm_analysis_port("handshakes", self)

    def begin_launch(self) -> None:
        """Figures count from here."""
        self.counts = AxiCounts()

    def write(self, batch: Batch) -> None:
        records = batch[Kind.AXI]
        if not len(records):
            return
        seen = np.bincount(records["channel"], minlength=len(AxiChannel))
        counts = self.counts
        counts.reads += int(seen[AxiChannel.R])
        counts.writes += int(seen[AxiChannel.B])
        counts.read_requests += int(seen[AxiChannel.AR])
        counts.write_requests += int(seen[AxiChannel.AW])
        counts.write_data += int(seen[AxiChannel.W])
        counts.error_responses += int(np.count_nonzero(records["resp"]))
        self.handshakes.write(records)


class AxiAgent(uvm_agent):
    """Holds the policy and the monitor of all banks."""

    monitor: AxiMonitor
    policy: MemoryPolicy
    _harness: Harness

    def build_phase(self) -> None:
        super().build_phase()
        self.monitor = AxiMonitor("monitor", self)

    def connect(self, harness: Harness, hub: RecordHub, policy: MemoryPolicy) -> None:
        """Apply the policy and subscribe to the records."""
        self._harness = harness
        self.set_policy(policy)
        hub.batches.connect(self.monitor.analysis_export)

    def set_policy(self, policy: MemoryPolicy) -> None:
        """From the next cycle on; transactions that were accepted keep their drawn latencies."""
        self.policy = policy
        self._harness.set_policy(policy)
