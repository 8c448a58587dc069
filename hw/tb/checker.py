"""What the environment asks of everything that judges a launch: lockstep scoreboard, bus rules, busy rules.

A checker sees the host's messages in order, then the launch, then the records in batches of whole cycles, then the
end. The first difference of a launch ends it at once; what is found at the end is reported together.

```
 host message ─▶ host()      Launch ─▶ begin_launch()      ring ─▶ records() … records()      quiescent ─▶ end_launch()
```
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from golden_model.follow.difference import Difference
from golden_model.records.ring import Batch
from sw.runtime.exercise import Exercise
from sw.runtime.messages import Launch, Message


@dataclass(frozen=True)
class LaunchEnd:
    """State of the design when a launch has ended and its caches are flushed.

    Attributes:
        memory: device memory, one byte an element, index = address; only to be read.
        minstret: per core id, the counter MINSTRET since reset, read through DCR 0x001.
        mcycle: per core id, the counter MCYCLE likewise.
    """

    memory: npt.NDArray[np.uint8]
    minstret: Mapping[int, int] = field(default_factory=dict)
    mcycle: Mapping[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class CheckCounts:
    """What a checker did in the launch that ended last; it goes into `LaunchStats`."""

    compared: int = 0  # warp instructions compared with the golden model
    adopted: Mapping[str, int] = field(default_factory=dict)  # hardware choices taken over, by kind
    axi_transactions: int = 0  # AXI transactions that were checked
    exercised: Exercise | None = None  # None: this checker does not count


class Checker(Protocol):
    """One judge. Methods return differences instead of raising; an exception means that the checker is broken."""

    name: str

    def host(self, message: Message) -> None:
        """A host message other than Launch and Reset took effect on the design (memory, DCR, image, buffer)."""
        ...

    def reset(self) -> None:
        """The design was reset; memory kept its contents."""
        ...

    def begin_launch(self, launch: Launch) -> Difference | None:
        """All registers of the launch are written; `start` follows."""
        ...

    def records(self, batch: Batch) -> Difference | None:
        """The next records; the first difference ends the launch."""
        ...

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        """The design is quiescent and every record of the launch was handed over."""
        ...

    def counts(self) -> CheckCounts:
        """Figures of the launch that ended last."""
        ...

    def standing(self) -> list[str]:
        """The launch does not go on: what has not come to its end, one line each, as far as this checker knows."""
        ...
