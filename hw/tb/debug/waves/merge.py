"""Puts lanes of text beside the signals of an FST file: the file is read and written again with them.

GTKWave and Surfer show one file at a time, so what belongs together must be in one.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pylibfst

from hw.tb.debug.waves.fst import CYCLE_NS, FstError, hierarchy, open_fst
from hw.tb.debug.waves.lanes import Lane

_lib: Any = pylibfst.lib
_ffi: Any = pylibfst.ffi


def add_lanes(source: Path, target: Path, lanes: list[Lane]) -> None:
    """Write `target`: everything of `source` and the lanes, under a scope of their own that comes first.

    Changes before the beginning of `source` take effect at its beginning.

    Raises:
        FstError: `source` is no complete FST file, or `target` cannot be written.
    """
    reader = open_fst(source)
    writer = _lib.fstWriterCreate(str(target).encode(), 1)
    if writer == _ffi.NULL:
        _lib.fstReaderClose(reader)
        raise FstError(f"{target} cannot be written")
    try:
        _lib.fstWriterSetPackType(writer, _lib.FST_WR_PT_LZ4)
        _lib.fstWriterSetTimescale(writer, _lib.fstReaderGetTimescale(reader))
        handles = _declare_lanes(writer, lanes)
        known = _copy_hierarchy(reader, writer)
        first = int(_lib.fstReaderGetStartTime(reader))
        last = int(_lib.fstReaderGetEndTime(reader))
        pending = _Pending(writer, _changes(lanes, handles, first, last))
        _copy_values(reader, writer, known, pending)
        pending.up_to(last)
    finally:
        _lib.fstReaderClose(reader)
        _lib.fstWriterClose(writer)


class _Pending:
    """Changes of lanes that are written when the time of the signals has come that far."""

    def __init__(self, writer: Any, changes: list[tuple[int, int, bytes]]) -> None:
        self._writer, self._changes = writer, iter(changes)
        self._next = next(self._changes, None)
        self._now = -1

    def up_to(self, time: int) -> None:
        """Write what comes not later than `time`, and set the time."""
        while self._next is not None and self._next[0] <= time:
            at, handle, text = self._next
            self._at(at)
            _lib.fstWriterEmitVariableLengthValueChange(self._writer, handle, text, len(text))
            self._next = next(self._changes, None)
        self._at(time)

    def _at(self, time: int) -> None:
        if time > self._now:
            _lib.fstWriterEmitTimeChange(self._writer, time)
            self._now = time


def _changes(lanes: list[Lane], handles: list[int], first: int, last: int) -> list[tuple[int, int, bytes]]:
    found = []
    for lane, handle in zip(lanes, handles, strict=True):
        before = [text for cycle, text in lane.changes if cycle * CYCLE_NS <= first]
        if before:
            found.append((first, handle, before[-1].encode("ascii", "replace")))
        for cycle, text in lane.changes:
            if first < cycle * CYCLE_NS <= last:
                found.append((cycle * CYCLE_NS, handle, text.encode("ascii", "replace")))
    return sorted(found)


def _declare_lanes(writer: Any, lanes: list[Lane]) -> list[int]:
    """One variable of text for each lane; lanes of one scope must follow each other."""
    handles: list[int] = []
    opened: tuple[str, ...] = ()
    for lane in lanes:
        scope = lane.path[:-1]
        common = 0
        while common < min(len(scope), len(opened)) and scope[common] == opened[common]:
            common += 1
        for _ in opened[common:]:
            _lib.fstWriterSetUpscope(writer)
        for part in scope[common:]:
            _lib.fstWriterSetScope(writer, _lib.FST_ST_VCD_MODULE, part.encode(), _ffi.NULL)
        opened = scope
        name, kind = lane.path[-1].encode(), _lib.FST_VT_GEN_STRING
        handles.append(int(_lib.fstWriterCreateVar(writer, kind, _lib.FST_VD_IMPLICIT, 0, name, 0)))
    for _ in opened:
        _lib.fstWriterSetUpscope(writer)
    return handles


def _copy_hierarchy(reader: Any, writer: Any) -> list[int]:
    """New handle of each old one."""
    known = [0] * (int(_lib.fstReaderGetMaxHandle(reader)) + 1)
    for item in hierarchy(reader):
        match item.htyp:
            case _lib.FST_HT_SCOPE:
                scope = item.u.scope
                _lib.fstWriterSetScope(writer, scope.typ, scope.name, scope.component)
            case _lib.FST_HT_UPSCOPE:
                _lib.fstWriterSetUpscope(writer)
            case _lib.FST_HT_ATTRBEGIN:
                attribute = item.u.attr
                _lib.fstWriterSetAttrBegin(writer, attribute.typ, attribute.subtype, attribute.name, attribute.arg)
            case _lib.FST_HT_ATTREND:
                _lib.fstWriterSetAttrEnd(writer)
            case _lib.FST_HT_VAR:
                var = item.u.var
                new = known[var.handle]
                made = _lib.fstWriterCreateVar(writer, var.typ, var.direction, var.length, var.name, new)
                known[var.handle] = new or int(made)
    return known


def _copy_values(reader: Any, writer: Any, known: list[int], pending: _Pending) -> None:
    emit, now = _lib.fstWriterEmitValueChange, -1

    def change(data: Any, time: int, handle: int, value: Any) -> None:
        nonlocal now
        if time != now:
            pending.up_to(time)
            now = time
        emit(writer, known[handle], value)

    def change_text(data: Any, time: int, handle: int, value: Any, length: int) -> None:
        nonlocal now
        if time != now:
            pending.up_to(time)
            now = time
        if length:
            _lib.fstWriterEmitVariableLengthValueChange(writer, known[handle], value, length)
        else:
            emit(writer, known[handle], value)

    _lib.fstReaderSetFacProcessMaskAll(reader)
    callback = _ffi.callback("void(void *, uint64_t, fstHandle, const unsigned char *)", change)
    callback_text = _ffi.callback("void(void *, uint64_t, fstHandle, const unsigned char *, uint32_t)", change_text)
    _lib.fstReaderIterBlocks2(reader, callback, callback_text, _ffi.NULL, _ffi.NULL)
