"""A recorded run as one object: `Run.open(folder)`, then questions.

Opening maps files and reads nothing; each question costs what it looks at.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path

import numpy as np

from golden_model.records.layout import Kind, MemoryOp, MemorySpace
from hw.tb.debug.library import words
from hw.tb.debug.library.accesses import Access, writers
from hw.tb.debug.library.cause import Cause
from hw.tb.debug.library.commit import Commit, CommitList, commits_of
from hw.tb.debug.library.compare import Deviation, deviations
from hw.tb.debug.library.instructions import SLACK, Epochs, Instructions, instructions_between, read_instructions
from hw.tb.debug.library.moment import Moment, moment
from hw.tb.debug.library.names import Names
from hw.tb.debug.library.residents import Block, Residents
from hw.tb.debug.library.transactions import Transactions, bus_read, transactions_between
from hw.tb.debug.recording import Recording
from hw.tb.debug.waves.signals import Change, WaveSet

_MOST_ROWS = 1 << 20  # rows looked at when a warp's history is searched backwards
_MOST_LINKS = 64  # of one dependency chain


class Run:
    """Questions about one recording. `first` and `last` are its cycles."""

    def __init__(self, recording: Recording, names: Names | None = None) -> None:
        self.recording = recording
        self.names = names or Names()
        self.epochs = Epochs(recording)
        self.first, self.last = recording.cycles
        self.waves = WaveSet(recording.folder.parents[1])  # <results>/sim/recording

    @classmethod
    def open(cls, folder: Path, elves: Iterable[Path] = ()) -> Run:
        """The recording in a folder, with the names in some ELF files.

        Raises:
            RecordingError: there is none, or it is damaged.
        """
        return cls(Recording(folder), Names(elves))

    def __repr__(self) -> str:
        return (
            f"run of cycles {self.first:,} to {self.last:,}: {len(self.recording[Kind.COMMIT]):,} commit packets, "
            f"{len(self.recording[Kind.MEMORY]):,} memory accesses, {self.recording.lanes} lanes; ask commits(), "
            "at(cycle), who_wrote(addr), why(commit), diff(run)"
        )

    @cached_property
    def residents(self) -> Residents:
        """CTAs and warps and when they lived."""
        return Residents.read(self.recording, self.epochs)

    def instructions(self, first: int | None = None, last: int | None = None) -> Instructions:
        """Columns of the instructions in flight in a window; of the whole run without one."""
        if first is None and last is None:
            return read_instructions(self.recording, self.epochs, slice(0, len(self.recording[Kind.COMMIT])))
        return instructions_between(
            self.recording, self.epochs, self.first if first is None else first, self.last if last is None else last
        )

    def transactions(self, first: int | None = None, last: int | None = None) -> Transactions:
        """Transactions of the core's memory ports in a window."""
        return transactions_between(
            self.recording, self.epochs, self.first if first is None else first, self.last if last is None else last
        )

    def commits(
        self,
        *,
        core: int | None = None,
        warp: int | None = None,
        pc: str | int | None = None,
        launch: int | None = None,
        block: Block | None = None,
        first: int | None = None,
        last: int | None = None,
        limit: int = 1000,
    ) -> CommitList:
        """Instructions by core, warp, place (`0x80000040`, `sgemm+0x40`), launch, block and window of commit cycles.

        Raises:
            ValueError: a symbol that the images do not have.
        """
        table = self.recording[Kind.COMMIT]
        rows = table.window(self.first if first is None else max(first, 0), self.last if last is None else last)
        wanted = np.ones(rows.stop - rows.start, np.bool_)
        address = None if pc is None else self.names.address(pc)
        for name, value in (("core", core), ("warp", warp), ("pc", address), ("launch", launch)):
            if value is not None:
                wanted &= table[name][rows] == value
        if block is not None:
            wanted &= self._of_block(rows, block)
        keys = np.unique(self.epochs.keys(self.recording, Kind.COMMIT, rows)[wanted])
        total = len(keys)
        if total > limit:  # the earliest ones
            at = np.flatnonzero(wanted)
            keys = np.unique(self.epochs.keys(self.recording, Kind.COMMIT, rows)[at[:limit]])
        found = self._by_keys(keys, rows)
        return CommitList(sorted(found, key=lambda commit: (commit.cycle, commit.core, commit.warp, commit.uid)), total)

    def at(self, cycle: int) -> Moment:
        """Registers, masks, IPDOM stacks, barriers and local memory after everything up to `cycle`."""
        found = moment(self.recording, self.epochs, self.residents, cycle)
        for item in found.warps:
            item.last = self._last_of(item.life.stream, cycle)
        return found

    def who_wrote(
        self,
        addr: int,
        size: int = 1,
        *,
        before: int | None = None,
        local_of: int | None = None,
        limit: int = 1,
    ) -> list[Access]:
        """Last writes of some of `size` bytes at `addr` up to cycle `before`; `local_of`: local memory of that core.

        Empty if no recorded instruction wrote there: then the value is the host's or the image's.
        """
        seq = None
        if before is not None:
            memory = self.recording[Kind.MEMORY]
            rows = memory.window(0, before)
            seq = int(memory["seq"][rows.stop - 1]) + 1 if rows.stop else 0
        space = MemorySpace.GLOBAL if local_of is None else MemorySpace.LMEM
        return writers(self.recording, self.epochs, addr, size, before_seq=seq, space=space, core=local_of, limit=limit)

    def why(self, commit: Commit, depth: int = 6) -> Cause:
        """The writers of the operands, and theirs, up to `depth` links back; loads go on at who stored last."""
        root = Cause("this instruction", commit)
        todo, links = [(root, depth)], 0
        known: set[int] = {commit.key}
        while todo and links < _MOST_LINKS:
            link, left = todo.pop(0)
            if link.commit is None or left == 0:
                continue
            for cause in [*self._operands(link.commit), *self._memory(link.commit)]:
                link.because.append(cause)
                links += 1
                if cause.commit is not None and cause.commit.key in known:
                    cause.note = "see above"
                elif cause.commit is not None:
                    known.add(cause.commit.key)
                    todo.append((cause, left - 1))
        return root

    def wave(self, pattern: str, first: int, last: int) -> list[Change]:
        """Changes of a signal, `*` is any text, in the cycles `first` to `last`; they must have been traced.

        Raises:
            SignalError: they were not, no such signal, or several.
        """
        return self.waves.changes(pattern, first, last)

    def diff(self, other: Run, limit: int = 10) -> list[Deviation]:
        """Instructions at which the warps of two runs part, the earliest of this run first; empty if none does.

        Placement, timing and results in lanes that are not written are no deviations.
        """
        mine, theirs = self.instructions(), other.instructions()
        found = list(deviations(mine, self.residents, theirs, other.residents))

        def when(deviation: Deviation) -> int:
            key, table = (deviation.mine, mine) if deviation.mine is not None else (deviation.other, theirs)
            return int(table.commit[int(table.find(np.array([key], np.uint64))[0])]) if key is not None else 0

        return sorted(found, key=when)[:limit]

    def commit(self, key: int, near: int | None = None) -> Commit | None:
        """The instruction that a key names, None if its commit is not in the recording.

        `near` is a cycle in which it was in flight; without it the whole recording is searched.
        """
        table = self.recording[Kind.COMMIT]
        rows = slice(0, len(table)) if near is None else table.window(max(near - SLACK, 0), near + SLACK)
        same = np.flatnonzero(table["uid"][rows] == key & ((1 << 36) - 1))  # before keys are made of all rows
        if not len(same):
            return None
        found = self._by_keys(
            np.array([key], np.uint64), _narrowed(rows, same, self._keys_at(rows.start + same) == key)
        )
        return found[0] if found else None

    # ------------------------------------------------------------------ inside

    def _by_keys(self, keys: np.ndarray, rows: slice) -> list[Commit]:
        """Instructions named by keys whose packets lie in `rows`, without reading data of the others."""
        all_keys = self.epochs.keys(self.recording, Kind.COMMIT, rows)
        chosen = np.flatnonzero(np.isin(all_keys, keys)) + rows.start
        if not len(chosen):
            return []
        part = slice(int(chosen[0]), int(chosen[-1]) + 1)
        table = read_instructions(self.recording, self.epochs, part)
        rows_of = table.find(np.sort(keys))
        return commits_of(table.take(rows_of[rows_of >= 0]), self.names, self.recording.meta.xlen)

    def _keys_at(self, rows: np.ndarray) -> np.ndarray:
        """Keys of chosen rows."""
        return np.array(
            [int(self.epochs.keys(self.recording, Kind.COMMIT, slice(row, row + 1))[0]) for row in rows.tolist()],
            np.uint64,
        )

    def _of_block(self, rows: slice, block: Block) -> np.ndarray:
        keys = self.epochs.keys(self.recording, Kind.COMMIT, rows)
        wanted = np.zeros(len(keys), np.bool_)
        for life in self.residents.warps:
            if life.block == tuple(block):
                end = life.end_uid if life.end_uid is not None else (1 << 36) - 1
                low, high = np.uint64(life.stream << 36 | life.uid), np.uint64(life.stream << 36 | end)
                wanted |= (keys >= low) & (keys < high)
        return wanted

    def _last_of(self, stream: int, cycle: int) -> Commit | None:
        table = self.recording[Kind.COMMIT]
        stop = table.window(0, cycle).stop
        rows = slice(max(0, stop - _MOST_ROWS), stop)
        mine = np.flatnonzero(self.epochs.streams(self.recording, Kind.COMMIT, rows) == np.uint64(stream))
        if not len(mine):
            return None
        at = rows.start + int(mine[-1])
        key = self.epochs.keys(self.recording, Kind.COMMIT, slice(at, at + 1))
        found = self._by_keys(key, slice(max(0, at - 64), at + 1))
        return found[0] if found else None

    def _operands(self, commit: Commit) -> list[Cause]:
        sources = words.word(commit.word, self.recording.meta.xlen).sources
        if not sources:
            return []
        table = self.recording[Kind.COMMIT]
        stop = table.window(0, commit.issue).stop
        rows = slice(max(0, stop - _MOST_ROWS), stop)
        keys = self.epochs.keys(self.recording, Kind.COMMIT, rows)
        mine = (keys >> np.uint64(36) == np.uint64(commit.key >> 36)) & (keys < np.uint64(commit.key))
        register = words.destinations(table["rd"][rows], table["rd_file"][rows])
        found = []
        for source in sources:
            at = np.flatnonzero(mine & (register == source))
            name = f"operand {words.register_name(source)}"
            if not len(at):
                found.append(Cause(f"{name}: not written in this recording before", None))
                continue
            newest = int(np.argmax(keys[at]))
            writer = self._by_keys(keys[at[newest] : at[newest] + 1], slice(rows.start + int(at[0]), rows.stop))
            found.append(Cause(name, writer[0]))
        return found

    def _memory(self, commit: Commit) -> list[Cause]:
        """What a load read: the last store to each address, or the bus."""
        table = self.recording[Kind.MEMORY]
        rows = table.window(commit.issue, commit.cycle)
        mine = np.flatnonzero(self.epochs.keys(self.recording, Kind.MEMORY, rows) == np.uint64(commit.key))
        found: list[Cause] = []
        for row in (rows.start + mine).tolist():
            if int(table["op"][row]) not in (MemoryOp.LOAD, MemoryOp.ATOMIC):
                continue
            space, mask = MemorySpace(int(table["space"][row])), int(table["mask"][row])
            addresses, size = table["addr"][row].reshape(-1), int(table["size"][row])
            lanes_of: dict[int, list[int]] = {}
            for lane in range(self.recording.lanes):
                if mask >> lane & 1:
                    lanes_of.setdefault(int(addresses[lane]), []).append(lane)
            for addr, lanes in lanes_of.items():
                found.append(self._loaded(commit, lanes, addr, size, space, int(table["seq"][row])))
        return found

    def _loaded(self, commit: Commit, lanes: list[int], addr: int, size: int, space: MemorySpace, seq: int) -> Cause:
        core = commit.core if space is MemorySpace.LMEM else None
        stores = writers(self.recording, self.epochs, addr, size, before_seq=seq, space=space, core=core)
        names = ", ".join(map(str, lanes))
        what = f"load of {addr:#x}, lane{'s' if len(lanes) > 1 else ''} {names}"
        note = (
            bus_read(self.transactions(commit.issue, commit.cycle), addr, commit.issue, commit.cycle)
            if space is MemorySpace.GLOBAL
            else "local memory"
        )
        if not stores:
            return Cause(f"{what}: no recorded store before it (host or image)", None, note)
        return Cause(what, self.commit(stores[0].key, stores[0].cycle), note)


def _narrowed(rows: slice, at: np.ndarray, wanted: np.ndarray) -> slice:
    """From the first to the last wanted row; `at` counts from the beginning of `rows`."""
    chosen = at[wanted]
    if not len(chosen):
        return slice(rows.start, rows.start)
    return slice(rows.start + int(chosen[0]), rows.start + int(chosen[-1]) + 1)
