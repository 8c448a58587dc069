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
import random

from golden_model.device import Device
from golden_model.device.config import TABLE_BASE
from golden_model.device.execution import CoresState
from golden_model.device.launch import LaunchPhase
from golden_model.device.msix import MsixMessage
from golden_model.device.sequences import Coverage, layout
from golden_model.device.sequences.actions import (
    Action,
    AwaitDma,
    AwaitLaunch,
    ReadHost,
    ReadVram,
    SetSink,
    WriteHost,
    WriteVram,
)
from golden_model.device.sequences.commands import Command, write_named
from golden_model.device.sequences.coverage import DeviceState
from golden_model.device.sequences.execute import do, sequence_device
from golden_model.device.sequences.programs import PRIVATE_ADDR
from tests.cosim.bar.choices import HOPELESS, Choices
from tests.cosim.bar.rtl import Difference, Rtl, Settled, is_reset

_LAUNCH, _DMA = 1, 2  # bits of Rtl.busy
_ENDS_WITHIN = 200_000  # cycles in which a launch ends if it does on the golden device
_STORED_WITHIN = 600  # cycles in which a launch that never ends has stored what it stores
_TOUCHES_MEMORY = (ReadVram, WriteVram, ReadHost, WriteHost, AwaitLaunch)
# What a sequence can change, in VRAM (True) and in private memory.
_COMPARED = (
    *((True, start, size) for start, size in ((0, 0x2_3000), (TABLE_BASE, 0x1000))),
    *((False, start, 0x1000) for start in (0, layout.ARGS_VMA, 0x2_0000, layout.CODE_VMA, PRIVATE_ADDR)),
)


