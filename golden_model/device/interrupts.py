"""Interrupt sources and error bits: IRQ_STATUS, IRQ_ENABLE, ERROR_STATUS (docs/reference/pcie_bar.md)."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum, IntFlag


class Source(IntEnum):
    """Bit of IRQ_STATUS and IRQ_ENABLE, and MSI-X vector, of an interrupt source."""

    KERNEL_DONE = 0
    DMA_DONE = 1
    ERROR = 2
    DOORBELL = 3


class ErrorBit(IntFlag):
    """Bits of ERROR_STATUS."""

    INVALID_CMD = 1
    VRAM_FAULT = 2
    KERNEL_FAULT = 4
    DMA_FAULT = 8


class Interrupts:
    """Latched sources and errors; `raise_vector` leads to MSI-X.

    Every event of an enabled source raises its vector, also when its status bit was set before.
    """

    def __init__(self, raise_vector: Callable[[int], None]) -> None:
        self._raise_vector = raise_vector
        self.reset()

    def reset(self) -> None:
        self.status = 0
        self.enable = 0
        self.errors = ErrorBit(0)

    def occur(self, source: Source) -> None:
        """A source has an event."""
        self.status |= 1 << source
        if self.enable >> source & 1:
            self._raise_vector(source)

    def fail(self, error: ErrorBit) -> None:
        """An error bit is set, and with it an event of the source ERROR."""
        self.errors |= error
        self.occur(Source.ERROR)

    def set_enable(self, value: int) -> None:
        """Write IRQ_ENABLE; a pending source that becomes enabled raises its vector."""
        rising = value & ~self.enable & self.status
        self.enable = value
        for source in Source:
            if rising >> source & 1:
                self._raise_vector(source)

    def acknowledge(self, mask: int) -> None:
        """Clear bits of IRQ_STATUS; messages already pending stay pending."""
        self.status &= ~mask

    def clear_errors(self, mask: int) -> None:
        """Clear bits of ERROR_STATUS; IRQ_STATUS.ERROR stays until acknowledged."""
        self.errors &= ~ErrorBit(mask)
