"""Coverage of command sequences: registers × kind of access × state of the device × errors standing.

Who executes does not matter: `sample` takes the action and the state in which it is about to happen.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

from golden_model.device.config import BAR2_SIZE
from golden_model.device.device import Device
from golden_model.device.doorbell import DOORBELL_OFFSET
from golden_model.device.interrupts import ErrorBit
from golden_model.device.registers import BY_OFFSET, MSIX_PBA, REGISTERS
from golden_model.device.sequences.actions import Action, ReadRegister, ReadVram, WriteRegister, WriteVram

UNLISTED = "unlisted"
DOORBELL = "BAR4_DOORBELL"
BAR4_OTHER = "BAR4_OTHER"
VRAM_INSIDE = "BAR2_INSIDE"
VRAM_OUTSIDE = "BAR2_OUTSIDE"


class Kind(Enum):
    """Kind of access."""

    READ = "read"
    WRITE = "write"
    PARTIAL = "partial"  # sub-word or misaligned, in either direction


class State(Enum):
    """State of the device at the access."""

    DISABLED = "disabled"  # ENABLE is 0, nothing is in flight
    IDLE = "idle"
    BUSY = "busy"
    DMA = "dma"
    BUSY_AND_DMA = "busy+dma"


class Errors(Enum):
    """What stands in ERROR_STATUS at the access."""

    NONE = "none"
    INVALID_CMD = "INVALID_CMD"
    VRAM_FAULT = "VRAM_FAULT"
    KERNEL_FAULT = "KERNEL_FAULT"
    DMA_FAULT = "DMA_FAULT"
    SEVERAL = "several"


_SINGLE = {0: Errors.NONE, **{int(bit): Errors[bit.name or ""] for bit in ErrorBit}}
_STATES = {state: index for index, state in enumerate(State)}
_ERRORS = [list(Errors).index(_SINGLE.get(bits, Errors.SEVERAL)) for bits in range(16)]


@dataclass(frozen=True, slots=True)
class DeviceState:
    """What coverage needs to know of the device before an access."""

    enabled: bool
    busy: bool
    dma_busy: bool
    errors: ErrorBit

    @classmethod
    def of(cls, device: Device) -> DeviceState:
        """State of a golden device; looks past the bus, so nothing is polled."""
        return cls(device.enabled, device.busy, device.dma is not None, device.interrupts.errors)

    @property
    def state(self) -> State:
        if self.busy:
            return State.BUSY_AND_DMA if self.dma_busy else State.BUSY
        if self.dma_busy:
            return State.DMA
        return State.IDLE if self.enabled else State.DISABLED

    @property
    def error(self) -> Errors:
        return _SINGLE.get(int(self.errors), Errors.SEVERAL)


@dataclass(frozen=True, slots=True)
class Bin:
    """One element of the cross."""

    register: str
    kind: Kind
    state: State
    error: Errors

    def __str__(self) -> str:
        return f"{self.register} {self.kind.value} × {self.state.value} × {self.error.value}"


class Coverage:
    """Counts of every bin of the cross."""

    def __init__(self, vram_size: int) -> None:
        self._vram_size = vram_size
        self._bins = list(all_bins(vram_size))
        self._hits = [0] * len(self._bins)
        # First bin of (register, kind); the states and errors of one pair follow each other.
        self._first = {(one.register, one.kind): at for at, one in reversed(list(enumerate(self._bins)))}
        self._seen: dict[tuple[int, int, bool, bool], int] = {}  # the same by (BAR, word, write, whole)

    def sample(self, action: Action, state: DeviceState) -> None:
        """Count an action by the state before it; actions past the device do not count."""
        first = self._first_of(action)
        if first is not None:
            self._hits[first + len(Errors) * _STATES[state.state] + _ERRORS[int(state.errors)]] += 1

    def merge(self, other: Coverage) -> None:
        """Add what another run saw."""
        self.add(other.hits)

    def add(self, hits: Sequence[int]) -> None:
        """Add counts in the order of `hits`."""
        self._hits = [one + other for one, other in zip(self._hits, hits, strict=True)]

    @property
    def hits(self) -> list[int]:
        """Counts in the order of `all_bins`."""
        return list(self._hits)

    @property
    def counts(self) -> Counter[Bin]:
        """Counts of the bins that were reached."""
        return Counter({one: hits for one, hits in zip(self._bins, self._hits, strict=True) if hits})

    @property
    def reached(self) -> float:
        """Part of all bins, 0 … 1."""
        return sum(hits > 0 for hits in self._hits) / len(self._hits)

    def holes(self) -> list[Bin]:
        """Bins never reached."""
        return [one for one, hits in zip(self._bins, self._hits, strict=True) if not hits]

    def report(self, most: int = 40) -> str:
        """Figures and the first holes."""
        holes = self.holes()
        lines = [
            f"registers × accesses × states × errors: {self.reached:.1%} of {len(self._bins)} bins reached, "
            f"{len(holes)} holes"
        ]
        lines += [f"  {hole}" for hole in holes[:most]]
        if len(holes) > most:
            lines.append(f"  … and {len(holes) - most} more")
        return "\n".join(lines)

    def _first_of(self, action: Action) -> int | None:
        match action:
            case ReadRegister(bar, offset, size):
                return self._register(bar, offset & ~3, False, size == 4 and offset % 4 == 0)
            case WriteRegister(bar, offset, _, strobe):
                return self._register(bar, offset & ~3, True, strobe == 0xF and offset % 4 == 0)
            case ReadVram(offset, size):
                return self._first[self._vram(offset, size), Kind.READ]
            case WriteVram(offset, data):
                return self._first[self._vram(offset, len(data)), Kind.WRITE]
        return None

    def _register(self, bar: int, word: int, write: bool, whole: bool) -> int:
        key = (bar, word, write, whole)
        first = self._seen.get(key)
        if first is None:
            kind = Kind.PARTIAL if not whole else Kind.WRITE if write else Kind.READ
            first = self._seen[key] = self._first[_register(bar, word), kind]
        return first

    def _vram(self, offset: int, size: int) -> str:
        return VRAM_INSIDE if offset + size <= self._vram_size else VRAM_OUTSIDE


def _register(bar: int, word: int) -> str:
    if bar == 4:
        return DOORBELL if word == DOORBELL_OFFSET else BAR4_OTHER
    row = BY_OFFSET.get(word)
    return UNLISTED if row is None else _class_of(row.name, row.offset)


def _class_of(name: str, offset: int) -> str:
    """The vectors' table entries are alike: they count as one."""
    return "MSIX_" + name.split("_", 1)[1] if name.startswith("MSIX") and offset < MSIX_PBA else name


def all_bins(vram_size: int) -> Iterator[Bin]:
    """The whole cross; without a hole in BAR2 there is nothing past VRAM's end."""

    names = list(dict.fromkeys(_class_of(row.name, row.offset) for row in REGISTERS))
    for name, kind in itertools.product([*names, UNLISTED, DOORBELL, BAR4_OTHER], Kind):
        yield from (Bin(name, kind, state, error) for state, error in itertools.product(State, Errors))
    windows = [VRAM_INSIDE] + ([VRAM_OUTSIDE] if vram_size < BAR2_SIZE else [])
    for name, kind in itertools.product(windows, (Kind.READ, Kind.WRITE)):
        yield from (Bin(name, kind, state, error) for state, error in itertools.product(State, Errors))
