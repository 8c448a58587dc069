"""The host's memory as the device's DMA master sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from golden_model.memory import Memory
from golden_model.ranges import AddressRanges

ADDRESS_SPACE = 1 << 64


class HostBusError(Exception):
    """The host answered an access with an error."""


class HostMemory(Protocol):
    """What the DMA master talks to. An access never wraps the address space."""

    def read(self, addr: int, size: int) -> bytes:
        """Raises HostBusError if any byte cannot be read."""
        ...

    def write(self, addr: int, data: bytes) -> None:
        """Raises HostBusError, with nothing written, if any byte cannot be written."""
        ...


@dataclass(frozen=True, slots=True)
class HostAccess:
    """One access of the DMA master, as the outbox keeps it."""

    write: bool
    addr: int
    size: int
    data: bytes  # written or read; empty if the host answered with an error
    error: bool = False


class SparseHostMemory:
    """Host memory over the whole 64-bit space, zero until written, with ranges that answer with bus errors."""

    def __init__(self) -> None:
        self._memory = Memory(ADDRESS_SPACE)
        self.failing = AddressRanges()

    def read(self, addr: int, size: int) -> bytes:
        self._check(addr, size)
        return self._memory.read(addr, size)

    def write(self, addr: int, data: bytes) -> None:
        self._check(addr, len(data))
        self._memory.write(addr, data)

    def _check(self, addr: int, size: int) -> None:
        for start, end in self.failing:
            if start < addr + size and addr < end:
                raise HostBusError(f"host address {max(start, addr):#x} answers with a bus error")
