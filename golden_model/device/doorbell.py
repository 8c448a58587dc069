"""The doorbell queue between BAR4 and BAR0 (docs/reference/pcie_bar.md, 0x0600)."""

from __future__ import annotations

from collections import deque

from golden_model.device.registers import WORD

DOORBELL_OFFSET = 0x90  # in BAR4
QUEUE_DEPTH = 64
EMPTY = WORD
_OVERFLOW = 1 << 31


class DoorbellQueue:
    """At most 64 tokens, oldest first; a token that finds the queue full is lost and leaves a flag."""

    def __init__(self) -> None:
        self.tokens: deque[int] = deque()
        self.overflow = False

    def reset(self) -> None:
        """Tokens are queued work: RESET drops them."""
        self.tokens.clear()
        self.overflow = False

    def ring(self, token: int) -> bool:
        """Enter a token; False if it was lost."""
        if len(self.tokens) == QUEUE_DEPTH:
            self.overflow = True
            return False
        self.tokens.append(token)
        return True

    def pop(self) -> int:
        """Take the oldest token, all ones if there is none."""
        return self.tokens.popleft() if self.tokens else EMPTY

    @property
    def status(self) -> int:
        """DB_STATUS."""
        return len(self.tokens) | (_OVERFLOW if self.overflow else 0)

    def clear(self, mask: int) -> None:
        """Write DB_STATUS: bit 31 clears the overflow flag."""
        if mask & _OVERFLOW:
            self.overflow = False
