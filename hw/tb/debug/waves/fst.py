"""What is in an FST file: names, and the time that it covers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pylibfst

CYCLE_NS = 10  # cycle n lasts from n to n + 1 times this
_lib: Any = pylibfst.lib
_ffi: Any = pylibfst.ffi


class FstError(ValueError):
    """A file that cannot be read or written; one sentence."""


def open_fst(path: Path) -> Any:
    """The library's reader; to be closed with `fstReaderClose`. Raises FstError."""
    reader = _lib.fstReaderOpen(str(path).encode())
    if reader == _ffi.NULL:
        raise FstError("not a complete FST file; the simulator may have died while it wrote it")
    return reader


def names_of(path: Path) -> list[str]:
    """Full names of all signals, with the width of vectors as GTKWave writes it: `top.core.pc[31:0]`.

    Raises:
        FstError: it is no complete FST file.
    """
    reader = open_fst(path)
    found: list[str] = []
    scopes: list[str] = []
    try:
        for item in hierarchy(reader):
            match item.htyp:
                case _lib.FST_HT_SCOPE:
                    scopes.append(_ffi.string(item.u.scope.name).decode())
                case _lib.FST_HT_UPSCOPE:
                    scopes.pop()
                case _lib.FST_HT_VAR:
                    name = _ffi.string(item.u.var.name).decode().replace(" [", "[")
                    found.append(".".join([*scopes, name]))
    finally:
        _lib.fstReaderClose(reader)
    return found


def time_span(path: Path) -> tuple[int, int]:
    """First and last time of a file. Raises FstError."""
    reader = open_fst(path)
    span = int(_lib.fstReaderGetStartTime(reader)), int(_lib.fstReaderGetEndTime(reader))
    _lib.fstReaderClose(reader)
    return span


def hierarchy(reader: Any) -> Iterator[Any]:
    """Scopes and signals as the library hands them out; each is valid until the next."""
    _lib.fstReaderIterateHierRewind(reader)
    while (item := _lib.fstReaderIterateHier(reader)) != _ffi.NULL:
        yield item
