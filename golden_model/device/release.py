"""Release on completion: what a launch that ends well writes (docs/reference/pcie_bar.md, 0x0610)."""

from __future__ import annotations

from dataclasses import dataclass

_ENABLE, _WIDE, _TIMESTAMP, _HOST = 1, 2, 4, 8
TIMESTAMP_OFFSET = 8


def nanoseconds(cycles: int) -> int:
    """Device time as the device writes it: cycles of 2.5 ns, rounded down, 64 bits."""
    return cycles * 5 // 2 & (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Release:
    """The RELEASE registers as DISPATCH samples them.

    Attributes:
        addr: byte address, any alignment, in host memory or an offset in VRAM.
        payload: value of 4 or 8 bytes.
        wide: 8 bytes instead of 4.
        timestamp: also write the time, 8 bytes above.
        host: in host memory instead of VRAM.
    """

    addr: int
    payload: int
    wide: bool
    timestamp: bool
    host: bool

    @classmethod
    def sample(cls, addr: int, payload: int, ctrl: int) -> Release | None:
        """None if RELEASE_CTRL does not enable it."""
        if not ctrl & _ENABLE:
            return None
        return cls(addr, payload, bool(ctrl & _WIDE), bool(ctrl & _TIMESTAMP), bool(ctrl & _HOST))

    @property
    def size(self) -> int:
        """Bytes from `addr` to the end of what is written."""
        return TIMESTAMP_OFFSET + 8 if self.timestamp else self.payload_size

    @property
    def payload_size(self) -> int:
        return 8 if self.wide else 4

    def writes(self, cycles: int) -> list[tuple[int, bytes]]:
        """(address, bytes) in order; the payload is last, so whoever sees it sees the timestamp."""
        payload = (self.payload & (1 << 8 * self.payload_size) - 1).to_bytes(self.payload_size, "little")
        stamp = [(self.addr + TIMESTAMP_OFFSET, nanoseconds(cycles).to_bytes(8, "little"))] if self.timestamp else []
        return [*stamp, (self.addr, payload)]
