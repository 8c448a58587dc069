"""The checks of golden_model/diagnosis in C: what the loop tells them, Python can tell them, too."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Sequence
from typing import Any

import numpy as np

from golden_model.diagnosis.found import Access, Found, Kind
from golden_model.diagnosis.shadow import Memory, Region, Setting

PAGES = 1 << 18  # pages of memory with a shadow: the shadow of 1 GiB takes 4 GiB

_FIELDS_64 = ("pc", "other_pc", "addr", "count", "first", "last")
_FIELDS_32 = (
    "kind", "context", "block", "lanes", "size", "access",
    "other_access", "other_context", "other_block", "other_lanes",
)  # fmt: skip

_PLAIN = tuple({*_FIELDS_64, *_FIELDS_32} - {"first", "last", "kind", "access", "other_access"})


class _Found(ctypes.Structure):
    """`Found` of golden_model/fast/diagnosis.c."""

    _fields_ = (
        *((name, ctypes.c_uint64) for name in _FIELDS_64),
        *((name, ctypes.c_uint32) for name in _FIELDS_32),
    )


class NativeShadow:
    """See golden_model/diagnosis/shadow.py, `Shadow`. Its state lives as long as this object."""

    def __init__(self, library: ctypes.CDLL, setting: Setting, barriers: int) -> None:
        self._library = library
        word, pointer = ctypes.c_uint32, ctypes.c_void_p
        library.diag_new.restype = library.diag_found.restype = pointer
        library.diag_new.argtypes = [pointer]
        library.diag_instruction.argtypes = [pointer, word, ctypes.c_uint64, word, word, word, word, *[pointer] * 3]
        library.diag_instruction.argtypes += [ctypes.c_uint64]
        library.diag_private.argtypes = [pointer, ctypes.c_uint64, ctypes.c_uint64]
        library.diag_stack_set.argtypes = [pointer, word, word, ctypes.c_uint64]
        library.diag_start.argtypes = [pointer, word, word, word, ctypes.c_uint64, ctypes.c_uint64, word]
        library.diag_launch.argtypes = [pointer, word, word, pointer]
        library.diag_watch.argtypes = [pointer, word, pointer]
        library.diag_free.argtypes = library.diag_found.argtypes = [pointer]
        library.diag_found_count.argtypes = library.diag_full.argtypes = [pointer]
        arguments = {"arrive": 3, "wait": 2, "passed": 2, "spawn": 2}
        arguments |= dict.fromkeys(("fence", "flip", "end", "starting", "entered", "knows_hart"), 1)
        for name, count in arguments.items():
            getattr(library, f"diag_{name}").argtypes = [pointer, *[word] * count]
        cores = setting.contexts // setting.warps
        checks = [setting.races, setting.bounds, setting.stack, setting.strict_lanes]
        words = _words([*checks, cores, barriers, *setting.stacks, PAGES])
        self.state = int(library.diag_new(words.ctypes.data))
        weakref.finalize(self, library.diag_free, self.state)
        self._told: list[int] = []

    @property
    def full(self) -> bool:
        """Whether there was memory without a shadow, so that races in it are not found."""
        return bool(self._library.diag_full(self.state))

    def launch(self, regions: Sequence[Region] | None) -> None:
        words = _words([limit for region in regions or () for limit in region])
        self._library.diag_launch(self.state, regions is not None, len(regions or ()), words.ctypes.data)
        self._told = []

    def watch(self, rows: list[tuple[int, int, int]]) -> None:
        """Ranges of code, and where the PC that stores a word of it goes."""
        words = _words([value for row in rows for value in row])
        self._library.diag_watch(self.state, len(rows), words.ctypes.data)

    def start(self, context: int, block: int, rank: int, local: Region, first_use: bool) -> None:
        self._library.diag_start(self.state, context, block, rank, *local, first_use)

    def starting(self, context: int) -> bool:
        return bool(self._library.diag_starting(self.state, context))

    def entered(self, context: int) -> None:
        self._library.diag_entered(self.state, context)

    def knows_hart(self, context: int) -> None:
        self._library.diag_knows_hart(self.state, context)

    def private(self, region: Region) -> None:
        self._library.diag_private(self.state, *region)

    def instruction(self, context: int, pc: int, memory: Memory) -> None:
        lanes = np.array(memory.lanes, np.uint8)
        addresses, data = _words(memory.addresses), _words(memory.data)
        self._library.diag_instruction(
            self.state, context, pc, memory.access, memory.size, memory.base, len(lanes),
            lanes.ctypes.data, addresses.ctypes.data, data.ctypes.data, memory.silent,
        )  # fmt: skip

    def fence(self, context: int) -> None:
        self._library.diag_fence(self.state, context)

    def arrive(self, context: int, key: int, waits: bool) -> None:
        self._library.diag_arrive(self.state, context, key, waits)

    def wait(self, context: int, key: int) -> None:
        self._library.diag_wait(self.state, context, key)

    def flip(self, key: int) -> None:
        self._library.diag_flip(self.state, key)

    def passed(self, context: int, key: int) -> None:
        self._library.diag_passed(self.state, context, key)

    def spawn(self, parent: int, child: int) -> None:
        self._library.diag_spawn(self.state, parent, child)

    def stack_set(self, context: int, lanes: int, pc: int) -> None:
        self._library.diag_stack_set(self.state, context, lanes, pc)

    def end(self, context: int) -> None:
        self._library.diag_end(self.state, context)

    def drain(self) -> list[Found]:
        count = int(self._library.diag_found_count(self.state))
        if count == len(self._told):
            return []
        fresh = [_found(row) for row in self._rows(count)[len(self._told) :]]
        self._told += [found.count for found in fresh]
        return fresh

    def repeated(self) -> list[tuple[Found, int]]:
        again = []
        for index, row in enumerate(self._rows(len(self._told))):
            if row.count > self._told[index]:
                again.append((_found(row), row.count - self._told[index]))
                self._told[index] = row.count
        return again

    def _rows(self, count: int) -> Any:
        return (_Found * count).from_address(self._library.diag_found(self.state))


def _found(row: Any) -> Found:
    known: dict[str, Any] = {name: int(getattr(row, name)) for name in _PLAIN}
    return Found(kind=Kind(row.kind), access=Access(row.access), other_access=Access(row.other_access), **known)


def _words(values: Sequence[int]) -> Any:
    return np.array([*values, 0], np.uint64)  # never empty