class RtlExecutor:
    """Executes actions on the RTL and compares with the golden device after each one.

    Args:
        coverage: where accesses are counted by the state in which they were made.
        device: the golden one, of the library's variant.
        fault: the one that is seeded, in models that have any.
    """

    def __init__(
        self,
        library: ctypes.CDLL,
        seed: int,
        coverage: Coverage | None = None,
        device: Device | None = None,
        fault: str = "",
    ) -> None:
        self._rng = random.Random(seed)
        self._coverage = coverage
        self.rtl = Rtl(library, seed, self._rng, fault)
        self.device = device or sequence_device()
        self.choices = Choices(self.rtl, self.device)
        self._messages: list[MsixMessage] = []
        self._endless = False  # the launch under way is known to have no end
        self._raced = False  # choices fell into the access: no host could know their order

    def close(self) -> None:
        """Free the model."""
        self.rtl.close()

    def run(self, commands: list[Command]) -> int:
        """All actions of all commands; their number. Raises Difference at the first one that differs."""
        count = 0
        for index, command in enumerate(commands):
            for action in command.actions():
                count += 1
                self._perform_in("command", action, index, command)
        for action in (AwaitDma(), SetSink(True), write_named("GLOBAL_CTRL", 2)):
            self._perform_in("after the last command:", action)
        self._compare_memories()
        return count

    def _perform_in(self, where: str, action: Action, *details: object) -> None:
        try:
            self.perform(action)
        except Difference as difference:
            place = " ".join(str(part) for part in (where, *details))
            raise Difference(f"{place}\n  action {action}\n  {difference}") from None

    # ------------------------------------------------------------------ one action

    def perform(self, action: Action) -> None:
        """Do one action on both and compare. Raises Difference."""
        self._raced = False
        busy = self.rtl.busy()
        if busy:
            self._let_time_pass(action, busy)
            self._take()
            self.choices.reading_ahead()
        else:
            self._endless = False
        if self._coverage is not None:
            self._coverage.sample(action, DeviceState.of(self.device))
        value = self.rtl.do(action)
        settled = self.rtl.settle()
        golden = self._on_golden(action, settled)
        if isinstance(action, (ReadVram, WriteVram)):
            rtl_error, golden_error = self.rtl.bar2_error(), self.device.bar2_error
            if rtl_error != golden_error:
                raise Difference(f"BAR2 answers with an error: RTL {rtl_error}, golden {golden_error}")
            if rtl_error:
                value = golden  # what was read means nothing
        if value != golden:
            raise Difference(f"RTL {_show(value)}, golden {_show(golden)}")
        self._compare_messages()

    def _on_golden(self, action: Action, settled: Settled) -> int | bytes | None:
        self._messages += settled.messages
        if not settled.choices:
            if is_reset(action):
                self.choices.before_reset()
                do(self.device, action)
                self.choices.after_reset()
                return None
            return do(self.device, action)
        self._raced = True
        if is_reset(action):
            self.choices.adopt(settled.choices, resets=True)
            self.choices.before_reset()
            do(self.device, action)
            self.choices.after_reset()
            return None
        self.choices.adopt(choice for choice in settled.choices if choice[0] < settled.access)
        golden = do(self.device, action)
        self.choices.adopt(choice for choice in settled.choices if choice[0] >= settled.access)
        return golden

    def _let_time_pass(self, action: Action, busy: int) -> None:
        rtl = self.rtl
        if not busy & _LAUNCH:
            self._endless = False
        elif not self._endless and isinstance(action, _TOUCHES_MEMORY):
            self._await_launch()
        if busy & _DMA and isinstance(action, AwaitDma) and rtl.run_until_idle(_DMA, 1_000_000):
            raise Difference("the transfer never ends on the RTL")
        if self._rng.random() < 0.5:
            rtl.run(self._rng.choice((1, 5, 40, 60 if self._endless else 200)))
        rtl.hold_transfer()

    def _await_launch(self) -> None:
        """A program may be storing where the host is going to look: its end decides what is seen.

        Whether it ends is the golden device's to say: no program of a sequence depends on time.
        """
        rtl = self.rtl
        for _ in range(100):
            rtl.run(100)
            rtl.hold_transfer()
            self._take()
            launch = self.device.launch
            if launch is None:
                return
            if launch.phase is LaunchPhase.RUNNING:
                break
        else:
            raise Difference("the RTL never judges the image table")
        watched = 0 < launch.request.max_cycles <= _ENDS_WITHIN
        self._endless = launch.advance(HOPELESS) is CoresState.RUNNING and not watched
        if self._endless:
            rtl.run(_STORED_WITHIN)
        elif rtl.run_until_idle(_LAUNCH, _ENDS_WITHIN):
            state = launch.advance(0)
            raise Difference(f"the launch never ends on the RTL; golden: {state} after {launch.rounds} rounds")

    def _take(self) -> None:
        settled = self.rtl.settle()
        self._messages += settled.messages
        self.choices.adopt(settled.choices)

    # ------------------------------------------------------------------ comparisons

    def _compare_messages(self) -> None:
        device = self.device
        if self._messages or device.messages:
            rtl, golden = self._messages, device.take_messages()
            self._messages = []
            if self._raced:
                rtl.sort(key=_message_order)
                golden.sort(key=_message_order)
            if rtl != golden:
                raise Difference(f"messages: RTL {rtl}, golden {golden}")
        msix = device.msix
        if msix.sink_ready:
            return
        shown = self.rtl.shown_vector()
        if self._raced and msix.waiting is not None and shown not in (-1, msix.waiting.vector):
            msix.adopt_waiting(shown)
        waiting = -1 if msix.waiting is None else msix.waiting.vector
        if shown != waiting:
            raise Difference(f"vector in front of a shell that takes nothing (-1: none): RTL {shown}, golden {waiting}")

    def _compare_memories(self) -> None:
        device = self.device
        for vram, start, size in _COMPARED:
            golden = (device.vram if vram else device.memory.private).read(start, size)
            _compare_bytes("VRAM" if vram else "private memory", start, self.rtl.peek(vram, start, size), golden)
        for places in (layout.HOST_RELEASE, layout.HOST):
            start, size = places.start, len(places)
            _compare_bytes("host memory", start, self.rtl.peek_host(start, size), device.host.read(start, size))


def _message_order(message: MsixMessage) -> tuple[int, int, int]:
    return message.vector, message.address, message.data


def _compare_bytes(memory: str, start: int, rtl: bytes, golden: bytes) -> None:
    if rtl == golden:
        return
    at = next(index for index, (one, other) in enumerate(zip(rtl, golden, strict=True)) if one != other)
    raise Difference(
        f"{memory} at {start + at:#x} after the sequence: RTL {rtl[at : at + 16].hex()}, "
        f"golden {golden[at : at + 16].hex()}"
    )


def _show(value: int | bytes | None) -> str:
    return hex(value) if isinstance(value, int) else value.hex() if value else repr(value)
