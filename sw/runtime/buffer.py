"""Ranges of device memory as a host program holds them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sw.runtime.errors import InvalidValueError

if TYPE_CHECKING:
    from sw.runtime.device import Device

Array = NDArray[np.generic]


@dataclass(eq=False)
class Buffer:
    """A range of device memory; usable until `free`."""

    device: Device
    address: int
    size: int
    name: str
    live: bool = True

    def check(self, offset: int, size: int) -> None:
        """Raises InvalidValueError unless `[offset, offset + size)` lies in a live buffer."""
        if not self.live:
            raise InvalidValueError(f"buffer {self.name!r} was freed")
        if offset < 0 or size < 0 or offset + size > self.size:
            raise InvalidValueError(f"[{offset}, {offset + size}) is outside buffer {self.name!r} of {self.size} bytes")


@dataclass(frozen=True)
class PendingRead:
    """A read that was queued and whose bytes have not been taken."""

    request: int
    address: int
    size: int
