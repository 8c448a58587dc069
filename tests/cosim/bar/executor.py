"""The RTL device as an executor of command sequences, with a golden device that follows it action by action.

Hardware acts first. What it chose (when a launch ends, how far a transfer is, a counter's value) are events with a
cycle: those before the access took effect are adopted before the golden device does the same action, the others after.

```
 action ─▶ time passes (host takes DMA) ─▶ transfers stand still ─▶ RTL access ─▶ events before it: adopted
                                             value, messages: equal? ◀─ events after it ◀─ golden access ◀─┘
```
"""

from __future__ import annotations

import ctypes
import dataclasses
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntFlag

from config import HardwareConfig
from golden_model.device import Device
from golden_model.device.config import TABLE_BASE
from golden_model.device.device import WHEN_TOLD
from golden_model.device.execution import CoresState, FaultRecord
from golden_model.device.launch import LaunchPhase, Outcome
from golden_model.device.msix import MsixMessage
from golden_model.device.registers import register
from golden_model.device.sequences import Coverage, layout
from golden_model.device.sequences.actions import (
    Action,
    AwaitDma,
    AwaitLaunch,
    ReadHost,
    ReadRegister,
    ReadVram,
    SetFunction,
    WriteHost,
    WriteRegister,
    WriteVram,
)
from golden_model.device.sequences.commands import Command
from golden_model.device.sequences.coverage import DeviceState
from golden_model.device.sequences.execute import ENDLESS, sequence_config, sequence_host
from golden_model.device.sequences.programs import PRIVATE_ADDR
from golden_model.records.layout import FaultKind
from tests.cosim.bar.model import EVENTS_AT_ONCE, Event, Message

_SETTLE = 24  # cycles after which whatever an event causes is on the pins
_STILL = 96  # cycles in which a transfer whose host has closed comes to rest
_LONGEST_LAUNCH = 6000  # cycles; a launch of a sequence that takes longer never ends
# Where programs may have stored when their launch was aborted: 16 bytes at every argument address, and private memory.
_STORES = (
    *((1, base) for base in (0, layout.RAW_ARGS, layout.ARGS_OFFSET, layout.ARGS_VMA, 0x2_0000)),
    (0, layout.ARGS_VMA + layout.ARGS_SIZE),
    (0, PRIVATE_ADDR),
)
_GLOBAL_CTRL = register("GLOBAL_CTRL").offset


class DeviceEvent(IntFlag):
    """Bits of `device_event_t` in hw/rtl/pcie/vx_pcie_pkg.sv."""

    ACCEPTED = 1
    TABLE_BAD = 2
    DONE = 4
    FAULT = 8
    DMA_PIECE = 16
    DMA_END = 32
    DCR_ANSWER = 64
    ACCESS = 128


class Difference(AssertionError):
    """RTL and golden device differ; the message says where."""


