"""Who executes: the protocol that hardware and model share, and the golden device as an executor."""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

from golden_model.device.config import DeviceConfig
from golden_model.device.device import WHEN_TOLD, Device
from golden_model.device.host_memory import SparseHostMemory
from golden_model.device.msix import MsixMessage
from golden_model.device.sequences import layout
from golden_model.device.sequences.actions import (
    Action,
    AwaitDma,
    AwaitLaunch,
    ReadHost,
    ReadRegister,
    ReadVram,
    SetFunction,
    SetSink,
    WriteHost,
    WriteRegister,
    WriteVram,
)
from golden_model.device.sequences.commands import Command
from golden_model.device.sequences.coverage import Coverage, DeviceState

ENDLESS = 300  # rounds after which a launch counts as one that does not end


@dataclass(frozen=True)
class Observation:
    """What an action showed: the value read (None for writes) and the interrupts since the action before."""

    action: Action
    value: int | bytes | None
    messages: tuple[MsixMessage, ...] = ()


class Executor(Protocol):
    """Anything with BARs."""

    def perform(self, action: Action) -> Observation:
        """Do one action and wait until it is complete."""
        ...


def run(executor: Executor, commands: Iterable[Command]) -> list[Observation]:
    """All actions of all commands, in order."""
    return [executor.perform(action) for command in commands for action in command.actions()]


def sequence_host() -> SparseHostMemory:
    """Host memory as sequences expect it."""
    host = SparseHostMemory()
    host.failing.add(layout.HOST_FAILS.start, len(layout.HOST_FAILS))
    return host


def sequence_device(seed: int | None = None, strict_map: bool = False, core_faults: bool = True) -> Device:
    """The device that sequences are written for, or one with a strict map or with cores that report no faults."""
    config = DeviceConfig(vram_size=layout.VRAM_SIZE, strict_map=strict_map, core_faults=core_faults)
    device = Device(config, sequence_host(), WHEN_TOLD, seed)
    device.vram_failing.add(layout.VRAM_FAILS.start, len(layout.VRAM_FAILS))
    return device


def do(device: Device, action: Action) -> int | bytes | None:
    """One action of a host on a golden device; the value read. Nothing happens when a host only waits."""
    match action:
        case ReadRegister(0, offset, size):
            return device.bar0_read(offset, size)
        case ReadRegister(_, offset, size):
            return device.bar4_read(offset, size)
        case WriteRegister(0, offset, value, strobe):
            device.bar0_write(offset, value, strobe)
        case WriteRegister(_, offset, value, strobe):
            device.bar4_write(offset, value, strobe)
        case ReadVram(offset, size):
            return device.bar2_read(offset, size)
        case WriteVram(offset, data):
            device.bar2_write(offset, data)
        case ReadHost(addr, size):
            return device.host.read(addr, size)
        case WriteHost(addr, data):
            device.host.write(addr, data)
        case SetFunction(enabled, masked):
            device.msix.set_function(enabled, masked)
        case SetSink(ready):
            device.msix.set_sink(ready)
    return None


@dataclass
class GoldenExecutor:
    """The golden device by itself. With a seed, what is in flight ends at random times, as in hardware."""

    device: Device
    seed: int | None = None
    coverage: Coverage | None = None
    _rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)

    @classmethod
    def fresh(cls, seed: int | None = None, coverage: Coverage | None = None) -> GoldenExecutor:
        """A device from power-on."""
        return cls(sequence_device(seed), seed, coverage)

    def perform(self, action: Action) -> Observation:
        if self.seed is not None:
            self._let_time_pass()
        if self.coverage is not None:
            self.coverage.sample(action, DeviceState.of(self.device))
        value = self._do(action)
        return Observation(action, value, tuple(self.device.take_messages()))

    def _do(self, action: Action) -> int | bytes | None:
        match action:
            case AwaitLaunch():
                self._finish_launch()
            case AwaitDma():
                self.device.advance_dma(None)
        return do(self.device, action)

    def _finish_launch(self) -> None:
        launch = self.device.launch
        if launch is not None and launch.rounds < ENDLESS:
            launch.finish(ENDLESS)

    def _let_time_pass(self) -> None:
        device, chance = self.device, self._rng.random()
        if device.launch is not None:
            if chance < 0.3:
                device.launch.read_table()
            elif chance < 0.4:
                self._finish_launch()
        if device.dma is not None and chance < 0.2:
            device.advance_dma(self._rng.randint(1, 3))
        if self._rng.random() < 0.5:
            device.answer_dcr()
