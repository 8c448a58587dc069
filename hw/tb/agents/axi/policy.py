"""Memory policies: what the responder does within the freedom of AXI4, each axis named and seeded.

`MemoryPolicy` is the only definition; the responder's C++ structure is generated from `CPolicy`. The same seed and the
same sequence of requests give the same responses on every machine.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from enum import IntEnum

from config import MemoryPolicyName
from hw.tb.build import c_structs

MAX_WINDOWS = 8


class WriteEffect(IntEnum):
    """When a write is visible to reads. Never later than its B: AXI4 promises that to the master."""

    HANDSHAKE = 0  # `write_effect_delay` cycles after both address and data were accepted
    RESPONSE = 1  # when B is sent


class ReadSample(IntEnum):
    """When a read looks at memory."""

    ADDRESS = 0  # in the cycle after its AR handshake
    RESPONSE = 1  # when R is presented
    EITHER = 2  # drawn for each read


class Reorder(IntEnum):
    """Order of responses of different ids; responses of one id always keep their order."""

    NONE = 0  # that of the requests
    DUE = 1  # as their latencies end
    RANDOM = 2  # any that is due


class ErrorResponse(IntEnum):
    """AXI response code of an error window."""

    SLVERR = 2
    DECERR = 3


@dataclass(frozen=True)
class Latency:
    """Cycles from a request to its response: uniform in [low, high], and in `tail_percent` of cases [high, tail]."""

    low: int = 20
    high: int = 60
    tail_percent: int = 0
    tail: int = 0

    def __post_init__(self) -> None:
        if not 1 <= self.low <= self.high <= 1_000_000:
            raise ValueError(f"latency {self.low}..{self.high}: need 1 <= low <= high <= 1000000 cycles")
        if not 0 <= self.tail_percent <= 100:
            raise ValueError(f"latency tail_percent={self.tail_percent}: must be between 0 and 100")
        if self.tail_percent and not self.high <= self.tail <= 1_000_000:
            raise ValueError(f"latency tail={self.tail}: must be between high={self.high} and 1000000 cycles")


@dataclass(frozen=True)
class Throttle:
    """Ready goes low with `percent` probability in a cycle, for 1 to `longest` cycles."""

    percent: int = 0
    longest: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.percent <= 95:
            raise ValueError(f"throttle percent={self.percent}: must be between 0 and 95, or nothing ever moves")
        if not 1 <= self.longest <= 1_000_000:
            raise ValueError(f"throttle longest={self.longest}: must be between 1 and 1000000 cycles")


@dataclass(frozen=True)
class ErrorWindow:
    """Accesses to bytes [first, last] are answered with `response`; a failing write stores nothing."""

    first: int
    last: int
    reads: bool = True
    writes: bool = True
    response: ErrorResponse = ErrorResponse.SLVERR

    def __post_init__(self) -> None:
        if not 0 <= self.first <= self.last < 1 << 64:
            raise ValueError(f"error window {self.first:#x}..{self.last:#x}: first must not be above last")


@dataclass(frozen=True)
class MemoryPolicy:
    """Everything that the responder may choose. Defaults are the preset `kind`."""

    name: str = "kind"
    seed: int = 1
    read_latency: Latency = field(default_factory=Latency)
    write_latency: Latency = field(default_factory=Latency)
    write_effect: WriteEffect = WriteEffect.HANDSHAKE
    write_effect_delay: Latency | None = None  # None: at once
    read_sample: ReadSample = ReadSample.RESPONSE
    read_waits_for_writes: bool = False  # a read waits for older writes to its line
    reorder_reads: Reorder = Reorder.NONE
    reorder_writes: Reorder = Reorder.NONE
    aw_ready: Throttle = field(default_factory=Throttle)
    w_ready: Throttle = field(default_factory=Throttle)
    ar_ready: Throttle = field(default_factory=Throttle)
    r_gap: Throttle = field(default_factory=Throttle)  # cycles without RVALID although data is due
    b_gap: Throttle = field(default_factory=Throttle)
    max_reads: int = 64  # outstanding in one bank; ready is low above that
    max_writes: int = 64
    windows: tuple[ErrorWindow, ...] = ()

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 1 << 64:
            raise ValueError(f"memory policy seed={self.seed}: must be between 0 and 2**64-1")
        for name, value in (("max_reads", self.max_reads), ("max_writes", self.max_writes)):
            if not 1 <= value <= 4096:
                raise ValueError(f"memory policy {name}={value}: must be between 1 and 4096")
        if len(self.windows) > MAX_WINDOWS:
            raise ValueError(f"memory policy has {len(self.windows)} error windows; at most {MAX_WINDOWS} are possible")

    @classmethod
    def preset(cls, name: MemoryPolicyName | str, seed: int = 1) -> MemoryPolicy:
        """One of `kind`, `ordered`, `hostile`, `fixed20`.

        Raises:
            ValueError: no such preset.
        """
        text = name.value if isinstance(name, MemoryPolicyName) else name
        if text == "kind":
            return cls(seed=seed)
        if text == "ordered":
            return cls(name=text, seed=seed, read_waits_for_writes=True, write_effect=WriteEffect.RESPONSE)
        if text == "fixed20":
            fixed = Latency(20, 20)
            return cls(name=text, seed=seed, read_latency=fixed, write_latency=fixed)
        if text == "hostile":
            return cls(
                name=text,
                seed=seed,
                read_latency=Latency(1, 80, tail_percent=5, tail=500),
                write_latency=Latency(1, 120, tail_percent=5, tail=800),
                write_effect=WriteEffect.RESPONSE,
                read_sample=ReadSample.EITHER,
                reorder_reads=Reorder.RANDOM,
                reorder_writes=Reorder.RANDOM,
                aw_ready=Throttle(20, 12),
                w_ready=Throttle(20, 12),
                ar_ready=Throttle(20, 12),
                r_gap=Throttle(10, 6),
                b_gap=Throttle(10, 6),
            )
        raise ValueError(f"unknown memory policy {text!r}; known: fixed20, hostile, kind, ordered")

    def to_c(self) -> CPolicy:
        """The structure that the responder takes."""
        delay = self.write_effect_delay
        out = CPolicy(
            seed=self.seed,
            read_latency=_latency(self.read_latency),
            write_latency=_latency(self.write_latency),
            write_effect_delay=_latency(delay) if delay else CLatency(),
            write_effect=self.write_effect,
            read_sample=self.read_sample,
            read_waits_for_writes=int(self.read_waits_for_writes),
            reorder_reads=self.reorder_reads,
            reorder_writes=self.reorder_writes,
            aw_ready=_throttle(self.aw_ready),
            w_ready=_throttle(self.w_ready),
            ar_ready=_throttle(self.ar_ready),
            r_gap=_throttle(self.r_gap),
            b_gap=_throttle(self.b_gap),
            max_reads=self.max_reads,
            max_writes=self.max_writes,
            num_windows=len(self.windows),
        )
        for slot, window in enumerate(self.windows):
            out.windows[slot] = CWindow(
                window.first, window.last, int(window.reads), int(window.writes), int(window.response), 0
            )
        return out


class CLatency(ctypes.Structure):
    """C form of `Latency`; all zero means "no delay"."""

    _fields_ = tuple((name, ctypes.c_uint32) for name in ("low", "high", "tail_percent", "tail"))


class CThrottle(ctypes.Structure):
    """C form of `Throttle`."""

    _fields_ = (("percent", ctypes.c_uint32), ("longest", ctypes.c_uint32))


class CWindow(ctypes.Structure):
    """C form of `ErrorWindow`."""

    _fields_ = (
        ("first", ctypes.c_uint64),
        ("last", ctypes.c_uint64),
        ("reads", ctypes.c_uint32),
        ("writes", ctypes.c_uint32),
        ("response", ctypes.c_uint32),
        ("pad", ctypes.c_uint32),
    )


class CPolicy(ctypes.Structure):
    """C form of `MemoryPolicy`."""

    _fields_ = (
        ("seed", ctypes.c_uint64),
        ("windows", CWindow * MAX_WINDOWS),
        ("read_latency", CLatency),
        ("write_latency", CLatency),
        ("write_effect_delay", CLatency),
        ("aw_ready", CThrottle),
        ("w_ready", CThrottle),
        ("ar_ready", CThrottle),
        ("r_gap", CThrottle),
        ("b_gap", CThrottle),
        ("write_effect", ctypes.c_uint32),
        ("read_sample", ctypes.c_uint32),
        ("read_waits_for_writes", ctypes.c_uint32),
        ("reorder_reads", ctypes.c_uint32),
        ("reorder_writes", ctypes.c_uint32),
        ("max_reads", ctypes.c_uint32),
        ("max_writes", ctypes.c_uint32),
        ("num_windows", ctypes.c_uint32),
    )


def _latency(latency: Latency) -> CLatency:
    return CLatency(latency.low, latency.high, latency.tail_percent, latency.tail)


def _throttle(throttle: Throttle) -> CThrottle:
    return CThrottle(throttle.percent, throttle.longest)


def cpp_header() -> str:
    """The C++ header of the policy."""
    return c_structs.cpp_header(
        [WriteEffect, ReadSample, Reorder], [CLatency, CThrottle, CWindow, CPolicy], "hw/tb/agents/axi/policy.py"
    )
