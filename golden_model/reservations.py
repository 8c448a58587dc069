"""LR/SC reservations of all harts (docs/reference/vortex.md §2.14): one 64-byte line each, broken by other harts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from golden_model.warp import Warp

LINE_BITS = 6


class Reservations:
    """Shared by all cores, since atomics are performed where all of them meet."""

    def __init__(self) -> None:
        self._lines: dict[int, int] = {}  # hart -> line

    @property
    def any(self) -> bool:
        """Whether a hart holds a reservation."""
        return bool(self._lines)

    def line(self, hart: int) -> int | None:
        """The line that a hart has reserved."""
        return self._lines.get(hart)

    def reserve(self, warp: Warp, addresses: list[int]) -> None:
        """LR of the active lanes."""
        for i in warp.lanes:
            self._lines[warp.first_hart + i] = addresses[i] >> LINE_BITS

    def stored(self, warp: Warp, addresses: list[int]) -> None:
        """The active lanes write: reservations of other harts on these lines are gone."""
        for i in warp.lanes:
            self._break(addresses[i] >> LINE_BITS, warp.first_hart + i)

    def conditional(self, warp: Warp, addresses: list[int]) -> int:
        """SC of the active lanes: mask of those that fail. Every lane's own reservation is gone afterwards.

        The lanes are tried in their order, so that the first of two on one line breaks the other's reservation.
        """
        refused = warp.adoption.sc_failed if warp.adoption is not None else 0
        failed = 0
        for i in warp.atomic_order():
            hart, line = warp.first_hart + i, addresses[i] >> LINE_BITS
            if self._lines.pop(hart, None) != line or refused >> i & 1:
                failed |= 1 << i
            else:
                self._break(line, hart)
        return failed

    def _break(self, line: int, writer: int) -> None:
        for hart in [hart for hart, held in self._lines.items() if held == line and hart != writer]:
            del self._lines[hart]
