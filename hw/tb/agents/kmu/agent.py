"""The KMU agent: sequencer, driver and monitor of the control side of the core."""

from __future__ import annotations

from typing import Any

from pyuvm import uvm_agent, uvm_sequencer

from hw.tb.agents.kmu.driver import KmuDriver
from hw.tb.agents.kmu.monitor import KmuMonitor
from hw.tb.records import RecordHub
from hw.tb.top.harness import Harness


class KmuAgent(uvm_agent):
    """`connect` must be called by the environment before the run phase."""

    sequencer: Any
    driver: KmuDriver
    monitor: KmuMonitor

    def build_phase(self) -> None:
        super().build_phase()
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = KmuDriver("driver", self)
        self.monitor = KmuMonitor("monitor", self)

    def connect(self, harness: Harness, hub: RecordHub) -> None:
        """Give the driver its harness and the monitor its records."""
        self.driver.harness = harness
        self.driver.publish = hub.publish
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
        hub.batches.connect(self.monitor.analysis_export)
