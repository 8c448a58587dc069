"""Joins the records of one instruction by core, warp and uid, and checks what the records alone can show."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import cast

import numpy as np

from config import HardwareConfig
from golden_model.barrier import GLOBAL_BIT
from golden_model.follow.compare import Mismatch, lanes_of
from golden_model.follow.difference import Category
from golden_model.follow.instruction import (
    BarrierRow,
    CommitRow,
    FaultRow,
    Instruction,
    IpdomRow,
    MemoryRow,
    rows,
)
from golden_model.follow.orders import Orders
from golden_model.follow.track import Found, Track
from golden_model.records.layout import BarrierOp, CommitFlag, Kind, MemoryOp
from golden_model.records.ring import Records

_FIRST, _LAST = int(CommitFlag.FIRST), int(CommitFlag.LAST)
_LANE_MASKS = {Kind.COMMIT: ("tmask", "wmask"), Kind.MEMORY: ("mask",), Kind.FAULT: ("tmask",)}
# Instructions of one warp that wait behind one that has not committed completely; no design has so many in flight.
MOST_WAITING = 512
END = 1 << 64


class Joiner:
    """Files records with the `Track` of their warp.

    Attributes:
        retired: last packets per core since reset, which is what MINSTRET counts.
        next_cycle: cycle of the first record of the batch that is not filed yet.
    """

    def __init__(self, config: HardwareConfig, tracks: list[list[Track]], orders: Orders) -> None:
        self._config = config
        self._tracks = tracks
        self._orders = orders
        self.retired = [0 for _ in tracks]
        self.next_cycle = END
        self._memory: deque[MemoryRow] = deque()
        self._barriers: deque[BarrierRow] = deque()
        self._ipdoms: deque[IpdomRow] = deque()

    def check_shape(self, batch: Mapping[Kind, Records]) -> None:
        """Records must belong to this machine; numpy checks a whole batch at once."""
        for kind, records in batch.items():
            if not len(records) or kind in (Kind.AXI, Kind.RUN):
                continue
            core, warp = int(records["core"].max()), int(records["warp"].max())
            if core >= len(self._tracks) or warp >= len(self._tracks[0]):
                raise _foreign(
                    f"a {kind.name} record names core {core} warp {warp}, outside {len(self._tracks)} cores of "
                    f"{len(self._tracks[0])} warps"
                )
            lanes = self._config.num_threads
            if kind in (Kind.COMMIT, Kind.MEMORY) and records["data"].shape[1] != lanes:
                raise _foreign(f"{kind.name} records have {records['data'].shape[1]} lanes instead of {lanes}")
            for mask in _LANE_MASKS.get(kind, ()):
                highest = int(np.bitwise_or.reduce(records[mask]))
                if highest >> lanes:
                    raise _foreign(f"{mask} of a {kind.name} record has bits above the {lanes} lanes: {highest:#x}")

    def join(self, batch: Mapping[Kind, Records]) -> list[Track]:
        """File all records that wait for their instruction; returns the warps that a FAULT record concerns."""
        self.begin(batch)
        self.until(END)
        woken = []
        for fault in cast("list[FaultRow]", _rows(batch, Kind.FAULT)):
            track = self._tracks[fault.core][fault.warp]
            track.fault[fault.uid] = fault
            woken.append(track)
        return woken

    def begin(self, batch: Mapping[Kind, Records]) -> None:
        """A new batch; its MEMORY, BARRIER and IPDOM records are filed by `until`."""
        self._memory = deque(cast("list[MemoryRow]", _rows(batch, Kind.MEMORY)))
        self._barriers = deque(cast("list[BarrierRow]", _rows(batch, Kind.BARRIER)))
        self._ipdoms = deque(cast("list[IpdomRow]", _rows(batch, Kind.IPDOM)))
        self._next()

    def until(self, cycle: int) -> None:
        """File what happened up to a cycle, so that a difference is found before what comes after it."""
        while self._memory and self._memory[0].cycle <= cycle:
            self._join_memory(self._memory.popleft())
        while self._barriers and self._barriers[0].cycle <= cycle:
            self._join_barrier(self._barriers.popleft())
        while self._ipdoms and self._ipdoms[0].cycle <= cycle:
            self._join_ipdom(self._ipdoms.popleft())
        self._next()

    def _next(self) -> None:
        queues = (self._memory, self._barriers, self._ipdoms)
        self.next_cycle = min((queue[0].cycle for queue in queues if queue), default=END)

    def _join_barrier(self, row: BarrierRow) -> None:
        track = self._tracks[row.core][row.warp]
        if row.uid in track.barrier or row.uid < track.next_uid:
            raise _late(track, row, "the barrier unit served the instruction twice", Category.BARRIER)
        track.barrier[row.uid] = row
        track.joined.add(row.uid)
        self._orders.add_barrier(track, row.uid)

    def _join_ipdom(self, row: IpdomRow) -> None:
        track = self._tracks[row.core][row.warp]
        if row.uid in track.ipdom or row.uid < track.next_uid:
            raise _late(track, row, "the instruction used the IPDOM stack twice", Category.CONTROL)
        track.ipdom[row.uid] = row
        track.joined.add(row.uid)

    def _join_memory(self, row: MemoryRow) -> None:
        track, uid = self._tracks[row.core][row.warp], row.uid
        if uid in track.memory:
            track.memory[uid].append(row)
            if row.op == MemoryOp.ATOMIC and uid == track.last_memory_uid:
                self._orders.add_memory(track, uid)
            return
        if uid < track.next_uid:
            message = f"the LSU accepted an access of instruction {uid}, which had committed without one"
            raise Found(
                Mismatch("extra memory access", Category.MEMORY, message), cycle=row.cycle, track=track, uid=uid
            )
        if uid < track.last_memory_uid:
            raise Found(
                Mismatch(
                    "memory order",
                    Category.MEMORY,
                    "the LSU accepted an access after that of a younger instruction of the same warp",
                    f"uid above {track.last_memory_uid}",
                    f"uid {uid}",
                ),
                cycle=row.cycle,
                track=track,
                uid=uid,
            )
        track.last_memory_uid = uid
        track.memory[uid] = [row]
        track.joined.add(uid)
        self._orders.add_memory(track, uid)

    def see_barrier(self, row: BarrierRow) -> None:
        """Which warps the design's barrier unit holds, in the order of its records."""
        tracks = self._tracks[row.core]
        for wid in lanes_of(row.released):
            if wid < len(tracks):
                tracks[wid].blocked_by = None
        if row.id & GLOBAL_BIT:
            return  # another core's operation may let the warp go, which no record of this core shows
        if row.op in (BarrierOp.SYNC, BarrierOp.WAIT) and not row.released >> row.warp & 1:
            tracks[row.warp].blocked_by = row

    def commit(self, row: CommitRow) -> Track | None:
        """Merge one commit packet; returns the warp if its next instruction is complete now."""
        core, uid, flags = row[3], row[5], row[6]
        track = self._tracks[core][row[4]]
        if flags & _LAST:
            self.retired[core] += 1
        ins = track.pending.get(uid)
        if ins is None:
            ins = Instruction(row)
            if uid == track.faulted_uid:
                return None  # its FAULT record came first and was followed
            if uid < track.next_uid:
                raise packet_error(track, ins, "extra commit", "the instruction has committed before")
            if not flags & _FIRST:
                raise packet_error(track, ins, "commit packets", "its first packet is not marked as the first one")
            blocker = track.blocked_by
            if blocker is not None and uid > blocker.uid:
                raise packet_error(
                    track,
                    ins,
                    "barrier released early",
                    f"the warp went on although barrier {blocker.id:#x} holds it since cycle {blocker.cycle} "
                    f"(uid {blocker.uid})",
                    Category.BARRIER,
                )
            track.pending[uid] = ins
            if len(track.pending) > MOST_WAITING and not track.is_due:
                raise missing_commit(track, ins.cycle)
        else:
            problem = ins.add(row)
            if problem is not None:
                check = "extra commit" if ins.complete and flags & _FIRST else "commit packets"
                raise packet_error(track, ins, check, problem)
        return track if ins.complete and uid == track.next_uid else None


