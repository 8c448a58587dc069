"""Messages that have arrived at the host and nobody has taken yet."""

from __future__ import annotations

from collections import deque

from cocotb.triggers import Event, SimTimeoutError, with_timeout

from hw.tb.agents.bar.axi_port import PERIOD_NS
from hw.tb.agents.bar.transport import Message


class Inbox:
    """First in, first out; a reader may wait."""

    def __init__(self) -> None:
        self._messages: deque[Message] = deque()
        self._arrived = Event()

    def put(self, message: Message) -> None:
        """A message arrives."""
        self._messages.append(message)
        self._arrived.set()

    async def next(self, cycles: int) -> Message | None:
        """The oldest; None if none arrives within `cycles` cycles."""
        if not self._messages:
            self._arrived.clear()
            try:
                await with_timeout(self._arrived.wait(), cycles * PERIOD_NS, "ns")
            except SimTimeoutError:
                return None
        return self._messages.popleft()

    def take(self) -> list[Message]:
        """All of them."""
        taken = list(self._messages)
        self._messages.clear()
        return taken
