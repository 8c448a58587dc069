"""What a failed run says, as typed data: `failure.json` is this, `failure.html` and the terminal show it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from golden_model.follow.difference import Difference, Transaction
from golden_model.hang.report import HangReport

REPORT_VERSION = 1


class Cause(StrEnum):
    """Where to look first."""

    KERNEL_RACE = "kernel race"
    KERNEL_DIVERGENCE = "kernel divergence"
    KERNEL = "kernel"  # another fault of the kernel, such as an undefined address or a deadlock
    RTL_RESULT = "RTL result"
    RTL_CONTROL = "RTL control"
    MEMORY_PROTOCOL = "memory protocol"
    HOST = "host"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Probable:
    """A class, and the observations that speak for it."""

    cause: Cause
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True)
class Committed:
    """One instruction that the design committed; `result` and `access` are empty where there is none."""

    core: int
    warp: int
    uid: int
    cycle: int
    pc: int
    tmask: int
    disassembly: str
    symbol: str = ""
    source: str = ""
    result: str = ""
    access: str = ""


@dataclass(frozen=True)
class Producer:
    """Who wrote a loaded address last, and what that warp did before."""

    address: int
    lane: int
    store: Committed
    history: tuple[Committed, ...]


@dataclass(frozen=True)
class IpdomLevel:
    """An open SPLIT of the design, the outermost first."""

    mask: int
    pc: int
    symbol: str = ""


@dataclass(frozen=True)
class BarrierState:
    """A barrier at which somebody has arrived or waits; warps as (core, warp)."""

    name: str
    phase: int
    arrivals: int
    participants: int
    waiting: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class SlotState:
    """A CTA that holds a slot."""

    core: int
    slot: int
    block: tuple[int, int, int]
    num_warps: int
    warps: tuple[int, ...]
    since: int


@dataclass(frozen=True)
class Context:
    """What the design's records show around the failure, up to its cycle; empty where they are gone.

    `commits` are the design's last instructions of the warp; `missing` says why nothing is there.
    """

    commits: tuple[Committed, ...] = ()
    producers: tuple[Producer, ...] = ()
    transactions: tuple[Transaction, ...] = ()
    ipdom: tuple[IpdomLevel, ...] = ()
    barriers: tuple[BarrierState, ...] = ()
    slots: tuple[SlotState, ...] = ()
    missing: str = ""


@dataclass(frozen=True)
class FailureReport:
    """The first failure of a run.

    Attributes:
        hardware: the configuration that both models were built with; `knobs` that of the run.
        reproduce: command that repeats the run.
        screen: what the terminal shows.
        also: later failures, one sentence each.
    """

    test: str
    backend: str
    kernel: str
    check: str
    category: str
    message: str
    probable: Probable
    screen: str
    hardware: dict[str, str]
    knobs: dict[str, str]
    reproduce: str
    difference: Difference | None = None
    context: Context = field(default_factory=Context)
    hang: HangReport | None = None
    also: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    version: int = REPORT_VERSION
