"""The console ring and the exit code in device memory, seen from the host (docs/reference/vortex.md §9.4, §9.5).

0x40  wr[64]      bytes produced so far, per slot (slot = hart & 63)
      rd[64]      bytes consumed so far
      data[64][512]
      lost[64]    bytes dropped because the ring was full
0x8348  exit code of stand-alone programs
"""

from __future__ import annotations

import struct
from collections.abc import Callable

BASE = 0x40
SLOTS = 64
RING = 512
RD = BASE + 4 * SLOTS
DATA = RD + 4 * SLOTS
LOST = DATA + SLOTS * RING
SIZE = LOST + 4 * SLOTS - BASE
EXIT_CODE = BASE + SIZE + 8

Read = Callable[[int, int], bytes]  # address, size
Write = Callable[[int, bytes], None]


class Console:
    """Host side of the ring. Works on any device that can read and write memory."""

    def __init__(self, read: Read, write: Write) -> None:
        self._read = read
        self._write = write
        self._consumed = [0] * SLOTS
        self._lost = [0] * SLOTS
        self._partial = [b""] * SLOTS

    def open(self) -> None:
        """Zero all counters, as the host does once when it opens the device."""
        self._write(BASE, bytes(8 * SLOTS))
        self._write(LOST, bytes(4 * SLOTS))

    def drain(self) -> list[str]:
        """Complete lines since the last call, `#<slot>: <line>`; unfinished lines stay for the next call."""
        produced = struct.unpack(f"<{SLOTS}I", self._read(BASE, 4 * SLOTS))
        lost = struct.unpack(f"<{SLOTS}I", self._read(LOST, 4 * SLOTS))
        lines: list[str] = []
        for slot in range(SLOTS):
            self._partial[slot] += self._new_bytes(slot, produced[slot])
            *complete, self._partial[slot] = self._partial[slot].split(b"\n")
            lines += [f"#{slot}: {line.decode('utf-8', errors='replace')}" for line in complete]
            if lost[slot] != self._lost[slot]:
                lines.append(f"[#{slot}: lost {(lost[slot] - self._lost[slot]) & 0xFFFF_FFFF} bytes]")
                self._lost[slot] = lost[slot]
        self._write(RD, struct.pack(f"<{SLOTS}I", *self._consumed))
        return lines

    def unfinished(self) -> list[str]:
        """Text after the last newline of each slot that has some."""
        return [f"#{slot}: {text.decode('utf-8', errors='replace')}" for slot, text in enumerate(self._partial) if text]

    def _new_bytes(self, slot: int, produced: int) -> bytes:
        count = (produced - self._consumed[slot]) & 0xFFFF_FFFF
        if count == 0:
            return b""
        count = min(count, RING)  # a slot that is further behind has been overwritten
        ring = self._read(DATA + slot * RING, RING)
        start = (produced - count) % RING
        self._consumed[slot] = produced
        return (ring + ring)[start : start + count]
