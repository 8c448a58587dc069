"""What the records say of every warp at their end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from golden_model.records.layout import CommitFlag, CtaEvent, IpdomOp, Kind, MemoryOp
from golden_model.records.ring import Records

KEPT = 256  # newest commits of a warp
_CUT = 16  # the records may begin in the middle of so many instructions that overtook each other
_NUMBERS = ("uid", "cycle", "pc", "next_pc", "tmask", "next_mask", "wmask", "instr", "flags")


class Commit(NamedTuple):
    """Last packet of one instruction; `state` is equal in two rounds of a loop that gets nowhere."""

    uid: int
    cycle: int
    pc: int
    next_pc: int
    mask: int  # with which the next instruction runs
    instr: int
    state: tuple[object, ...]


class Access(NamedTuple):
    """What the LSU accepted for one warp instruction: addresses of the lanes that take part."""

    uid: int
    cycle: int
    op: MemoryOp
    addresses: tuple[int, ...]


@dataclass
class Warp:
    """One warp. `commits` are the newest, by uid; `accesses` those of the LSU, by uid."""

    core: int
    wid: int
    active: bool = False
    slot: int | None = None
    rank: int | None = None
    block: tuple[int, int, int] | None = None
    started: int | None = None
    start_pc: int = 0
    start_mask: int = 0
    start_uid: int = 0
    ended: int | None = None
    commits: dict[int, Commit] = field(default_factory=dict)
    accesses: dict[int, Access] = field(default_factory=dict)
    ipdom: list[tuple[int, int]] = field(default_factory=list)  # mask and saved PC of open SPLITs

    def __str__(self) -> str:
        return f"core {self.core} warp {self.wid}"

    @property
    def in_order(self) -> list[Commit]:
        return [self.commits[uid] for uid in sorted(self.commits)]

    @property
    def last_cycle(self) -> int | None:
        """Cycle of the last commit, or of the start of a warp that committed nothing."""
        cycles = [commit.cycle for commit in self.commits.values()]
        return max([*cycles, *([self.started] if self.started is not None else [])], default=None)

    @property
    def next_uid(self) -> int:
        """The oldest instruction that has not committed."""
        if not self.commits:
            return self.start_uid
        uids = sorted(self.commits)
        first = uids[0] + (_CUT if uids[0] else 0)
        return next((uid for uid in range(first, uids[-1]) if uid not in self.commits), uids[-1] + 1)

    @property
    def next_pc(self) -> int | None:
        """Address of that instruction."""
        before = self.commits.get(self.next_uid - 1)
        if self.next_uid == self.start_uid or before is None:
            return self.start_pc or None
        return before.next_pc

    @property
    def mask(self) -> int:
        before = self.commits.get(self.next_uid - 1)
        return self.start_mask if self.next_uid == self.start_uid or before is None else before.mask

    @property
    def overtaken(self) -> bool:
        """A later instruction has committed, so the next one was issued."""
        return any(uid > self.next_uid for uid in self.commits)

    @property
    def parked(self) -> int:
        """Lanes that wait at an open SPLIT until the running ones have joined."""
        lanes = 0
        for mask, _ in self.ipdom:
            lanes |= mask
        return lanes & ~self.mask


_Of = Callable[[int, int], Warp]


def warps(batch: Mapping[Kind, Records]) -> dict[tuple[int, int], Warp]:
    """Every warp that a record names, by core and warp."""
    found: dict[tuple[int, int], Warp] = {}

    def of(core: int, wid: int) -> Warp:
        return found.setdefault((core, wid), Warp(core, wid))

    blocks: dict[tuple[int, int], tuple[int, int, int]] = {}  # by core and slot: only ACCEPT names the block
    names = ("core", "warp", "uid", "cycle", "event", "slot", "rank", "pc", "tmask", "block_x", "block_y", "block_z")
    for core, wid, uid, cycle, event, slot, rank, pc, tmask, *block in _rows(batch, Kind.CTA, names):
        if event == CtaEvent.ACCEPT:
            blocks[core, slot] = (block[0], block[1], block[2])
        elif event in (CtaEvent.WARP_START, CtaEvent.SPAWN):
            warp = of(core, wid)
            warp.active, warp.started, warp.ended = True, cycle, None
            warp.start_pc, warp.start_mask, warp.start_uid = pc, tmask, uid
            warp.slot = warp.rank = warp.block = None
            if event == CtaEvent.WARP_START:
                warp.slot, warp.rank, warp.block = slot, rank, blocks.get((core, slot))
        elif event == CtaEvent.WARP_END:
            warp = of(core, wid)
            warp.active, warp.ended = False, cycle
    commits = batch.get(Kind.COMMIT)
    if commits is not None:
        _commits(commits[(commits["flags"] & CommitFlag.LAST) != 0], of)
    _accesses(batch, of)
    for core, wid, op, mask, pc in _rows(batch, Kind.IPDOM, ("core", "warp", "op", "mask", "pc")):
        stack = of(core, wid).ipdom
        if op == IpdomOp.PUSH:
            stack.append((mask, pc))
        elif op == IpdomOp.POP and stack:
            stack.pop()
    return dict(sorted(found.items()))


def _commits(records: Records, of: _Of) -> None:
    """The newest of each warp."""
    keys = records["core"].astype(np.uint32) << 16 | records["warp"]
    for key in np.unique(keys).tolist():
        newest = records[np.flatnonzero(keys == key)[-KEPT:]]
        warp = of(key >> 16, key & 0xFFFF)
        for row, data in zip(_rows({Kind.COMMIT: newest}, Kind.COMMIT, _NUMBERS), newest["data"], strict=True):
            uid, cycle, pc, next_pc, tmask, next_mask, wmask, instr, flags = row
            results = tuple(value for lane, value in enumerate(data.tolist()) if wmask >> lane & 1)
            after, mask = (next_pc, next_mask) if flags & CommitFlag.CONTROL else (pc + 4, tmask)
            warp.commits[uid] = Commit(uid, cycle, pc, after, mask, instr, (pc, tmask, instr, wmask, results))
        if warp.started is None and warp.ended is None:  # its start is older than the records
            warp.active = warp.mask != 0


def _accesses(batch: Mapping[Kind, Records], of: _Of) -> None:
    records = batch.get(Kind.MEMORY)
    if records is None:
        return
    rows = _rows(batch, Kind.MEMORY, ("core", "warp", "uid", "cycle", "op", "mask"))
    for (core, wid, uid, cycle, op, mask), addresses in zip(rows, records["addr"], strict=True):
        taken = tuple(address for lane, address in enumerate(addresses.tolist()) if mask >> lane & 1)
        kept = of(core, wid).accesses
        earlier = kept[uid].addresses if uid in kept else ()
        kept[uid] = Access(uid, cycle, MemoryOp(op), (*earlier, *taken))


def _rows(batch: Mapping[Kind, Records], kind: Kind, names: tuple[str, ...]) -> list[tuple[int, ...]]:
    records = batch.get(kind)
    if records is None or not len(records):
        return []
    return list(zip(*(records[name].tolist() for name in names), strict=True))
