"""`sw.runtime.bar.BarTransport` on an agent: host programs in a thread of their own, every access an item."""

from __future__ import annotations

from typing import TypeVar

from cocotb.task import resume

from golden_model.device import register
from hw.tb.agents.bar.agent import BarAgent
from hw.tb.agents.bar.items import (
    BarItem,
    DoorbellItem,
    RegisterReadItem,
    RegisterWriteItem,
    RunItem,
    VramReadItem,
    VramWriteItem,
)
from hw.tb.agents.bar.sequences.base import BUSY, BarSequence
from sw.runtime.bar import BarError

_STATUS = register("GLOBAL_STATUS").offset
_PAUSE = 200  # cycles between two polls of a launch; a host across a link cannot ask every cycle either
ItemT = TypeVar("ItemT", bound=BarItem)


class BlockingTransport:
    """For a function that runs under `cocotb.task.bridge`.

    Raises:
        BarError: the device does not answer.
    """

    def __init__(self, agent: BarAgent) -> None:
        self._agent = agent
        self._busy = False  # GLOBAL_STATUS was BUSY when it was last read

    def bar0_read(self, offset: int) -> int:
        if offset == _STATUS and self._busy:
            self._do(RunItem(_PAUSE))
        value = self._do(RegisterReadItem(offset)).value
        if offset == _STATUS:
            self._busy = bool(value & BUSY)
        return value

    def bar0_write(self, offset: int, value: int) -> None:
        self._do(RegisterWriteItem(offset, value))

    def bar2_read(self, offset: int, size: int) -> bytes:
        return self._do(VramReadItem(offset, size)).data if size else b""

    def bar2_write(self, offset: int, data: bytes) -> None:
        if data:
            self._do(VramWriteItem(offset, data))

    def bar4_write(self, offset: int, value: int) -> None:
        self._do(RegisterWriteItem(offset, value, bar=4))

    def doorbell(self, token: int) -> None:
        """Ring with a token of 32 bits."""
        self._do(DoorbellItem(token))

    def take_interrupts(self) -> list[int]:
        """Data of the messages, which a host of this kind sets to the vector."""
        return [message.data for message in self._agent.driver.transport.take_messages()]

    def pass_time(self) -> None:
        """Wait for a while; messages stay for `take_interrupts`."""
        self._do(RunItem(64))

    def _do(self, item: ItemT) -> ItemT:
        async def do() -> None:
            await BarSequence(self._agent, [item]).start(self._agent.sequencer)

        resume(do)()
        if item.error:
            raise BarError(item.error)
        return item
