"""Which lines of the mutated files a piece of work executes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

Lines = dict[str, set[int]]  # file -> lines


@contextmanager
def traced(files: frozenset[str]) -> Iterator[Lines]:
    """Fills the dictionary while the block runs. Code whose lines have all been seen runs at full speed."""
    seen: Lines = {name: set() for name in files}
    left: dict[CodeType, set[int]] = {}

    def line(frame: FrameType, event: str, argument: object) -> Callable[..., Any]:
        if event == "line":
            open_lines = left[frame.f_code]
            if frame.f_lineno in open_lines:
                open_lines.discard(frame.f_lineno)
                seen[frame.f_code.co_filename].add(frame.f_lineno)
            if not open_lines:
                frame.f_trace_lines = False
        return line

    def call(frame: FrameType, event: str, argument: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code.co_filename not in files:
            return None
        if code not in left:
            left[code] = {number for _, _, number in code.co_lines() if number}
        return line if left[code] else None

    sys.settrace(call)
    try:
        yield seen
    finally:
        sys.settrace(None)
