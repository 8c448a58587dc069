"""Counts what a launch exercised, from records alone; it judges nothing (the host program's minimum does)."""

from __future__ import annotations

import numpy as np

from golden_model.follow.difference import Difference
from golden_model.records.layout import CommitFlag, IpdomOp, Kind, MemoryOp, MemorySpace
from golden_model.records.ring import Batch, Records
from hw.tb.checker import CheckCounts, LaunchEnd
from sw.runtime import messages as m
from sw.runtime.exercise import Exercise

_PRED = 0x500B  # opcode, funct3 and funct7 of PRED and PRED.N
_PRED_FIELDS = 0xFE00707F


class ExerciseCounter:
    """`Checker` that never objects. Memory records of one instruction come together, so their first one counts."""

    name = "exercise"

    def __init__(self) -> None:
        self.exercised = Exercise()

    def host(self, message: m.Message) -> None:
        pass

    def reset(self) -> None:
        pass

    def begin_launch(self, launch: m.Launch) -> Difference | None:
        self.exercised = Exercise()
        return None

    def records(self, batch: Batch) -> Difference | None:
        commit, memory = batch[Kind.COMMIT], batch[Kind.MEMORY]
        pred = commit[(commit["instr"] & _PRED_FIELDS == _PRED) & (commit["flags"] & CommitFlag.CONTROL != 0)]
        local = memory[(memory["space"] == MemorySpace.LMEM) & (memory["op"] != MemoryOp.FENCE)]
        self.exercised += Exercise(
            splits=int(np.count_nonzero(batch[Kind.IPDOM]["op"] == IpdomOp.PUSH)),
            pred_exits=int(np.count_nonzero(pred["next_mask"] != pred["tmask"])),
            barriers=len(batch[Kind.BARRIER]),
            lmem=_instructions(local),
            atomics=_instructions(memory[memory["op"] == MemoryOp.ATOMIC]),
        )
        return None

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        return []

    def counts(self) -> CheckCounts:
        return CheckCounts(exercised=self.exercised)

    def standing(self) -> list[str]:
        return []


def _instructions(memory: Records) -> int:
    """Different instructions among memory records: one may have several records."""
    if len(memory) == 0:
        return 0
    names = memory["core"].astype(np.uint64) << np.uint64(56) | memory["warp"].astype(np.uint64) << np.uint64(48)
    return len(np.unique(names | memory["uid"]))
