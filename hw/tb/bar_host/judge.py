"""Everything that judges a run through the BARs, as one `Checker`.

```
 records ─┬─ core ports ──▶ AxiChecker (rules) ── starts over when the device resets the cores
          ├─ device ports ▶ AxiChecker (rules, data of every access of cores, BAR2, DMA, release)
          ├─ cores, device ▶ DeviceScoreboard (lockstep; not in free mode)
          └─ busy, DCR bus ▶ BusyChecker
```
"""

from __future__ import annotations

from config import RunConfig
from golden_model.follow.difference import Difference
from golden_model.records.layout import Kind, RunEvent
from golden_model.records.ring import Batch
from hw.tb.checker import CheckCounts, LaunchEnd
from hw.tb.checkers import AxiChecker, BusyChecker, ExerciseCounter
from hw.tb.scoreboard.device import DeviceScoreboard
from hw.tb.top.harness import Harness
from sw.runtime import messages as m


class BarJudge:
    """`Checker` of the BAR path; `device` is None in free mode."""

    name = "bar"

    def __init__(self, config: RunConfig, harness: Harness, *, lockstep: bool, in_tree: bool = True) -> None:
        hardware = config.hardware
        self._core = AxiChecker(hardware, strict=in_tree, data=False)
        self._memory = AxiChecker(hardware, strict=False, kind=Kind.DEVICE_AXI)
        self._busy = BusyChecker(strict=in_tree)
        self._exercise = ExerciseCounter()
        self.device: DeviceScoreboard | None = None
        if lockstep:
            self.device = DeviceScoreboard(config, harness.memory, harness.vram, harness.port_faults, harness.host_read)

    def host(self, message: m.Message) -> None:
        """Host messages become accesses, which the scoreboard sees; images are declared to it."""
        if self.device is None:
            return
        match message:
            case m.LoadImage():
                self.device.image(message)
            case m.ForgetImage(min_vma):
                self.device.forget_image(min_vma)
            case _:
                pass

    def wrote(self, address: int, data: bytes) -> None:
        """The host changed device memory past every port; `address` as on the device's memory ports."""
        self._memory.wrote(address, data)

    def reset(self) -> None:
        for checker in (self._core, self._memory, self._busy):
            checker.reset()

    def begin_launch(self, launch: m.Launch) -> Difference | None:
        for checker in (self._core, self._memory, self._busy, self._exercise):
            checker.begin_launch(launch)
        if self.device is not None:
            self.device.begin_launch(launch.launch_id)
        return None

    def records(self, batch: Batch) -> Difference | None:
        self._exercise.records(batch)
        return (
            self._core_ports(batch)
            or self._memory.records(batch)
            or (self.device.records(batch) if self.device is not None else None)
            or self._busy.records(batch)
        )

    def _core_ports(self, batch: Batch) -> Difference | None:
        """A reset of the cores takes what is outstanding with it."""
        run, axi = batch[Kind.RUN], batch[Kind.AXI]
        resets = run["cycle"][(run["event"] == RunEvent.RESET) & (run["addr"] == 1)]
        begin = 0
        for cycle in resets.tolist():
            end = int(axi["cycle"].searchsorted(cycle, "right"))
            found = self._core.records({Kind.AXI: axi[begin:end]})
            if found is not None:
                return found
            self._core.reset()
            begin = end
        return self._core.records({Kind.AXI: axi[begin:]})

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        """A launch ended well and nothing else is in flight."""
        return [*self._core.end_launch(end), *self._memory.end_launch(end), *self._busy.end_launch(end)]

    def counts(self) -> CheckCounts:
        counts = self.device.counts() if self.device is not None else CheckCounts()
        transactions = self._core.figures.writes + self._core.figures.reads + self._memory.figures.transactions
        exercised = self._exercise.exercised if self.device is not None else None
        return CheckCounts(counts.compared, counts.adopted, transactions, exercised)

    def standing(self) -> list[str]:
        lines = [*self._core.standing(), *self._memory.standing()]
        return lines + (self.device.standing() if self.device is not None else [])
