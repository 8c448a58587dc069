"""What a seeded fault is: a scene (a run that passes), one thing put into it, and the first report it must cause.

Everything is plain data, so that the fault runs the same in a test, in a report and in another user's campaign.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from golden_model.records.layout import Kind
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.top.abi import InjectKind


@dataclass(frozen=True)
class Scene:
    """One run without any fault.

    Attributes:
        test: name under tests/kernels.
        knobs: as on the command line, such as `("ENTRY", "s11")`.
        policy: memory policy instead of the one of the MEM knob.
        passes: whether the run passes as it is; a kernel that is wrong on purpose does not.
    """

    test: str
    knobs: tuple[tuple[str, str], ...] = (("N", "64"),)
    policy: MemoryPolicy | None = None
    passes: bool = True


@dataclass(frozen=True)
class Place:
    """An instruction of the image: the `index`-th one of that mnemonic behind a symbol."""

    symbol: str
    mnemonic: str
    index: int = 0


@dataclass(frozen=True)
class At:
    """One execution of the instruction at a place.

    Attributes:
        warp: None: executions of all warps count.
        launch: only this launch counts, the first one is 1; 0: all of them count.
    """

    place: Place
    warp: int | None = None
    occurrence: int = 0
    launch: int = 1


class Window(Enum):
    """When a signal is forced."""

    DURING = "from the issue to the commit of an instruction"
    AFTER_COMMIT = "cycles counted from the commit of an instruction"
    AFTER_START = "cycles counted from the start of a launch"


@dataclass(frozen=True)
class Forced:
    """Bits of a signal of the design hold a value.

    Attributes:
        signal: pattern of a path (hw/tb/build/forceable.vlt).
        at: the instruction, for windows that follow one.
        launch: of the start, for AFTER_START.
        first, last: cycles of the window; not for DURING. `last` None: to the end of the simulation.
    """

    signal: str
    value: int
    mask: int
    window: Window
    at: At | None = None
    launch: int = 1
    first: int = 0
    last: int | None = None


@dataclass(frozen=True)
class Injected:
    """A fault of the memory responder, which lets `nth` eligible transactions pass first."""

    kind: InjectKind
    nth: int
    arg: int = 0


@dataclass(frozen=True)
class LostRecords:
    """The probe's records of one kind do not reach anybody: the `nth` one, or all of them (None)."""

    kind: Kind
    nth: int | None


@dataclass(frozen=True)
class AlteredFooter:
    """The image names another address for a kernel: that of a symbol plus `offset`, or `offset` alone."""

    kernel: str
    symbol: str | None
    offset: int = 0


@dataclass(frozen=True)
class FaultyKernel:
    """The scene's kernel is the fault."""


PutIn = Forced | Injected | LostRecords | AlteredFooter | FaultyKernel


@dataclass(frozen=True)
class Report:
    """The first report of a run that failed.

    Attributes:
        check, category: exactly.
        shows: regular expressions that the first screen must match, each in some line; `{pc}` is the address of the
            place where the fault was put in or of `place`.
        kernel: whose launch it was; empty: no launch.
        place: an instruction that the report must name, if it is not that of the fault.
        also: checks that must report the same fault later on, and what their messages must match.
    """

    check: str
    category: str
    shows: tuple[str, ...]
    kernel: str = ""
    place: Place | None = None
    also: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True)
class Fault:
    """One fault in one scene.

    Attributes:
        name: an identifier.
        says: what is wrong, one sentence.
        put_in: how it gets there.
        first: the report that it must cause.
    """

    name: str
    says: str
    scene: Scene
    put_in: PutIn
    first: Report
