"""Sequence items of the BAR agent: one item is one thing that a host does with the device, never one beat.

An item that the device never answers ends with `error` set instead of a result; the sequence decides what that means.
"""

from __future__ import annotations

from pyuvm import uvm_sequence_item

from golden_model.device.doorbell import DOORBELL_OFFSET
from hw.tb.agents.bar.transport import Message


class BarItem(uvm_sequence_item):
    """What all items have.

    Attributes:
        error: why the access did not end, empty when it did.
    """

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.error = ""


class RegisterReadItem(BarItem):
    """Read `size` bytes of BAR0 or BAR4 at `offset`; `value` has the result."""

    def __init__(self, offset: int, bar: int = 0, size: int = 4) -> None:
        super().__init__("register_read")
        self.bar, self.offset, self.size = bar, offset, size
        self.value = 0


class RegisterWriteItem(BarItem):
    """Write a word of BAR0 or BAR4 with byte enables `strobe` (bit 0 = lowest byte)."""

    def __init__(self, offset: int, value: int, bar: int = 0, strobe: int = 0xF) -> None:
        super().__init__("register_write")
        self.bar, self.offset, self.value, self.strobe = bar, offset, value, strobe


class DoorbellItem(RegisterWriteItem):
    """Ring the doorbell with a token of 32 bits."""

    def __init__(self, token: int) -> None:
        super().__init__(DOORBELL_OFFSET, token, bar=4)


class VramReadItem(BarItem):
    """Read `size` bytes of BAR2, any size and alignment; `data` has them."""

    def __init__(self, offset: int, size: int) -> None:
        super().__init__("vram_read")
        self.offset, self.size = offset, size
        self.data = b""


class VramWriteItem(BarItem):
    """Write bytes of BAR2, any size and alignment."""

    def __init__(self, offset: int, data: bytes) -> None:
        super().__init__("vram_write")
        self.offset, self.data = offset, data


class FunctionItem(BarItem):
    """MSI-X Enable and Function Mask of configuration space."""

    def __init__(self, enabled: bool, masked: bool) -> None:
        super().__init__("function")
        self.enabled, self.masked = enabled, masked


class AwaitInterruptItem(BarItem):
    """Wait for the next MSI-X message, at most `cycles` cycles; `message` stays None if none came."""

    def __init__(self, cycles: int = 20_000) -> None:
        super().__init__("await_interrupt")
        self.cycles = cycles
        self.message: Message | None = None


class RunItem(BarItem):
    """Let `cycles` cycles pass."""

    def __init__(self, cycles: int) -> None:
        super().__init__("run")
        self.cycles = cycles


AnyItem = (
    RegisterReadItem | RegisterWriteItem | VramReadItem | VramWriteItem | FunctionItem | AwaitInterruptItem | RunItem
)
