"""Single actions of a host: the only things that an executor must know how to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadRegister:
    """Read `size` bytes of BAR0 or BAR4; anything but an aligned word must read 0 without effect."""

    bar: int
    offset: int
    size: int = 4


@dataclass(frozen=True)
class WriteRegister:
    """Write a word of BAR0 or BAR4 with byte enables `strobe` (bit 0 = lowest byte)."""

    bar: int
    offset: int
    value: int
    strobe: int = 0xF


@dataclass(frozen=True)
class ReadVram:
    """Read BAR2 in one burst."""

    offset: int
    size: int


@dataclass(frozen=True)
class WriteVram:
    """Write BAR2 in one burst."""

    offset: int
    data: bytes


@dataclass(frozen=True)
class ReadHost:
    """Look into host memory, past the device."""

    addr: int
    size: int


@dataclass(frozen=True)
class WriteHost:
    """Change host memory, past the device."""

    addr: int
    data: bytes


@dataclass(frozen=True)
class SetFunction:
    """MSI-X Enable and Function Mask of configuration space."""

    enabled: bool
    masked: bool


@dataclass(frozen=True)
class SetSink:
    """Whether the shell takes MSI-X messages."""

    ready: bool


@dataclass(frozen=True)
class AwaitLaunch:
    """Let time pass until BUSY clears, or for a bounded time if it does not."""


@dataclass(frozen=True)
class AwaitDma:
    """Let time pass until DMA BUSY clears."""


Action = (
    ReadRegister
    | WriteRegister
    | ReadVram
    | WriteVram
    | ReadHost
    | WriteHost
    | SetFunction
    | SetSink
    | AwaitLaunch
    | AwaitDma
)
