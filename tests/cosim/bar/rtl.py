"""The RTL device through the driver: an action of a host as calls of the library, and what came of it."""

from __future__ import annotations

import ctypes
import random
from dataclasses import dataclass
from enum import IntEnum

from golden_model.device.msix import MsixMessage
from golden_model.device.registers import register
from golden_model.device.sequences import layout
from golden_model.device.sequences.actions import (
    Action,
    ReadHost,
    ReadRegister,
    ReadVram,
    SetFunction,
    SetSink,
    WriteHost,
    WriteRegister,
    WriteVram,
)
from tests.cosim.bar.model import AT_ONCE, Event, Message

_STILL_WITHIN = 2000  # cycles in which a transfer whose host has closed comes to rest
_NEVER = (1 << 64) - 1
_GLOBAL_CTRL = register("GLOBAL_CTRL").offset
_LOG2 = {1: 0, 2: 1, 4: 2}
_FAILURES = {
    -1: "the access hangs on the RTL",
    -2: "RLAST is not at the last beat",
    -3: "BAR0 and BAR4 answer OKAY, the RTL does not",
}
_events = (Event * AT_ONCE)()
_messages = (Message * AT_ONCE)()


class DeviceEvent(IntEnum):
    """Bits of `device_event_t` in hw/rtl/pcie/vx_pcie_pkg.sv that are choices."""

    ACCEPTED = 1
    TABLE_BAD = 2
    DONE = 4
    FAULT = 8
    DMA_PIECE = 16
    DMA_END = 32
    DCR_ANSWER = 64


class Difference(AssertionError):
    """RTL and golden device differ; the message says where."""


@dataclass(frozen=True, slots=True)
class Settled:
    """What happened since the last look.

    Attributes:
        choices: (cycle, bits of `DeviceEvent`), ascending.
        messages: MSI-X messages that the shell has taken.
        access: cycle in which the last access to BAR0 or BAR4 took effect, very late if there was none.
    """

    choices: list[tuple[int, int]]
    messages: list[MsixMessage]
    access: int


_NOTHING = Settled([], [], _NEVER)


