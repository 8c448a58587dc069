"""A launch in flight: what DISPATCH began and only advances when told (docs/reference/pcie_bar.md).

```
 DISPATCH ──▶ TABLE ──read_table──▶ RUNNING ──advance …──▶ RUNNING ──finish──▶ ENDED  KERNEL_DONE, or a fault
                │                      ├──expire──▶ ENDED  watchdog
                └─ bad table ─▶ ENDED  ├──adopt_fault──▶ ENDED  a fault that hardware reported
                                       └──abort──▶ ENDED  RESET
```
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Protocol

from golden_model.device.config import DeviceConfig
from golden_model.device.dispatch import LaunchRequest
from golden_model.device.execution import NO_FAULT, CoresState, Execution, FaultRecord
from golden_model.device.image_table import TableEntry, TableError, TableProblem, check_covered
from golden_model.device.remap import RemappedMemory
from golden_model.errors import StepError
from golden_model.machine import Machine
from golden_model.records.layout import FaultKind

MAX_ROUNDS = 1_000_000


class LaunchPhase(Enum):
    """Where a launch is."""

    TABLE = "the image table has not been read"
    RUNNING = "the cores have been started"
    ENDED = "BUSY has cleared"


class Outcome(Enum):
    """How a launch ended."""

    DONE = "done"
    BAD_TABLE = "bad table"
    FAULT = "fault"
    ABORTED = "aborted"


class LaunchOwner(Protocol):
    """What a launch needs of its device."""

    machine: Machine
    memory: RemappedMemory
    config: DeviceConfig

    def table_of_launch(self) -> list[TableEntry]:
        """Read the image table. Raises TableError."""
        ...

    def launch_accepted(self) -> None:
        """The table is good: LAUNCH_ID counts, the FAULT registers are clear."""
        ...

    def launch_ended(self, outcome: Outcome, fault: FaultRecord, problem: TableProblem | None) -> None:
        """BUSY clears, and with it everything that the outcome says becomes visible."""
        ...


class DeviceLaunch:
    """One launch, from an accepted DISPATCH until BUSY clears. BUSY is set for exactly as long as it has not ended."""

    def __init__(self, owner: LaunchOwner, request: LaunchRequest, seed: int | None = None) -> None:
        self.request = request
        self.phase = LaunchPhase.TABLE
        self.outcome: Outcome | None = None
        self.fault = NO_FAULT
        self.problem: TableProblem | None = None  # of the table, once it is known to the host
        self._owner = owner
        self._seed = seed
        self._execution: Execution | None = None
        self._table = self._judge_table()

    # ------------------------------------------------------------------ advancing

    def read_table(self) -> TableProblem | None:
        """The table has been read: the cores start, or a bad table ends the launch (raw mode has none, so it is good).

        What it says is what VRAM held at DISPATCH: other accesses to VRAM wait until it has been read. So only the time
        at which its verdict shows is a choice. Returns the problem of a bad table. Does nothing the second time.
        """
        if self.phase is not LaunchPhase.TABLE:
            return self.problem
        if isinstance(self._table, TableProblem):
            self.problem = self._table
            self._end(Outcome.BAD_TABLE)
        else:
            self._start(self._table)
        return self.problem

    def advance(self, rounds: int = MAX_ROUNDS) -> CoresState | None:
        """Let the cores run on by themselves for up to `rounds` rounds; BUSY stays set whatever they do.

        Returns what the cores are doing, None if the launch has ended.
        """
        self.read_table()
        return None if self._execution is None else self._execution.advance(rounds)

    def finish(self, rounds: int = MAX_ROUNDS) -> Outcome | None:
        """Let the cores run to their end; then caches are flushed, the release is written and BUSY clears.

        A kernel that faults, or runs longer than the watchdog allows, ends in that fault. None if the cores are still
        running after `rounds` rounds, or can never end: BUSY stays set.
        """
        state = self.advance(rounds)
        if self._execution is not None and state is not None:
            if state is CoresState.ENDED:
                self._end(Outcome.DONE)
            elif state is CoresState.FAULTED:
                self._end(Outcome.FAULT, self._execution.fault)
            elif state is CoresState.EXPIRED:
                self.expire()
        return self.outcome

    @property
    def rounds(self) -> int:
        """Rounds that the cores have run by themselves."""
        return 0 if self._execution is None else self._execution.rounds

    @property
    def running_fault(self) -> FaultRecord | None:
        """The fault that the cores met when they ran by themselves, before anybody adopts one."""
        return None if self._execution is None or self._execution.fault is NO_FAULT else self._execution.fault

    # ------------------------------------------------------------------ hardware's choices

    def complete(self) -> Outcome:
        """BUSY clears because hardware says that the launch ended well; the machine was stepped by a follower.

        Raises StepError if the model's cores are not at their end.
        """
        self._demand_running("end well")
        if self._owner.machine.busy:
            raise StepError("hardware says that the launch has ended, but the model's cores are still busy")
        self._end(Outcome.DONE)
        return Outcome.DONE

    def expire(self) -> None:
        """The watchdog has expired. Raises StepError if none was set."""
        self._demand_running("expire")
        if not self.request.max_cycles:
            raise StepError("the watchdog expires, but MAX_CYCLES was 0 at DISPATCH")
        self._end(Outcome.FAULT, FaultRecord(FaultKind.WATCHDOG))

    def adopt_fault(self, fault: FaultRecord) -> None:
        """Hardware ended the launch with this fault; whether the kernel deserved it is the caller's to check."""
        self._demand_running("fault")
        if fault.kind in (FaultKind.NONE, FaultKind.WATCHDOG):
            raise StepError(f"a core reports fault kind {fault.kind.name}, which no core may report")
        self._end(Outcome.FAULT, fault)

    def abort(self) -> None:
        """RESET in mid-launch: no trace of the launch is left in the registers."""
        if self.phase is not LaunchPhase.ENDED:
            self._end(Outcome.ABORTED)

    # ------------------------------------------------------------------ inside

    def _judge_table(self) -> list[TableEntry] | TableProblem:
        request = self.request
        if not request.vortex_mode:
            return [TableEntry(0, 0, self._owner.memory.vram.size)]
        try:
            entries = self._owner.table_of_launch()
            check_covered(entries, request.kernel, request.startup, request.args)
        except TableError as error:
            return error.problem
        return entries

    def _start(self, entries: Sequence[TableEntry]) -> None:
        owner, machine = self._owner, self._owner.machine
        owner.memory.map(entries)
        machine.findings.clear()
        machine.code.images.clear()
        for entry in entries:
            machine.code.images.add(entry.vma, entry.size)
        for addr, value in self.request.dcr_writes(machine.config):
            machine.dcr_write(addr, value)
        machine.start()
        self._execution = Execution(
            machine, owner.memory, self.request.max_cycles, self._seed, owner.config.core_faults
        )
        self.phase = LaunchPhase.RUNNING
        owner.launch_accepted()

    def _end(self, outcome: Outcome, fault: FaultRecord = NO_FAULT) -> None:
        if outcome in (Outcome.FAULT, Outcome.ABORTED):
            self._owner.machine.reset()  # the cores are reset; memory stays as it is
        self.phase = LaunchPhase.ENDED
        self.outcome = outcome
        self.fault = fault
        self._owner.launch_ended(outcome, fault, self.problem)

    def _demand_running(self, what: str) -> None:
        if self.phase is not LaunchPhase.RUNNING:
            raise StepError(f"a launch cannot {what} now: {self.phase.value}")
