"""The BAR agent: sequencer, driver, monitor, register model with its predictor, coverage; any transport."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pyuvm import uvm_agent, uvm_sequencer

from golden_model.device import DeviceConfig
from hw.tb.agents.bar.coverage import BarCoverage
from hw.tb.agents.bar.driver import BarDriver
from hw.tb.agents.bar.monitor import BarMonitor
from hw.tb.agents.bar.registers.adapter import BarAdapter
from hw.tb.agents.bar.registers.model import BarRegisterBlock
from hw.tb.agents.bar.registers.predictor import BarPredictor
from hw.tb.agents.bar.transport import Transport


@dataclass(frozen=True)
class BarSeat:
    """What an environment must know to have a BAR agent.

    Attributes:
        transport: the way to the device; whoever makes the seat starts it.
        config: the device's shape.
        watch: called once with the monitor, to connect whatever sees the accesses (`PinMonitor`, records of C++).
    """

    transport: Transport
    config: DeviceConfig
    watch: Callable[[BarMonitor], None] = lambda monitor: None


class BarAgent(uvm_agent):
    """`connect` must be called by the environment in its connect phase."""

    sequencer: Any
    driver: BarDriver
    monitor: BarMonitor
    registers: BarRegisterBlock
    predictor: BarPredictor
    coverage: BarCoverage

    def build_phase(self) -> None:
        super().build_phase()
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = BarDriver("driver", self)
        self.monitor = BarMonitor("monitor", self)
        self.predictor = BarPredictor("predictor", self)
        self.coverage = BarCoverage("coverage", self)

    def connect(self, seat: BarSeat) -> None:
        """Give the driver its transport, the register model its sequencer, the monitor its eyes."""
        self.driver.transport = seat.transport
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
        self.registers = BarRegisterBlock(seat.config)
        self.registers.map.set_sequencer(self.sequencer, BarAdapter())
        self.predictor.registers = self.registers
        self.coverage.table = self.coverage.table.__class__(seat.config.vram_size)
        self.monitor.accesses.connect(self.predictor.analysis_export)
        self.monitor.accesses.connect(self.coverage.analysis_export)
        seat.watch(self.monitor)
