"""The UVM environment: agents and monitors around one harness, joined by analysis ports.

```
        KmuAgent ── items ──▶ Harness (C++) ── ring ──▶ RecordHub.batches ─┬▶ KmuMonitor, AxiMonitor
        AxiAgent ── policy ─▶                                              ├▶ CommitMonitor, MemoryMonitor
        BarAgent ── transport ─▶ the device, if the seat is taken          └▶ Judge ─▶ checkers (lockstep, rules)
```
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pyuvm import ConfigDB, uvm_component, uvm_env, uvm_subscriber

from config import RunConfig
from golden_model.follow.difference import Difference
from golden_model.records.ring import Batch
from hw.tb.agents.axi.agent import AxiAgent
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.agents.bar import BarAgent, BarSeat
from hw.tb.agents.commit import CommitMonitor, MemoryMonitor
from hw.tb.agents.kmu import KmuAgent
from hw.tb.checker import Checker
from hw.tb.records import RecordHub
from hw.tb.top.harness import Harness, HarnessError

CONFIG_KEY = "VX_ENV"


@dataclass
class EnvConfig:
    """What an environment is made of; `bar` is the seat of the BAR agent, None where there is no BAR device."""

    run: RunConfig
    harness: Harness
    policy: MemoryPolicy
    checkers: Sequence[Checker] = field(default_factory=tuple)
    bar: BarSeat | None = None


class DifferenceFoundError(HarnessError):
    """Raised inside a drain to stop the clock at the first difference; caught by the device server."""

    def __init__(self, difference: Difference) -> None:
        super().__init__(difference.message)
        self.difference = difference


class Judge(uvm_subscriber):
    """Feeds every checker and stops the run at the first difference."""

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.checkers: Sequence[Checker] = ()
        self.active = False  # between begin and end of a launch, and after a difference no more
        self.first: Difference | None = None

    def write(self, batch: Batch) -> None:
        if not self.active:
            return
        for checker in self.checkers:
            difference = checker.records(batch)
            if difference is not None:
                self.first = difference
                self.active = False
                raise DifferenceFoundError(difference)


class VortexEnv(uvm_env):
    """Agents, monitors and judge; configuration comes from ConfigDB under `VX_ENV`."""

    config: EnvConfig
    hub: RecordHub
    kmu: KmuAgent
    axi: AxiAgent
    bar: BarAgent | None
    commits: CommitMonitor
    memory: MemoryMonitor
    judge: Judge

    def build_phase(self) -> None:
        self.config = ConfigDB().get(self, "", CONFIG_KEY)
        self.hub = RecordHub("hub", self)
        self.kmu = KmuAgent("kmu", self)
        self.axi = AxiAgent("axi", self)
        self.bar = BarAgent("bar", self) if self.config.bar is not None else None
        self.commits = CommitMonitor("commits", self)
        self.memory = MemoryMonitor("memory", self)
        self.judge = Judge("judge", self)

    def connect_phase(self) -> None:
        self.kmu.connect(self.config.harness, self.hub)
        self.axi.connect(self.config.harness, self.hub, self.config.policy)
        if self.bar is not None and self.config.bar is not None:
            self.bar.connect(self.config.bar)
        for monitor in (self.commits, self.memory):
            self.hub.batches.connect(monitor.analysis_export)
        self.judge.checkers = self.config.checkers
        # Last, so that every monitor has counted a batch before a difference in it stops the run.
        self.hub.batches.connect(self.judge.analysis_export)

    def begin_launch(self) -> None:
        """Figures of all monitors count from here."""
        for monitor in (self.kmu.monitor, self.axi.monitor, self.commits, self.memory):
            monitor.begin_launch()
