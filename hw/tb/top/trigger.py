"""When a forced signal is held. Windows that follow an event stay where they were meant when timing changes.

```python
harness.force("*.alu.result", value=1, mask=1, when=During(Executed(pc=0x8000_0160, warp=2)))
```
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from hw.tb.top.abi import ANY, NEVER, CTrigger, When


class Trigger(Protocol):
    """A window of cycles, opened once."""

    def to_c(self) -> CTrigger:
        """The structure that the harness takes."""
        ...


@dataclass(frozen=True)
class Executed:
    """One execution of the instruction at `pc`.

    Attributes:
        core, warp: None: any.
        occurrence: executions by these warps that pass first.
        launch: counted in this launch only; 0: in all.
    """

    pc: int
    core: int | None = None
    warp: int | None = None
    occurrence: int = 0
    launch: int = 0


@dataclass(frozen=True)
class Cycles:
    """Cycles `first` to `last` of the simulation."""

    first: int
    last: int

    def to_c(self) -> CTrigger:
        return CTrigger(when=When.CYCLE, first=self.first, last=self.last)


@dataclass(frozen=True)
class AfterStart:
    """Cycles counted from the START pulse (0) of one launch; `last` None: to the end of the simulation."""

    launch: int
    first: int = 0
    last: int | None = None

    def to_c(self) -> CTrigger:
        return CTrigger(when=When.START, launch=self.launch, first=self.first, last=_last(self.last))


@dataclass(frozen=True)
class During:
    """From the cycle after the issue of an instruction to that of its last commit packet."""

    what: Executed

    def to_c(self) -> CTrigger:
        return _of(self.what, When.ISSUE, 0, NEVER)


@dataclass(frozen=True)
class AfterIssue:
    """Cycles counted from the one after the issue (0) of an instruction."""

    what: Executed
    first: int
    last: int

    def to_c(self) -> CTrigger:
        return _of(self.what, When.ISSUE, self.first, self.last)


@dataclass(frozen=True)
class AfterCommit:
    """Cycles counted from the one after the last commit packet (0) of an instruction; `last` None: without end."""

    what: Executed
    first: int = 0
    last: int | None = None

    def to_c(self) -> CTrigger:
        return _of(self.what, When.COMMIT, self.first, _last(self.last))


def _last(last: int | None) -> int:
    return NEVER if last is None else last


def _of(what: Executed, when: When, first: int, last: int) -> CTrigger:
    return CTrigger(
        when=when,
        core=ANY if what.core is None else what.core,
        warp=ANY if what.warp is None else what.warp,
        occurrence=what.occurrence,
        pc=what.pc,
        launch=what.launch,
        first=first,
        last=last,
    )
