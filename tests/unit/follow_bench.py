"""Runs a kernel on the fake hardware and lets a follower judge the records, optionally after a mutation."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from config import HardwareConfig
from golden_model import FindingKind, Launch, Machine, Step
from golden_model.follow.difference import Difference
from golden_model.follow.follower import Follower
from golden_model.launch import dcr_writes
from golden_model.machine import Tier
from golden_model.memory import Memory
from golden_model.records.layout import Kind
from tests.unit import follow_kernels
from tests.unit.fake_hardware import FakeHardware, Image, build_image, prepare

Row = dict[str, Any]
Rows = dict[Kind, list[Row]]
Mutation = Callable[[Rows, "Bench"], None]


@dataclass
class Bench:
    """One design with one golden model beside it.

    Attributes:
        mutate: changes the records of a launch before they are ordered; `mutated_launch` says of which one.
    """

    body: str
    config: HardwareConfig = field(default_factory=HardwareConfig)
    seed: int = 1
    mutate: Mutation | None = None
    mutated_launch: int = 1
    bug: Callable[[FakeHardware, Step], None] | None = None
    allowed: Collection[FindingKind] = ()
    max_packets: int = 3
    shadow: int = 0
    tier: Tier = "readable"
    memory: Memory | None = None  # of the golden model

    def __post_init__(self) -> None:
        self.image: Image = build_image(self.body)
        self.golden: Machine = prepare(self.config, self.image, self.seed, cores_memory=self.memory)
        self.hardware = FakeHardware(
            prepare(self.config, self.image, self.seed), self.seed, self.bug, self.max_packets, self.shadow
        )
        self.hardware.mutate = self._mutate
        self.follower = Follower(self.golden, allowed_findings=self.allowed, tier=self.tier)

    @property
    def difference(self) -> Difference | None:
        return self.follower.difference

    def _mutate(self, rows: Rows) -> None:
        if self.mutate is not None and self.hardware.machine.launch_id == self.mutated_launch:
            self.mutate(rows, self)

    def launch(self, launch: Launch | None = None, minstret: dict[int, int] | None = None) -> Difference | None:
        """Run one launch on both; returns the first difference."""
        wanted = launch or follow_kernels.launch(self.image)
        batches = self.hardware.launch(wanted)
        for address, value in dcr_writes(wanted, self.config, self.golden.entry):
            self.golden.dcr_write(address, value)
        if self.difference is not None:
            return self.difference
        self.follower.begin_launch(self.hardware.machine.launch_id)
        for batch in batches:
            self.follower.feed(batch)
        return self.follower.end_launch(dict(enumerate(self.hardware.retired)) if minstret is None else minstret)

    def report(self) -> str:
        return self.difference.render() if self.difference is not None else "no difference"

    def address(self, label: str) -> int:
        return self.image.labels[label]