class Rtl:
    """One device from power-on. `rng` decides what a host may choose: the beats of its bursts."""

    def __init__(self, library: ctypes.CDLL, seed: int, rng: random.Random, fault: str = "") -> None:
        self.library = library
        self.handle = library.vx_new(seed & (1 << 64) - 1, fault.encode())
        self._rng = rng
        library.vx_host_fails(self.handle, layout.HOST_FAILS.start, layout.HOST_FAILS.stop)
        library.vx_memory_fails(self.handle, layout.VRAM_FAILS.start, layout.VRAM_FAILS.stop)
        library.vx_set_latency(self.handle, rng.choice((1, 3, 8)))

    def close(self) -> None:
        """Free the model."""
        self.library.vx_delete(self.handle)

    # ------------------------------------------------------------------ time

    def busy(self) -> int:
        """Bit 0 launch, bit 1 transfer, bit 2 choices not yet looked at."""
        return int(self.library.vx_busy(self.handle))

    def run(self, cycles: int) -> None:
        """Let time pass; a transfer goes on."""
        self.library.vx_host_open(self.handle, 1)
        self.library.vx_run(self.handle, cycles)

    def run_until_idle(self, mask: int, cycles: int) -> int:
        """Let time pass until no bit of `mask` (see `busy`) is set; those that still are after `cycles`."""
        self.library.vx_host_open(self.handle, 1)
        return int(self.library.vx_run_until_idle(self.handle, mask, cycles))

    def hold_transfer(self) -> None:
        """From now on a transfer stands still. Raises Difference if it does not come to rest."""
        self.library.vx_host_open(self.handle, 0)
        if self.library.vx_run_until_still(self.handle, _STILL_WITHIN):
            raise Difference("a transfer neither ends nor asks the host for anything")

    def settle(self) -> Settled:
        """Everything since the last call, after whatever it causes is on the pins."""
        library, handle = self.library, self.handle
        numbers = library.vx_settle(handle, _events, _messages, AT_ONCE)
        if not numbers:
            return _NOTHING
        return Settled(
            [(event.cycle, event.bits) for event in _events[: numbers & 0xFFFF_FFFF]],
            [MsixMessage(one.vector, one.addr, one.data) for one in _messages[: numbers >> 32]],
            library.vx_access_cycle(handle),
        )

    # ------------------------------------------------------------------ accesses

    def do(self, action: Action) -> int | bytes | None:
        """Do one action, transfers held; the value read. Raises Difference for a broken handshake."""
        library, handle = self.library, self.handle
        result = 0
        value: int | bytes | None = None
        match action:
            case ReadRegister(bar, offset, size):
                word = ctypes.c_uint32()
                result = library.vx_ctl_read(handle, bar << 18 | offset, _LOG2[size], ctypes.byref(word))
                value = word.value
            case WriteRegister(bar, offset, data, strobe):
                if is_reset(action):
                    library.vx_host_open(handle, 1)  # RESET waits for the host's answers
                result = library.vx_ctl_write(handle, bar << 18 | offset, data, strobe)
                library.vx_host_open(handle, 0)
            case ReadVram(offset, size):
                buffer = ctypes.create_string_buffer(size)
                result = library.vx_vram_read(handle, offset, buffer, size, self._beat(offset, size))
                value = buffer.raw
            case WriteVram(offset, data):
                result = library.vx_vram_write(handle, offset, data, len(data), self._beat(offset, len(data)))
            case ReadHost(addr, size):
                value = self.peek_host(addr, size)
            case WriteHost(addr, data):
                library.vx_host_write(handle, addr, data, len(data))
            case SetFunction(enabled, masked):
                library.vx_set_function(handle, enabled, masked)
            case SetSink(ready):
                library.vx_sink_ready(handle, ready)
        if result:
            raise Difference(_FAILURES[result])
        return value

    def _beat(self, offset: int, size: int) -> int:
        """log2 of the beat's bytes."""
        if self._rng.random() < 0.7:
            return 6
        return next(log2 for log2 in (self._rng.randrange(7), 6) if (offset % (1 << log2) + size - 1) >> log2 < 256)

    def bar2_error(self) -> bool:
        """Whether the last burst on BAR2 was answered with an error."""
        return bool(self.library.vx_response(self.handle))

    # ------------------------------------------------------------------ past the device

    def peek_register(self, name: str) -> int:
        """Read a register that has no side effect."""
        word = ctypes.c_uint32()
        self.library.vx_ctl_read(self.handle, register(name).offset, 2, ctypes.byref(word))
        return word.value

    def peek(self, vram: bool, addr: int, size: int) -> bytes:
        """Bytes of VRAM by offset, or of private memory by the cores' address."""
        buffer = ctypes.create_string_buffer(size)
        self.library.vx_peek(self.handle, vram, addr, buffer, size)
        return buffer.raw

    def peek_host(self, addr: int, size: int) -> bytes:
        """Bytes of host memory."""
        buffer = ctypes.create_string_buffer(size)
        self.library.vx_host_read(self.handle, addr, buffer, size)
        return buffer.raw

    def piece_is_read(self) -> bool:
        """Whether a held transfer to the host has read its next piece from VRAM."""
        return bool(self.library.vx_piece_is_read(self.handle))

    def shown_vector(self) -> int:
        """Vector of the message in front of the shell, -1 if there is none."""
        return int(self.library.vx_shown_vector(self.handle))

    def device_cycles(self) -> int:
        """Cycles of the device since power-on."""
        return int(self.library.vx_device_cycles(self.handle))


def is_reset(action: Action) -> bool:
    """Whether the action resets the device."""
    return (
        isinstance(action, WriteRegister)
        and action.offset == _GLOBAL_CTRL
        and (action.bar, action.strobe) == (0, 0xF)
        and bool(action.value & 2)
    )
