"""Where records leave the ring and reach monitors and scoreboard: one analysis port, batches of whole cycles."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pyuvm import uvm_analysis_port, uvm_component

from golden_model.records.ring import Batch


class RecordHub(uvm_component):
    """Publishes every drained batch; subscribers get the same arrays and must not change them."""

    batches: Any

    def build_phase(self) -> None:
        self.batches = uvm_analysis_port("batches", self)
        self._observers: list[Callable[[Batch], None]] = []

    def watch(self, observer: Callable[[Batch], None]) -> None:
        """Hand every batch to a function too, before the subscribers see it."""
        self._observers.append(observer)

    def publish(self, batch: Batch) -> None:
        """Called by the harness after each drain."""
        for observer in self._observers:
            observer(batch)
        self.batches.write(batch)
