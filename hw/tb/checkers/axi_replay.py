"""Contents of one block as its reads may have seen it, one read after the other.

A block that many atomics share is written and read thousands of times in one batch of records, so what is surely
finished is folded in once and only what is near a read is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

BLOCK = 64
Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class Write:
    """One AXI write that is not yet part of the settled contents."""

    bank: int
    number: int
    axi_id: int
    block: int
    accepted: int  # cycle of AW
    complete: int  # cycle in which both AW and W were accepted
    done: int  # cycle of B, NEVER while outstanding
    mask: Mask
    data: Bytes


class Replay:
    """Steps through the writes of a block, in the order of their AW, for reads in the order of their AR."""

    def __init__(self, contents: Bytes, writes: Sequence[Write]) -> None:
        """`contents` before all of `writes`; both stay as they are."""
        self._contents: Bytes = contents.copy()
        self._writes = writes
        self._folded = 0
        self._late: list[Write] = []  # folded, and a write that is not may have taken effect before them
        self._either: list[tuple[Mask, Bytes]] = []  # bytes that overlapping writes left, whichever came last

    def legal(self, data: Bytes, begun: int, ended: int) -> Mask:
        """Per byte whether a read from cycle `begun` to `ended` may have returned it; `begun` never falls."""
        while self._folded < len(self._writes) and self._writes[self._folded].done < begun:
            self._fold(self._writes[self._folded])
        settled, sure = self._contents, self._late
        under_way: list[tuple[Mask, Bytes]] = []
        for index in range(self._folded, len(self._writes)):
            write = self._writes[index]
            if write.accepted > ended:
                break
            if write.done >= begun:
                if write.complete <= ended:
                    under_way.append((write.mask, write.data))
                continue
            if settled is self._contents:
                settled = settled.copy()
            settled[write.mask] = write.data[write.mask]
            under_way += _rivals(write, sure)
            sure = [*sure, write]
        allowed: Mask = data == settled
        for mask, value in (*under_way, *self._either):
            allowed |= mask & (data == value)
        return allowed

    def _fold(self, write: Write) -> None:
        self._late = [other for other in self._late if other.done >= write.accepted]
        self._either += _rivals(write, self._late)
        self._late.append(write)
        self._contents[write.mask] = write.data[write.mask]
        self._folded += 1


def _rivals(write: Write, others: Sequence[Write]) -> list[tuple[Mask, Bytes]]:
    """Bytes that both `write` and one of `others` wrote at the same time under different ids, with either's data."""
    found = []
    for other in others:
        both = write.mask & other.mask
        if (
            write.axi_id != other.axi_id
            and write.complete <= other.done
            and other.complete <= write.done
            and both.any()
        ):
            found += [(both, write.data), (both, other.data)]
    return found