@dataclass
class RtlExecutor:
    """Executes actions on the RTL and compares with the golden device after each one.

    Attributes:
        figures: how often each choice was adopted, and what accesses cost.
    """

    library: ctypes.CDLL
    seed: int
    coverage: Coverage | None = None
    hardware: HardwareConfig = field(default_factory=HardwareConfig)
    device: Device = field(init=False)
    figures: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)
        self.rtl = self.library.vx_new(self.seed & (1 << 64) - 1)
        self.library.vx_host_fails(self.rtl, layout.HOST_FAILS.start, layout.HOST_FAILS.stop)
        self.library.vx_set_latency(self.rtl, self._rng.choice((1, 3, 8)))
        config = dataclasses.replace(sequence_config(), hardware=self.hardware)
        self.device = Device(config, sequence_host(), WHEN_TOLD)
        self._events = (Event * EVENTS_AT_ONCE)()
        self._messages = (Message * EVENTS_AT_ONCE)()
        self._endless = False
        self._overlap = False  # an event fell into the access

    def close(self) -> None:
        """Free the model."""
        self.library.vx_delete(self.rtl)

    def run(self, commands: list[Command]) -> int:
        """All actions of all commands; their number. Raises Difference at the first one that differs."""
        count = 0
        for index, command in enumerate(commands):
            for action in command.actions():
                count += 1
                try:
                    self.perform(action)
                except Difference as difference:
                    raise Difference(f"command {index} {command}\n  action {action}\n  {difference}") from None
        self._compare_memories()
        return count

    # ------------------------------------------------------------------ one action

    def perform(self, action: Action) -> None:
        """Do one action on both and compare. Raises Difference."""
        library, rtl = self.library, self.rtl
        self._let_time_pass(action)
        self._adopt(self._take_events())
        if self.coverage is not None:
            self.coverage.sample(action, DeviceState.of(self.device))
        value = self._on_rtl(action)
        library.vx_host_open(rtl, 0)
        events = self._take_events()
        access = next((event.cycle for event in events if event.bits & DeviceEvent.ACCESS), library.vx_cycle(rtl))
        resets = _is_reset(action)
        before = [event for event in events if event.cycle < access or resets]
        self._adopt(before, resets)
        aborted = self.device.launch if resets else None
        golden = self._on_golden(action)
        if aborted is not None:
            self._adopt_stores()
        self._adopt(event for event in events if event not in before)
        self._overlap = any(event.bits & ~DeviceEvent.ACCESS for event in events)
        if value != golden:
            raise Difference(f"RTL {_show(value)}, golden {_show(golden)}")
        self._compare_messages()

    def _let_time_pass(self, action: Action) -> None:
        library, rtl = self.library, self.rtl
        library.vx_host_open(rtl, 1)
        busy = library.vx_busy(rtl)
        if busy & 1 == 0:
            self._endless = False
        touches_memory = isinstance(action, (ReadVram, WriteVram, ReadHost, WriteHost, AwaitLaunch))
        if busy & 1 and touches_memory and not self._endless:
            # A program may be storing there: its end decides what is seen.
            self._endless = bool(library.vx_run_until_idle(rtl, 1, _LONGEST_LAUNCH) & 1)
        if busy & 2 and isinstance(action, AwaitDma) and library.vx_run_until_idle(rtl, 2, 1_000_000):
            raise Difference("the transfer never ends on the RTL")
        if busy and self._rng.random() < 0.5:
            library.vx_run(rtl, self._rng.choice((1, 5, 40, 200)))
        library.vx_host_open(rtl, 0)
        if library.vx_busy(rtl) & 2:
            library.vx_run(rtl, _STILL)

    def _on_rtl(self, action: Action) -> int | bytes | None:
        library, rtl = self.library, self.rtl
        result = 0
        value: int | bytes | None = None
        match action:
            case ReadRegister(bar, offset, size):
                word = ctypes.c_uint32()
                log2 = {1: 0, 2: 1, 4: 2}[size]
                result = library.vx_ctl_read(rtl, _ctl(bar, offset), log2, ctypes.byref(word))
                value = word.value
            case WriteRegister(bar, offset, data, strobe):
                if _is_reset(action):
                    library.vx_host_open(rtl, 1)  # RESET waits for the host's answers
                result = library.vx_ctl_write(rtl, _ctl(bar, offset), data, strobe)
            case ReadVram(offset, size):
                buffer = ctypes.create_string_buffer(size)
                result = library.vx_vram_read(rtl, offset, buffer, size, self._beat(offset, size))
                value = buffer.raw
            case WriteVram(offset, data):
                result = library.vx_vram_write(rtl, offset, data, len(data), self._beat(offset, len(data)))
            case ReadHost(addr, size):
                buffer = ctypes.create_string_buffer(size)
                library.vx_host_read(rtl, addr, buffer, size)
                value = buffer.raw
            case WriteHost(addr, data):
                library.vx_host_write(rtl, addr, data, len(data))
            case SetFunction(enabled, masked):
                library.vx_set_function(rtl, enabled, masked)
        if result:
            raise Difference("the access hangs on the RTL" if result == -1 else "RLAST is not at the last beat")
        return value

    def _beat(self, offset: int, size: int) -> int:
        """log2 of the beat's bytes."""
        if self._rng.random() < 0.7:
            return 6
        return next(log2 for log2 in (self._rng.randrange(7), 6) if (offset % (1 << log2) + size - 1) >> log2 < 256)

    def _on_golden(self, action: Action) -> int | bytes | None:
        device = self.device
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
        return None

    # ------------------------------------------------------------------ hardware's choices

    def _take_events(self) -> list[Event]:
        """Everything since the last call, after whatever it causes has settled."""
        library, rtl = self.library, self.rtl
        taken: list[Event] = []
        while True:
            count = library.vx_events(rtl, self._events, EVENTS_AT_ONCE)
            taken += [Event(event.cycle, event.bits) for event in self._events[:count]]
            choices = [event.cycle for event in taken if event.bits & ~DeviceEvent.ACCESS]
            if not choices or choices[-1] + _SETTLE <= library.vx_cycle(rtl):
                return taken
            library.vx_run(rtl, _SETTLE)

    def _adopt(self, events: Iterator[Event] | list[Event], resets: bool = False) -> None:
        for event in events:
            for bit in DeviceEvent:
                if event.bits & bit and bit is not DeviceEvent.ACCESS:
                    name = bit.name or ""
                    self.figures[name] = self.figures.get(name, 0) + 1
            bits = DeviceEvent(event.bits)
            if bits & (DeviceEvent.ACCEPTED | DeviceEvent.TABLE_BAD):
                self._adopt_table(bool(bits & DeviceEvent.TABLE_BAD))
            if bits & (DeviceEvent.DMA_PIECE | DeviceEvent.DMA_END):
                if self.device.dma is None:
                    raise Difference("the RTL moves a piece, but the golden device has no transfer in flight")
                if resets and not bits & DeviceEvent.DMA_END:  # RESET lets the piece end, but no event may tell of it
                    self.device.dma.advance(1)
                    continue
                finished = self.device.advance_dma(1)
                if finished != bool(bits & DeviceEvent.DMA_END):
                    raise Difference(f"transfer at its end: RTL {not finished}, golden {finished}")
            if bits & DeviceEvent.DCR_ANSWER:
                self.device.answer_dcr(self._peek_register("DCR_RSP") if self._reads_counter() else None)
            if bits & DeviceEvent.FAULT:
                self._adopt_fault()
            if bits & DeviceEvent.DONE:
                self._adopt_end()

    def _reads_counter(self) -> bool:
        return self.device.dcr.pending is not None and self.device.dcr.pending[0] == 1

    def _adopt_table(self, bad: bool) -> None:
        launch = self.device.launch
        if launch is None or launch.phase is not LaunchPhase.TABLE:
            raise Difference("the RTL judges a table, but the golden device reads none")
        problem = launch.read_table()
        if bad != (problem is not None):
            raise Difference(f"table: RTL {'bad' if bad else 'good'}, golden {problem}")

    def _adopt_end(self) -> None:
        device = self.device
        launch = device.launch
        if launch is None or launch.phase is not LaunchPhase.RUNNING:
            raise Difference("a launch ends well on the RTL, but the golden device runs none")
        release = launch.request.release
        if release is not None and release.timestamp:
            cycles = self._time_of(release.addr + 8, release.host)
            if cycles is not None:
                device.cycle = cycles - launch.rounds
        launch.advance(ENDLESS)
        if release is not None and release.timestamp and cycles is not None:
            device.cycle = cycles - launch.rounds  # `launch_ended` adds the rounds
        if launch.finish(ENDLESS) is not Outcome.DONE:
            raise Difference(f"a launch ends well on the RTL; golden: {launch.outcome} after {launch.rounds} rounds")

    def _time_of(self, addr: int, host: bool) -> int | None:
        """Device cycles of a timestamp that the RTL wrote; None if it cannot be one."""
        buffer = ctypes.create_string_buffer(8)
        if host:
            if addr + 8 > 1 << 64:
                return None
            self.library.vx_host_read(self.rtl, addr, buffer, 8)
        else:
            if addr + 8 > self.device.vram.size:
                return None
            self.library.vx_peek(self.rtl, 1, addr, buffer, 8)
        nanoseconds = int.from_bytes(buffer.raw, "little")
        cycles = (2 * nanoseconds + 1) // 5
        return cycles if cycles <= self.library.vx_device_cycles(self.rtl) else None

    def _adopt_fault(self) -> None:
        launch = self.device.launch
        if launch is None or launch.phase is not LaunchPhase.RUNNING:
            raise Difference("a launch faults on the RTL, but the golden device runs none")
        kind = FaultKind(self._peek_register("FAULT_KIND"))
        if kind is FaultKind.WATCHDOG:
            launch.expire()
            self._adopt_stores()
            return
        addr = self._peek_register("FAULT_ADDR_LO") | self._peek_register("FAULT_ADDR_HI") << 32
        pc = self._peek_register("FAULT_PC_LO") | self._peek_register("FAULT_PC_HI") << 32
        info = self._peek_register("FAULT_WARP")
        fault = FaultRecord(kind, addr, pc, info >> 8 & 0xFF, info & 0xFF, info >> 16)
        if launch.advance(ENDLESS) is not CoresState.FAULTED:
            raise Difference(f"the RTL ends the launch with {fault}, the golden device does not fault")
        execution = launch._execution
        assert execution is not None
        own = execution.fault
        if (own.kind, own.addr, own.pc) != (kind, addr, pc):  # which of several equal warps is first is a choice
            raise Difference(f"fault: RTL {fault}, golden {own}")
        launch.adopt_fault(fault)

    def _adopt_stores(self) -> None:
        """An aborted launch may have stored or not, in the places that it could write."""
        device = self.device
        for vram, base in _STORES:
            buffer = ctypes.create_string_buffer(16)
            self.library.vx_peek(self.rtl, vram, base, buffer, 16)
            (device.vram if vram else device.memory.private).write(base, buffer.raw)

    def _peek_register(self, name: str) -> int:
        """Read a register that has no side effect, past the comparison."""
        word = ctypes.c_uint32()
        self.library.vx_ctl_read(self.rtl, register(name).offset, 2, ctypes.byref(word))
        return word.value

    # ------------------------------------------------------------------ comparisons

    def _compare_messages(self) -> None:
        count = self.library.vx_messages(self.rtl, self._messages, EVENTS_AT_ONCE)
        rtl = [MsixMessage(one.vector, one.addr, one.data) for one in self._messages[:count]]
        golden = self.device.take_messages()
        if self._overlap:  # events of several units have no order that a host could know
            rtl.sort(key=lambda one: (one.vector, one.address, one.data))
            golden.sort(key=lambda one: (one.vector, one.address, one.data))
        if rtl != golden:
            raise Difference(f"messages: RTL {rtl}, golden {golden}")

    def _compare_memories(self) -> None:
        for start, size in ((0, 0x2_0000), (TABLE_BASE, 0x1000)):
            buffer = ctypes.create_string_buffer(size)
            self.library.vx_peek(self.rtl, 1, start, buffer, size)
            golden = self.device.vram.read(start, size)
            if buffer.raw != golden and self.device.launch is None and self.device.dma is None:
                at = next(i for i in range(size) if buffer.raw[i] != golden[i])
                raise Difference(
                    f"VRAM at {start + at:#x} after the sequence: RTL {buffer.raw[at : at + 16].hex()}, "
                    f"golden {golden[at : at + 16].hex()}"
                )


def _is_reset(action: Action) -> bool:
    return (
        isinstance(action, WriteRegister)
        and (action.bar, action.offset, action.strobe) == (0, _GLOBAL_CTRL, 0xF)
        and bool(action.value & 2)
    )


def _ctl(bar: int, offset: int) -> int:
    return (1 << 20 if bar == 4 else 0) | offset


def _show(value: int | bytes | None) -> str:
    return hex(value) if isinstance(value, int) else value.hex() if value else repr(value)