def packet_error(
    track: Track, ins: Instruction, check: str, message: str, category: Category = Category.CONTROL
) -> Found:
    """A commit packet that should not be there."""
    return Found(
        Mismatch(check, category, message, None, f"uid {ins.uid}, pc {ins.pc:#x}, word {ins.instr:#010x}"),
        cycle=ins.cycle,
        track=track,
        uid=ins.uid,
        tmask=ins.tmask,
    )


def missing_commit(track: Track, cycle: int) -> Found:
    """The next instruction of a warp never (completely) committed, although younger ones did."""
    uid = track.next_uid
    waiting = sorted(track.pending)
    part = track.pending.get(uid)
    message = (
        f"instruction {uid} of {track} committed some lanes, but never its last packet"
        if part is not None
        else f"instruction {uid} of {track} never committed; {len(waiting)} younger ones did, from uid {waiting[0]} on"
    )
    return Found(
        Mismatch("missing commit", Category.CONTROL, message, f"uid {uid}", f"next committed: uid {waiting[0]}"),
        cycle=cycle,
        track=track,
        uid=uid,
    )


def _rows(batch: Mapping[Kind, Records], kind: Kind) -> list[object]:
    records = batch.get(kind)
    return rows(kind, records) if records is not None and len(records) else []


def _foreign(message: str) -> Found:
    return Found(Mismatch("foreign record", Category.COUNT, message))


def _late(track: Track, row: BarrierRow | IpdomRow, message: str, category: Category) -> Found:
    return Found(Mismatch("extra record", category, message), cycle=row.cycle, track=track, uid=row.uid)
