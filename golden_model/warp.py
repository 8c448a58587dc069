"""A warp: lanes sharing one PC, one thread mask, one IPDOM stack and one set of per-warp CSRs."""

from __future__ import annotations

from golden_model.records.layout import RegisterFile
from golden_model.step import Adoption, Step


class Warp:
    """Skeleton of the interface (implementation follows).

    Attributes: wid, core, pc, tmask (0 = inactive), blocked (suspended at a barrier), slot, rank, uid (next number).
    """

    wid: int
    pc: int
    tmask: int
    blocked: bool
    slot: int
    rank: int
    uid: int

    @property
    def active(self) -> bool:
        return self.tmask != 0

    def step(self, adopted: Adoption | None = None) -> Step:
        """Execute the next instruction. Raises StepError if the warp is inactive or blocked."""
        raise NotImplementedError

    def adopt(self, file: RegisterFile, register: int, lane: int, value: int) -> None:
        """Replace an undefined register value by the hardware's; the value stays undefined."""
        raise NotImplementedError

    def adopt_store(self, step: Step, lane: int, value: int) -> None:
        """Replace the undefined data that `step` stored in `lane` by the hardware's; memory stays undefined there."""
        raise NotImplementedError
