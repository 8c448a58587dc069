"""Registers × kinds of access × states × errors, counted from what the monitor saw."""

from __future__ import annotations

from pyuvm import uvm_component, uvm_subscriber

from golden_model.device.sequences.coverage import Coverage
from hw.tb.agents.bar.monitor import BarAccess


class BarCoverage(uvm_subscriber):
    """Subscriber of `BarMonitor.accesses`; `table` may be merged into that of other runs.

    Args:
        vram_size: bytes of VRAM, which decide whether there is anything past its end.
    """

    def __init__(self, name: str, parent: uvm_component, vram_size: int = 0) -> None:
        super().__init__(name, parent)
        self.table = Coverage(vram_size)

    def write(self, access: BarAccess) -> None:
        self.table.sample(access.action, access.state)

    def final_phase(self) -> None:
        print(self.table.report(most=0), flush=True)
