"""Ctrl-C during a run: remembered by the signal handler, raised where the run looks up.

An exception that a handler raises itself may come up inside a destructor or a callback of C code, where Python prints
it and goes on: the run would not end.
"""

from __future__ import annotations

import signal
from types import FrameType, TracebackType
from typing import Self


class Interruption:
    """Context of a run. `check` raises KeyboardInterrupt if Ctrl-C came; a second one acts at once, as usual."""

    def __init__(self) -> None:
        self._came = False
        self._before: signal._HANDLER = None

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        signal.signal(signal.SIGINT, self._before)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._came = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def check(self) -> None:
        """Call it often enough. Raises KeyboardInterrupt."""
        if self._came:
            raise KeyboardInterrupt
