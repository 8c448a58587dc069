"""A sequence of given items."""

from __future__ import annotations

from collections.abc import Sequence

from pyuvm import uvm_sequence

from hw.tb.agents.kmu.items import KmuItem


class ItemsSequence(uvm_sequence):
    """Sends items in order; their results are in the items afterwards."""

    def __init__(self, items: Sequence[KmuItem], name: str = "items") -> None:
        super().__init__(name)
        self.items = list(items)

    async def body(self) -> None:
        for item in self.items:
            await self.start_item(item)
            await self.finish_item(item)
