"""Turns KMU items into mailbox commands. The clock runs only while a command is pending, so nothing is lost between."""

from __future__ import annotations

from collections.abc import Callable

from pyuvm import uvm_driver

from golden_model.records.ring import Batch
from hw.tb.agents.kmu.items import DcrReadItem, DcrWriteItem, KmuItem, LaunchItem, ResetItem, RunItem
from hw.tb.top.abi import Op
from hw.tb.top.harness import Harness, HarnessError, Step, dcr_read, dcr_write

RISE_BOUND = 256  # cycles after `start` within which busy must be seen; an empty grid waits that long
QUIET_CYCLES = 8  # cycles without busy, request or outstanding write until the core counts as quiescent
FLUSH_BOUND = 1_000_000
MAX_CYCLES = 20_000_000  # of a launch that sets no bound of its own


class KmuDriver(uvm_driver):
    """Drives reset, DCR bus and start.

    Attributes:
        harness, publish: set by the agent; `publish` gets every batch of records.
        failure: the error that stopped the design. An item that meets it, and every later one, is completed at once
            with `failure` unchanged; only a reset clears it.
        max_cycles: bound on every launch that sets none, so that an endless kernel ends as a failure.
    """

    max_cycles: int = MAX_CYCLES
    harness: Harness
    publish: Callable[[Batch], None]
    failure: HarnessError | None = None

    async def run_phase(self) -> None:
        while True:
            item = await self.seq_item_port.get_next_item()
            if isinstance(item, ResetItem):
                self.failure = None
            if self.failure is None:
                try:
                    await self._drive(item)
                except HarnessError as error:
                    self.failure = error
            self.seq_item_port.item_done()

    async def _drive(self, item: KmuItem) -> None:
        match item:
            case ResetItem():
                self.harness.abort()
                await self.harness.reset(self.publish)
            case DcrWriteItem():
                await self._execute([dcr_write(address, value) for address, value in item.writes])
            case DcrReadItem():
                reads = [dcr_read(address, tag, FLUSH_BOUND) for address, tag in item.reads]
                item.values = await self._execute(reads)
            case LaunchItem():
                await self._launch(item)
            case RunItem():
                await self._execute([Step(Op.RUN, item.cycles)])

    async def _launch(self, item: LaunchItem) -> None:
        status = self.harness.status
        steps = [Step(Op.START, item.launch_id), Step(Op.WAIT_RISE, RISE_BOUND)]
        steps.append(Step(Op.WAIT_QUIESCENT, QUIET_CYCLES, item.max_cycles or self.max_cycles))
        results = await self._execute(steps)
        item.rose = bool(results[0])
        if item.rose:
            item.cycles = int(status.quiescent_cycle) - int(status.start_cycle) - QUIET_CYCLES + 1

    async def _execute(self, steps: list[Step]) -> list[int]:
        return await self.harness.execute(steps, self.publish) if steps else []
