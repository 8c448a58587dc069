"""MSI-X: vector table, pending bits, and the messages that leave the device (docs/reference/pcie_bar.md)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from golden_model.device.registers import MSIX_PBA, MSIX_TABLE, MSIX_VECTORS, WORD, Register

_ADDR_LO, _ADDR_HI, _DATA, _CTRL = range(4)
_MASKED = 1


@dataclass(frozen=True, slots=True)
class MsixMessage:
    """A memory write that the function sends upstream: one interrupt."""

    vector: int
    address: int
    data: int


class Msix:
    """Table and pending bits. `send` receives each message in the order in which it leaves.

    `enabled` and `function_mask` are bits of the MSI-X capability in configuration space, thus not of a BAR: RESET
    keeps them, and whoever models configuration space calls `set_function`.

    While the shell takes nothing (`set_sink`), one message stands in front of it, and other vectors keep their
    pending bits.
    """

    def __init__(self, send: Callable[[MsixMessage], None]) -> None:
        self._send = send
        self.enabled = True
        self.function_mask = False
        self.sink_ready = True
        self.waiting: MsixMessage | None = None  # in front of a shell that is not ready
        self.reset()

    def reset(self) -> None:
        """Every entry zero and masked, nothing pending; a message that the shell already sees stays."""
        self._table = [[0, 0, 0, _MASKED] for _ in range(MSIX_VECTORS)]
        self.pending = 0

    def set_function(self, enabled: bool, function_mask: bool) -> None:
        """MSI-X Enable and Function Mask; what is pending and no longer held back is sent, lowest vector first."""
        self.enabled = enabled
        self.function_mask = function_mask
        self._deliver_all()

    def set_sink(self, ready: bool) -> None:
        """Whether the shell takes messages; what waited for it leaves, then pending vectors, lowest first."""
        self.sink_ready = ready
        if ready and self.waiting is not None:
            waiting, self.waiting = self.waiting, None
            self._send(waiting)
        self._deliver_all()

    def adopt_waiting(self, vector: int) -> bool:
        """Of vectors raised at a time hardware shows this one first to a shell that is not ready; False: it cannot."""
        if self.waiting is None or not self.pending >> vector & 1 or self._held_back(vector):
            return False
        self.pending = self.pending & ~(1 << vector) | 1 << self.waiting.vector
        self.waiting = self._message(vector)
        return True

    def raise_vector(self, vector: int) -> None:
        """Send the vector's message, or set its pending bit while it is held back."""
        self.pending |= 1 << vector
        self._deliver(vector)

    def read(self, register: Register) -> int:
        """Value of a table or pending-bits register."""
        if register.offset >= MSIX_PBA:
            return self.pending >> 8 * (register.offset - MSIX_PBA) & WORD
        vector, word = divmod((register.offset - MSIX_TABLE) // 4, 4)
        return self._table[vector][word]

    def write(self, register: Register, value: int) -> None:
        """Write a table word; `value` is already masked to the writable bits."""
        vector, word = divmod((register.offset - MSIX_TABLE) // 4, 4)
        self._table[vector][word] = value
        if word == _CTRL:
            self._deliver(vector)

    def masked(self, vector: int) -> bool:
        """Whether the vector's own mask bit is set."""
        return bool(self._table[vector][_CTRL] & _MASKED)

    def _held_back(self, vector: int) -> bool:
        return not self.enabled or self.function_mask or self.masked(vector)

    def _message(self, vector: int) -> MsixMessage:
        entry = self._table[vector]
        return MsixMessage(vector, entry[_ADDR_HI] << 32 | entry[_ADDR_LO], entry[_DATA])

    def _deliver_all(self) -> None:
        for vector in range(MSIX_VECTORS):
            self._deliver(vector)

    def _deliver(self, vector: int) -> None:
        if not self.pending >> vector & 1 or self._held_back(vector) or self.waiting is not None:
            return
        self.pending &= ~(1 << vector)
        if self.sink_ready:
            self._send(self._message(vector))
        else:
            self.waiting = self._message(vector)
