"""The way to a device's BARs."""

from __future__ import annotations

from typing import Protocol


class BarTransport(Protocol):
    """Reads and writes of the BARs, in order and complete on return. Offsets in bytes."""

    def bar0_read(self, offset: int) -> int:
        """One 32-bit register."""
        ...

    def bar0_write(self, offset: int, value: int) -> None:
        """One 32-bit register; ordered before everything later."""
        ...

    def bar2_read(self, offset: int, size: int) -> bytes:
        """VRAM, any size and alignment."""
        ...

    def bar2_write(self, offset: int, data: bytes) -> None:
        """VRAM, any size and alignment; ordered before everything later."""
        ...

    def bar4_write(self, offset: int, value: int) -> None:
        """One doorbell."""
        ...

    def take_interrupts(self) -> list[int]:
        """MSI-X vectors that arrived since the last call."""
        ...

    def pass_time(self) -> None:
        """The host has nothing to do: let device time pass, until something may have happened."""
        ...
