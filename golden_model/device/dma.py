"""The host DMA engine (docs/reference/pcie_bar.md, 0x0400)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, IntFlag

from golden_model.device.host_memory import ADDRESS_SPACE, HostBusError
from golden_model.device.vram import write_vram
from golden_model.memory import Memory
from golden_model.ranges import AddressRanges


class DmaStatus(IntFlag):
    """Bits of DMA_STATUS."""

    BUSY = 1
    COMPLETE = 2
    ERROR = 4


class DmaProblem(Enum):
    """Why a transfer ends with an error; the value is the sentence."""

    EMPTY = "DMA_SIZE is 0"
    OUTSIDE_VRAM = "the transfer leaves VRAM"
    WRAPS_HOST = "the transfer wraps the host's address space"
    BUS_ERROR = "the host answered with a bus error"
    VRAM_BUS_ERROR = "device memory answered with a bus error"


@dataclass
class DmaTransfer:
    """A transfer in flight, moved in ascending order by `advance`.

    It moves in pieces that end at multiples of `piece` of the host address, each read as a whole before it is written.
    The first bus error ends it: earlier pieces have been moved, the failing one and later ones have not (but of a piece
    that VRAM refuses in its second block, the first block has been written).
    When a piece is read is a choice: `read_ahead` reads the next one now.
    """

    vram: Memory
    host_read: Callable[[int, int], bytes]
    host_write: Callable[[int, bytes], None]
    host_addr: int
    vram_offset: int
    size: int
    to_host: bool
    interrupt: bool
    piece: int
    vram_failing: AddressRanges = field(default_factory=AddressRanges)
    done: int = 0  # bytes moved
    problem: DmaProblem | None = field(default=None, init=False)
    _held: bytes | None = field(default=None, init=False)  # the next piece, if it has been read from VRAM

    def check(self) -> DmaProblem | None:
        """What is wrong with the whole transfer before a byte has moved."""
        if self.size == 0:
            return DmaProblem.EMPTY
        if self.vram_offset + self.size > self.vram.size:
            return DmaProblem.OUTSIDE_VRAM
        if self.host_addr + self.size > ADDRESS_SPACE:
            return DmaProblem.WRAPS_HOST
        return None

    @property
    def finished(self) -> bool:
        return self.problem is not None or self.done == self.size

    def advance(self, pieces: int | None = None) -> bool:
        """Move up to `pieces` pieces (None: all that are left); whether the transfer has finished."""
        while not self.finished and (pieces is None or pieces > 0):
            self._move()
            if pieces is not None:
                pieces -= 1
        return self.finished

    def read_ahead(self) -> None:
        """The next piece has been read from VRAM; what is written there from now on is too late for it."""
        if self.to_host and not self.finished and self._held is None:
            self._held = self.vram.read(self.vram_offset + self.done, self._size())

    def _size(self) -> int:
        """Bytes of the next piece."""
        return min(self.size - self.done, self.piece - (self.host_addr + self.done) % self.piece)

    def _move(self) -> None:
        host, vram, size = self.host_addr + self.done, self.vram_offset + self.done, self._size()
        if self.to_host and self._held is None and self.vram_failing.overlaps(vram, size):
            self.problem = DmaProblem.VRAM_BUS_ERROR
            return
        try:
            if self.to_host:
                self.read_ahead()
                assert self._held is not None
                self.host_write(host, self._held)
            else:
                if not write_vram(self.vram, self.vram_failing, vram, self.host_read(host, size)):
                    self.problem = DmaProblem.VRAM_BUS_ERROR
                    return
        except HostBusError:
            self.problem = DmaProblem.BUS_ERROR
        else:
            self.done += size
            self._held = None
