"""Free mode: judges a design whose instructions cannot be seen, from its memory, MINSTRET and its bus.

The golden model runs each launch alone; then the buffers of the host are compared, and the number of instructions.
"""

from __future__ import annotations

import logging

from config import RunConfig
from golden_model import LaunchError
from golden_model.errors import HangError, LimitError
from golden_model.follow.difference import Category, Difference
from golden_model.records.ring import Batch
from hw.tb.checker import CheckCounts, LaunchEnd
from hw.tb.scoreboard.alone import AloneRun, run_alone
from hw.tb.scoreboard.host_side import GoldenHost
from hw.tb.scoreboard.memory_compare import compare_ranges, memory_difference
from sw.runtime import messages as m

BLIND_SPOTS = (
    "free mode sees results only: it misses an instruction that is executed twice or wrongly without changing a "
    "buffer (a stale return address, a constructor that runs again), wrong masks and barriers whose effect is "
    "overwritten, and everything outside the host's buffers"
)
_log = logging.getLogger("vx.free")


class FreeScoreboard:
    """`Checker` for designs without commit records.

    Attributes:
        buffer_bytes: bytes of host buffers compared in the last launch.
    """

    name = "free"

    def __init__(self, config: RunConfig) -> None:
        self._config = config
        self._golden = GoldenHost(config)
        self._minstret = 0
        self._launch = 0
        self.buffer_bytes = 0
        _log.info("%s", BLIND_SPOTS)

    def host(self, message: m.Message) -> None:
        self._golden.host(message)

    def reset(self) -> None:
        self._golden.machine.reset()
        self._minstret = 0

    def begin_launch(self, launch: m.Launch) -> Difference | None:
        self._launch = launch.launch_id
        self.buffer_bytes = 0
        try:
            self._golden.program(launch)
            self._golden.machine.start()
        except LaunchError as error:
            return self._found("launch", Category.HOST, f"the golden model refuses this launch: {error}")
        return None

    def records(self, batch: Batch) -> Difference | None:
        return None

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        machine = self._golden.machine
        known = len(machine.findings)
        try:
            run = run_alone(machine)
        except (HangError, LimitError) as error:
            return [self._found("golden run", Category.KERNEL, f"the kernel does not end on the golden model: {error}")]
        for finding in list(machine.findings)[known:]:
            if not finding.kind.is_fault:
                difference = self._found(f"finding {finding.kind.value}", Category.KERNEL, finding.detail)
                difference.core, difference.warp, difference.pc = finding.core, finding.warp, finding.pc
                return [difference]
        if run.faults:
            return []  # the design's fault ports are reported; how far other warps came is not comparable
        found = self._check_minstret(run, end)
        ranges = self._golden.buffers()
        comparison = compare_ranges(machine.memory, end.memory, ranges)
        self.buffer_bytes = comparison.compared
        if comparison.differing:
            regions = self._golden.regions
            found.append(memory_difference(machine.memory, end.memory, comparison, regions, self._launch))
        if not comparison.compared:
            message = "the host declared no buffer, so there is nothing that free mode could compare"
            found.append(self._found("nothing compared", Category.COUNT, message))
        return found

    def _check_minstret(self, run: AloneRun, end: LaunchEnd) -> list[Difference]:
        """Which warps ran the entry code is hardware's choice; apart from that the number of instructions is fixed."""
        counted = sum(end.minstret.values())
        executed, self._minstret = counted - self._minstret, counted
        if not end.minstret:
            return []
        bodies = run.instructions - run.first_uses * (run.prologue or 0)
        hardware = self._config.hardware
        most = hardware.total_cores * hardware.num_warps if run.prologue else 0
        possible = {bodies + uses * (run.prologue or 0) for uses in range(min(1, most), most + 1)}
        if executed in possible:
            return []
        message = (
            "the design counted a number of instructions that no choice of warps explains"
            if run.prologue
            else "the design counted another number of instructions than the golden model"
        )
        difference = self._found("minstret", Category.COUNT, message)
        difference.expected, difference.actual = f"{run.instructions} (or other entry code runs)", str(executed)
        return [difference]

    def counts(self) -> CheckCounts:
        return CheckCounts()

    def standing(self) -> list[str]:
        return []  # the golden model runs a launch only when it has ended

    def _found(self, check: str, category: Category, message: str) -> Difference:
        return Difference(check, category, message, self._launch, notes=[BLIND_SPOTS])
