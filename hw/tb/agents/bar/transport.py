"""The way from the agent to a device: what each transport must be able to do.

| transport | where | carries accesses as |
| --- | --- | --- |
| `PinTransport` | `pins.py` | AXI4-Lite and AXI4 bursts driven through cocotb-bus |
| `PacketTransport` | `packets.py` | transaction-layer packets of cocotbext-pcie's root complex |
| of the full testbench | whoever has another way in | e.g. commands that C++ executes |

`sw.runtime.bar.BarTransport` is the blocking side of the same thing; `blocking.py` makes it from an agent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from golden_model.device import SparseHostMemory
from golden_model.device.sequences.coverage import DeviceState

MESSAGE_ADDRESS = 0xFEE0_0000  # where a host of this kind has messages sent, as x86 does
MESSAGE_WINDOW = 1 << 20


class TransportError(RuntimeError):
    """The device did not answer, or answered what no host may see; the sentence says which access."""


@dataclass(frozen=True, slots=True)
class Message:
    """One MSI-X message as it arrives at the host; whoever programmed the table knows the vector from the data."""

    address: int
    data: int


class Transport(Protocol):
    """One host in front of one device. Accesses are ordered; offsets and sizes in bytes.

    Attributes:
        name: for reports.
        host: the host's memory, which the device's DMA reaches; `host.failing` has ranges that answer with errors.
        write_errors_return: whether the device learns that a write to host memory failed. Posted writes of PCIe do not
            tell.
    """

    name: str
    host: SparseHostMemory
    write_errors_return: bool

    async def start(self) -> None:
        """Power-on reset, then whatever a host does before the first access; interrupts are enabled afterwards."""
        ...

    async def register_read(self, bar: int, offset: int, size: int) -> int:
        """`size` bytes (1, 2, 4 or 8) of BAR0 or BAR4."""
        ...

    async def register_write(self, bar: int, offset: int, value: int, strobe: int) -> None:
        """A word of BAR0 or BAR4 with byte enables; it may take effect later, but before any later access does."""
        ...

    async def vram_read(self, offset: int, size: int) -> bytes:
        """BAR2, any size and alignment."""
        ...

    async def vram_write(self, offset: int, data: bytes) -> None:
        """BAR2, any size and alignment; posted like `register_write`."""
        ...

    async def set_function(self, enabled: bool, masked: bool) -> None:
        """MSI-X Enable and Function Mask."""
        ...

    def hold_host(self, held: bool) -> None:
        """While held, the host takes no access of the device to its memory, so a transfer stands still."""
        ...

    async def message(self, cycles: int) -> Message | None:
        """The oldest message not yet taken; waits for one, at most `cycles` cycles."""
        ...

    def take_messages(self) -> list[Message]:
        """All messages not yet taken, oldest first."""
        ...

    async def run(self, cycles: int) -> None:
        """Let time pass."""
        ...

    def state(self) -> DeviceState:
        """State of the device at this moment, seen past the bus."""
        ...
