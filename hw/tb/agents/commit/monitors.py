"""Monitors of commit and memory records; they count whole batches, never single records."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from pyuvm import uvm_analysis_port, uvm_component, uvm_subscriber

from golden_model.records.layout import CommitFlag, Kind, MemoryOp, MemorySpace
from golden_model.records.ring import Batch


@dataclass
class CommitCounts:
    """Figures of one launch."""

    packets: int = 0
    instructions: int = 0
    lanes: int = 0  # thread mask bits over all instructions
    per_core: dict[int, int] = field(default_factory=dict)  # instructions


class CommitMonitor(uvm_subscriber):
    """Counts commits and publishes the COMMIT records of every batch, as one array, on `commits`."""

    commits: Any

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.counts = CommitCounts()

    def build_phase(self) -> None:
        self.commits = uvm_analysis_port("commits", self)

    def begin_launch(self) -> None:
        """Figures count from here."""
        self.counts = CommitCounts()

    def write(self, batch: Batch) -> None:
        records = batch[Kind.COMMIT]
        if not len(records):
            return
        last = (records["flags"] & CommitFlag.LAST) != 0  # single columns: numpy is slow with whole records
        self.counts.packets += len(records)
        self.counts.instructions += int(np.count_nonzero(last))
        self.counts.lanes += int(np.bitwise_count(records["tmask"][last]).sum())
        for core, number in enumerate(np.bincount(records["core"][last])):
            self.counts.per_core[core] = self.counts.per_core.get(core, 0) + int(number)
        self.commits.write(records)


@dataclass
class MemoryCounts:
    """Memory instructions of one launch."""

    loads: int = 0
    stores: int = 0
    fences: int = 0
    atomics: int = 0
    lmem: int = 0  # of the above, those in local memory


class MemoryMonitor(uvm_subscriber):
    """Counts memory instructions and publishes the MEMORY records of every batch on `accesses`."""

    accesses: Any

    def __init__(self, name: str, parent: uvm_component) -> None:
        super().__init__(name, parent)
        self.counts = MemoryCounts()

    def build_phase(self) -> None:
        self.accesses = uvm_analysis_port("accesses", self)

    def begin_launch(self) -> None:
        """Figures count from here."""
        self.counts = MemoryCounts()

    def write(self, batch: Batch) -> None:
        records = batch[Kind.MEMORY]
        if not len(records):
            return
        seen = np.bincount(records["op"], minlength=len(MemoryOp))
        self.counts.loads += int(seen[MemoryOp.LOAD])
        self.counts.stores += int(seen[MemoryOp.STORE])
        self.counts.fences += int(seen[MemoryOp.FENCE])
        self.counts.atomics += int(seen[MemoryOp.ATOMIC])
        self.counts.lmem += int(np.count_nonzero(records["space"] == MemorySpace.LMEM))
        self.accesses.write(records)
