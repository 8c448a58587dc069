"""Findings: what a kernel or a launch does wrong although it can be executed.

Each has a name, a place (core, warp, PC, lanes) and a sentence. A finding that repeats at the same PC is kept once and
counted, so that a loop cannot flood the report.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum


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
    IPDOM_NOT_EMPTY = "ipdom-not-empty"  # at the end of the warp
    BARRIER_COUNT = "barrier-count"  # zero participants, or participants disagree on their number
    ILLEGAL_INSTRUCTION = "illegal-instruction"
    MISALIGNED_ACCESS = "misaligned-access"
    FETCH_FAULT = "fetch-fault"  # fetch at 0 or outside memory
    BUS_FAULT = "bus-fault"  # load or store outside memory

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


@dataclass(slots=True)
class Finding:
    """One defect at one place."""

    kind: FindingKind
    core: int
    warp: int
    pc: int
    lanes: int  # mask of the lanes concerned
    detail: str
    count: int = 1  # occurrences at this PC

    def __str__(self) -> str:
        times = f" ({self.count} times)" if self.count > 1 else ""
        return (
            f"{self.kind.value}: core {self.core} warp {self.warp} pc {self.pc:#010x} "
            f"lanes {self.lanes:#x}: {self.detail}{times}"
        )


class FindingLog:
    """Collects findings, one per kind and PC, in order of first occurrence."""

    def __init__(self) -> None:
        self._by_place: dict[tuple[FindingKind, int], Finding] = {}

    def add(self, finding: Finding) -> None:
        """Record a finding, or count it if the same kind is known at the same PC."""
        known = self._by_place.setdefault((finding.kind, finding.pc), finding)
        if known is not finding:
            known.count += 1

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
