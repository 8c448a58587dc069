"""Lockstep: the golden model gets every host message, follows the records of every launch, and compares memory."""

from __future__ import annotations

from collections.abc import Collection

from config import RunConfig
from golden_model import FindingKind, LaunchError
from golden_model.follow.adopted import Coverage
from golden_model.follow.difference import Category, Difference
from golden_model.follow.follower import Follower
from golden_model.memory import PAGE_SIZE
from golden_model.records.layout import AxiChannel, Kind
from golden_model.records.ring import Batch
from golden_model.standing import standing
from hw.tb.checker import CheckCounts, LaunchEnd
from hw.tb.checkers.axi_replay import BLOCK
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
        self._failed_writes: set[int] = set()  # blocks

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
        axi = batch[Kind.AXI]
        failed = axi["addr"][(axi["channel"] == AxiChannel.B) & (axi["resp"] != 0)]
        self._failed_writes.update((failed // BLOCK).tolist())
        return self._follower.feed(batch)

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        difference = self._follower.end_launch(end.minstret)
        self.total += self._follower.launch_coverage
        if difference is not None:
            return [difference]
        self._adopt_failed_writes(end)
        found = compare_memory(self.machine.memory, end.memory)
        self.memory_bytes += found.compared
        if not found.differing:
            return []
        if self._follower.faults:
            # What a stopped warp had issued behind its fault may have reached memory: the device is right.
            for page in found.pages:
                self._take_over(page, PAGE_SIZE, end)
            return []
        wrong = memory_difference(self.machine.memory, end.memory, found, self._golden.regions, self._launch)
        wrong.notes.append(_BEHIND_THE_LSU)
        return [wrong]

    def _adopt_failed_writes(self, end: LaunchEnd) -> None:
        """A write that memory refused stored nothing; the fault port reports it, and the device's bytes hold."""
        for block in self._failed_writes:
            self._take_over(block * BLOCK, BLOCK, end)
        self._failed_writes.clear()

    def _take_over(self, address: int, size: int, end: LaunchEnd) -> None:
        """Use the device's bytes of a range; what is undefined stays undefined."""
        memory = self.machine.memory
        undefined = memory.undefined(address, size)
        memory.write(address, end.memory[address : address + size].tobytes())
        for offset, flag in enumerate(undefined):
            if flag:
                memory.define(address + offset, 1, defined=False)

    def counts(self) -> CheckCounts:
        coverage = self._follower.launch_coverage
        return CheckCounts(compared=coverage.instructions, adopted=coverage.adopted_by_name())

    def standing(self) -> list[str]:
        self._follower.synchronise()
        return standing(self.machine)
