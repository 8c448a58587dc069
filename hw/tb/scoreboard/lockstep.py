"""Lockstep: the golden model gets every host message, follows the records of every launch, and compares memory."""

from __future__ import annotations

from collections.abc import Collection

from config import RunConfig
from golden_model import FindingKind, LaunchError
from golden_model.follow.adopted import Coverage
from golden_model.follow.difference import Category, Difference
from golden_model.follow.follower import Follower
from golden_model.records.ring import Batch
from hw.tb.checker import CheckCounts, LaunchEnd
from hw.tb.scoreboard.host_side import GoldenHost
from hw.tb.scoreboard.memory_compare import compare_memory, memory_difference
from sw.runtime import messages as m

_BEHIND_THE_LSU = (
    "every store of the launch was compared when the LSU accepted it, so a byte was lost or changed behind the LSU: "
    "in a cache, on the bus or in the memory, or written after the core reported its end"
)


class LockstepScoreboard:
    """`Checker` that compares the design with the golden model, instruction by instruction.

    Attributes:
        machine: the golden model.
        total: coverage of all launches.
        memory_bytes: bytes of final memory compared, all launches.
    """

    name = "lockstep"

    def __init__(self, config: RunConfig, allowed_findings: Collection[FindingKind] = ()) -> None:
        self._golden = GoldenHost(config)
        self._allowed = allowed_findings
        self.machine = self._golden.machine
        self.total = Coverage()
        self.memory_bytes = 0
        self._follower = self._new_follower()
        self._launch = 0

    def _new_follower(self) -> Follower:
        return Follower(self.machine, self._golden.symbolize, self._allowed)

    def host(self, message: m.Message) -> None:
        self._golden.host(message)

    def reset(self) -> None:
        self.machine.reset()
        self._follower = self._new_follower()

    def begin_launch(self, launch: m.Launch) -> Difference | None:
        self._launch = launch.launch_id
        try:
            self._golden.program(launch)
            self._follower.begin_launch(launch.launch_id)
        except LaunchError as error:
            return Difference(
                "launch", Category.HOST, f"the golden model refuses this launch: {error}", launch.launch_id
            )
        return None

    def records(self, batch: Batch) -> Difference | None:
        return self._follower.feed(batch)

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        difference = self._follower.end_launch(end.minstret)
        self.total += self._follower.launch_coverage
        if difference is not None:
            return [difference]
        found = compare_memory(self.machine.memory, end.memory)
        self.memory_bytes += found.compared
        if not found.differing:
            return []
        if self._follower.faults:
            # What a stopped warp had issued behind its fault may have reached memory: the device is right.
            self._take_over(found.pages, end)
            return []
        wrong = memory_difference(self.machine.memory, end.memory, found, self._golden.regions, self._launch)
        wrong.notes.append(_BEHIND_THE_LSU)
        return [wrong]

    def _take_over(self, pages: list[int], end: LaunchEnd) -> None:
        """Use the device's bytes where both differ."""
        memory = self.machine.memory
        for page in pages:
            undefined = memory.undefined(page, 4096)
            memory.write(page, end.memory[page : page + 4096].tobytes())
            for offset, flag in enumerate(undefined):
                if flag:
                    memory.define(page + offset, 1, defined=False)

    def counts(self) -> CheckCounts:
        coverage = self._follower.launch_coverage
        return CheckCounts(compared=coverage.instructions, adopted=coverage.adopted_by_name())
