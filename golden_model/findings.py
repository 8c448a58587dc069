"""Findings: what a kernel or a launch does wrong although it can be executed.

Each has a name, a place (core, warp, PC, lanes) and a sentence. A finding that repeats at the same PC is kept once and
counted, so that a loop cannot flood the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum

from golden_model.cta import Dim3


class FindingKind(Enum):
    """Stable names; the value is what the command line prints and what tests name."""

    DIVERGENT_BRANCH = "divergent-branch"  # active lanes disagree on a conditional branch
    DIVERGENT_JUMP = "divergent-jump"  # active lanes disagree on a JALR target
    WRONG_DISPATCH_CALL = "wrong-dispatch-call"  # a dispatch window calls something that is not the launched kernel
    MALFORMED_WINDOW = "malformed-window"  # a warp is reused, but its last TMC does not end a dispatch window
    FETCH_OUTSIDE_IMAGE = "fetch-outside-image"
    UNDEFINED_ADDRESS = "undefined-address"
    UNDEFINED_BRANCH = "undefined-branch"
    UNDEFINED_JUMP = "undefined-jump"
    UNDEFINED_PREDICATE = "undefined-predicate"  # SPLIT or PRED condition
    UNDEFINED_MASK = "undefined-mask"  # TMC mask or PRED restore mask
    UNDEFINED_BARRIER = "undefined-barrier"
    UNDEFINED_JOIN = "undefined-join"
    UNDEFINED_CSR = "undefined-csr"  # undefined value written to a CSR
    UNDEFINED_STORE = "undefined-store"  # undefined value stored to a buffer of the host
    IPDOM_OVERFLOW = "ipdom-overflow"
    IPDOM_MISMATCH = "ipdom-mismatch"  # JOIN operand is not the pointer of the innermost open SPLIT
    DIFFERENT_JOINS = "different-joins"  # the two sides of one SPLIT end at different JOINs
    IPDOM_NOT_EMPTY = "ipdom-not-empty"  # at the end of the warp
    BARRIER_COUNT = "barrier-count"  # zero participants, or participants disagree on their number
    ILLEGAL_INSTRUCTION = "illegal-instruction"
    MISALIGNED_ACCESS = "misaligned-access"
    FETCH_FAULT = "fetch-fault"  # fetch at 0 or outside memory
    BUS_FAULT = "bus-fault"  # load or store outside memory
    # Only with golden_model/diagnosis:
    RACE_LANE = "race-lane"  # lanes of one instruction store different values to one place
    RACE_WARP = "race-warp"  # warps of one block
    RACE_CTA = "race-cta"  # blocks on one core
    RACE_CORE = "race-core"  # blocks on different cores
    OUT_OF_BOUNDS = "out-of-bounds"  # outside of every buffer, image and stack, or of the block's local memory
    STALE_STACK_POINTER = "stale-stack-pointer"  # sp of a lane that skipped the prologue
    SELF_MODIFYING_CODE = "self-modifying-code"  # executes an instruction that a kernel has stored
    BARRIER_DEADLOCK = "barrier-deadlock"
    SPIN_LIVELOCK = "spin-livelock"

    @property
    def is_fault(self) -> bool:
        """Whether the warp was stopped: the finding repeats what `Step.fault` says."""
        return self in _FAULTS


_FAULTS = frozenset(
    {
        FindingKind.ILLEGAL_INSTRUCTION,
        FindingKind.MISALIGNED_ACCESS,
        FindingKind.FETCH_FAULT,
        FindingKind.BUS_FAULT,
    }
)


@dataclass(frozen=True, slots=True)
class Site:
    """The second place of a finding: what the first one collides with, or waits for."""

    what: str  # "store", "load", "first JOIN" …
    pc: int
    core: int | None = None
    warp: int | None = None
    lanes: int = 0  # 0 where lanes mean nothing
    block: Dim3 | None = None

    def __str__(self) -> str:
        parts = [self.what]
        if self.core is not None:
            parts.append(f"core {self.core} warp {self.warp}")
        if self.block is not None:
            parts.append(f"block {self.block}")
        parts.append(f"pc {self.pc:#010x}")
        if self.lanes:
            parts.append(f"lanes {self.lanes:#x}")
        return " ".join(parts)


@dataclass(slots=True)
class Finding:
    """One defect at one place, or between two places."""

    kind: FindingKind
    core: int
    warp: int
    pc: int
    lanes: int  # mask of the lanes concerned
    detail: str
    count: int = 1  # occurrences at this PC
    other: Site | None = None

    def __str__(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        return (
            f"{self.kind.value}: core {self.core} warp {self.warp} pc {self.pc:#010x} "
            f"lanes {self.lanes:#x}: {self.detail}{times}"
        )


class FindingLog:
    """Collects findings, one per kind and PC (or pair of PCs), in order of first occurrence.

    `wanted` may refuse findings: those are not recorded.
    """

    def __init__(self) -> None:
        self._by_place: dict[tuple[FindingKind, int, int | None], Finding] = {}
        self.wanted: Callable[[Finding], bool] | None = None

    def add(self, finding: Finding) -> None:
        """Record a finding, or count it if the same kind is known at the same place."""
        if self.wanted is not None and not self.wanted(finding):
            return
        place = (finding.kind, finding.pc, None if finding.other is None else finding.other.pc)
        known = self._by_place.setdefault(place, finding)
        if known is not finding:
            known.count += finding.count

    def clear(self) -> None:
        self._by_place.clear()

    def kinds(self) -> set[FindingKind]:
        return {finding.kind for finding in self}

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._by_place.values())

    def __len__(self) -> int:
        return len(self._by_place)

    def __bool__(self) -> bool:
        return bool(self._by_place)
