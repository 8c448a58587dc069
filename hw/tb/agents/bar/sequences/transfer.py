"""DMA."""

from __future__ import annotations

from hw.tb.agents.bar.agent import BarAgent
from hw.tb.agents.bar.sequences.base import DMA_BUSY, BarSequence

START, TO_HOST, IRQ = 1, 2, 4


class Dma(BarSequence):
    """One transfer; `status` is DMA_STATUS at its end, unless `wait` is off.

    Args:
        host, vram: addresses in bytes; `size` bytes.
        to_host: direction.
        irq: whether completion sets DMA_DONE.
    """

    def __init__(
        self, agent: BarAgent, host: int, vram: int, size: int, to_host: bool, irq: bool = False, wait: bool = True
    ) -> None:
        super().__init__(agent, name="dma")
        self._host, self._vram, self._size, self._to_host = host, vram, size, to_host
        self._irq, self._wait = irq, wait
        self.status = 0

    async def body(self) -> None:
        source, target = (self._vram, self._host) if self._to_host else (self._host, self._vram)
        await self.write_wide("DMA_SRC", source)
        await self.write_wide("DMA_DST", target)
        await self.write("DMA_SIZE", self._size)
        await self.write("DMA_CTRL", START | (TO_HOST if self._to_host else 0) | (IRQ if self._irq else 0))
        if self._wait:
            self.status = await self.until_idle("DMA_STATUS", DMA_BUSY)
