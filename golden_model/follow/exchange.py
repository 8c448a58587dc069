"""State of the follower in C and in Python, one from the other (golden_model/fast/join.c, track.py)."""

from __future__ import annotations

import ctypes
import mmap
from collections import deque
from typing import TYPE_CHECKING, Any

import numpy as np

from golden_model.fast import follow_layout as layout
from golden_model.follow.dispatch import DispatchFollower, SeenCta
from golden_model.follow.instruction import BarrierRow, CtaRow, Instruction, IpdomRow, MemoryRow, rows
from golden_model.follow.joiner import Joiner
from golden_model.follow.orders import Orders
from golden_model.follow.track import Executed, Track
from golden_model.records.layout import Kind, MemoryOp, MemorySpace, RegisterFile, dtype
from golden_model.records.ring import Records
from golden_model.step import MemoryAccess, Step

if TYPE_CHECKING:
    from golden_model.fast.engine import Engine

_ROWS = 1 << 16
_EMPTY = 0xFFFF_FFFF  # Log.python of a place that holds nothing
_PLACES = layout.HISTORY + 64  # of one warp


class Exchange:
    """The structures of C for one follower. Python's objects are brought up to date by `to_python`."""

    def __init__(
        self, engine: Engine, tracks: list[list[Track]], orders: Orders, joiner: Joiner, dispatch: DispatchFollower
    ) -> None:
        row, slot, _, _, track, seen, follow = (made.python for made in engine.tables.layout.follow)
        self.tracks = [one for of_core in tracks for one in of_core]
        self._number = {id(one): number for number, one in enumerate(self.tracks)}
        self._orders, self._joiner, self._dispatch = orders, joiner, dispatch
        self._slots = len(tracks[0])  # of a core
        self._lanes = len(engine.tables.layout.effects.python().addr)
        self._engine = engine
        self._maps: list[mmap.mmap] = []
        self._python: dict[int, Executed] = {}  # steps that Python executed, by Log.python
        count = len(self.tracks)
        self.slots = self._array(slot, count * layout.WINDOW + 1)
        self.rows = self._array(row, _ROWS)
        self.c = self._array(track, count)
        self.order = self._array(ctypes.c_uint64, layout.ORDER)
        self.barrier_order = self._array(ctypes.c_uint64, layout.BARRIER_ORDER * len(tracks))
        self.seen = self._array(seen, count)
        self.f: Any = follow()
        self.f.m = ctypes.addressof(engine.m)
        self.f.num_cores, self.f.max_rows = len(tracks), _ROWS
        self.f.wake_all = engine.machine.config.ext_simt_full
        record = dtype(Kind.CTA, self._lanes)
        self.accepts = np.zeros(layout.CTAS, record)
        self.starts = np.zeros((len(tracks), layout.CTAS), record)
        self.f.accepts, self.f.starts = self.accepts.ctypes.data, self.starts.ctypes.data
        for name, array in (
            ("tracks", self.c), ("slots", self.slots), ("rows", self.rows), ("order", self.order),
            ("barrier_order", self.barrier_order), ("seen", self.seen),
        ):  # fmt: skip
            setattr(self.f, name, ctypes.addressof(array))
        self._places = [np.ctypeslib.as_array(c.at) for c in self.c]
        for number, one in enumerate(self.tracks):
            self.c[number].core, self.c[number].wid = one.core, one.wid

    def _array(self, kind: Any, count: int) -> Any:
        """Anonymous memory, of which only the pages that are used exist."""
        self._maps.append(mmap.mmap(-1, ctypes.sizeof(kind) * count))
        return (kind * count).from_buffer(self._maps[-1])

    def number(self, track: Track) -> int:
        """Index of a warp in C."""
        return self._number[id(track)]

    # ------------------------------------------------------------------ to Python

    def to_python(self) -> None:
        """What waits for its turn, and the orders; not what the reports need."""
        for one, c in zip(self.tracks, self.c, strict=True):
            one.next_uid, one.last_memory_uid = c.next_uid, c.last_memory_uid
            one.blocked_by = None
            if c.held:
                one.blocked_by = BarrierRow(
                    c.b_seq, c.b_cycle, c.core, c.wid, c.blocker_uid, c.b_op, c.b_id, c.b_count, c.b_phase, c.b_released
                )
            one.hw_active, one.hw_slot, one.hw_spawned = bool(c.hw_active), c.hw_slot, bool(c.hw_spawned)
            one.ends_seen, one.ends_golden = c.ends_seen, c.ends_golden
            if c.started:
                warp = self._engine.cores[one.core].warps[one.wid]
                one.block, one.rank = tuple(warp.cta.block), warp.rank
            if c.ended:
                one.counter_reads.clear()
            c.started = c.ended = 0
            one.starts.clear()
            for waiting in (one.pending, one.memory, one.barrier, one.ipdom, one.joined):
                waiting.clear()
        for one, s in self._waiting():
            self._slot_to_python(one, s)
        for one in self.tracks:
            for joined in (one.memory, one.barrier, one.ipdom):
                _sort(joined)
        self._ctas_to_python()
        f, cores = self.f, len(self._joiner.retired)
        self._joiner.retired[:] = f.retired[:cores]
        self._orders.replace(
            [self._turn(self.order[at % layout.ORDER]) for at in range(f.order_head, f.order_tail)],
            [
                [
                    self._turn(self.barrier_order[core * layout.BARRIER_ORDER + at % layout.BARRIER_ORDER])
                    for at in range(f.bar_head[core], f.bar_tail[core])
                ]
                for core in range(cores)
            ],
        )

    def _turn(self, packed: int) -> tuple[Track, int]:
        return self.tracks[packed >> 48], packed & (1 << 48) - 1

    def _waiting(self) -> list[tuple[Track, Any]]:
        """Every instruction of which something is known."""
        found = []
        for one, places in zip(self.tracks, self._places, strict=True):
            found += [(one, self.slots[at]) for at in places[places != 0].tolist()]
        return found

    def _slot_to_python(self, one: Track, s: Any) -> None:
        if s.committed:
            ins = Instruction.__new__(Instruction)
            ins.cycle, ins.issue_cycle, ins.uid = s.cycle, s.issue_cycle, s.uid
            ins.pc, ins.instr, ins.tmask, ins.slot = s.pc, s.instr, s.tmask, s.slot
            ins.wmask, ins.rd_file, ins.rd, ins.data = s.wmask, s.rd_file, s.rd, list(s.data)
            ins.next_pc, ins.next_mask, ins.fflags = s.next_pc, s.next_mask, s.fflags
            ins.control, ins.complete = bool(s.control), bool(s.complete)
            one.pending[s.uid] = ins
        at = s.first_row
        while at:
            r = self.rows[at]
            one.memory.setdefault(s.uid, []).append(
                MemoryRow(
                    r.seq, r.cycle, one.core, one.wid, s.uid, r.mask, r.op, r.size, r.space, list(r.addr), list(r.data)
                )
            )
            at = r.next
        if s.barrier:
            one.barrier[s.uid] = BarrierRow(
                s.bar_seq, s.bar_cycle, one.core, one.wid, s.uid, s.bar_op, s.bar_id, s.bar_count, s.bar_phase,
                s.bar_released,
            )  # fmt: skip
        if s.ipdom:
            one.ipdom[s.uid] = IpdomRow(
                s.ip_seq, s.ip_cycle, one.core, one.wid, s.uid, s.ip_op, s.ip_sp, s.ip_mask, s.ip_pc
            )
        if s.first_row or s.barrier or s.ipdom:
            one.joined.add(s.uid)

    def _ctas_to_python(self) -> None:
        """What the records say of CTAs, and those that the golden model has not followed yet."""
        f, dispatch = self.f, self._dispatch
        for number, seen in enumerate(self.seen):
            core, slot = divmod(number, self._slots)
            slots = dispatch.slots[core]
            if not seen.held:
                slots.pop(slot, None)
            else:
                slots[slot] = SeenCta(tuple(seen.block), slot, seen.num_warps, seen.ended)
        dispatch.in_order = f.launched
        dispatch.accepts = deque(_ring_rows(self.accepts, f.accept_head, f.accept_tail))
        for core, ring in enumerate(self.starts):
            starts = dispatch.starts[core] = deque(_ring_rows(ring, f.start_head[core], f.start_tail[core]))
            for row in starts:
                self.tracks[core * self._slots + row.warp].starts.append(row)

    def _ctas_to_c(self) -> bool:
        """The reverse; False if C has no place for it."""
        f, dispatch = self.f, self._dispatch
        if dispatch.out_of_order or any(len(rows) > layout.CTAS for rows in (dispatch.accepts, *dispatch.starts)):
            return False
        f.launched = dispatch.in_order
        f.accept_head, f.accept_tail = 0, len(dispatch.accepts)
        _fill_ring(self.accepts, dispatch.accepts)
        for core, starts in enumerate(dispatch.starts):
            f.start_head[core], f.start_tail[core] = 0, len(starts)
            _fill_ring(self.starts[core], starts)
        for number, seen in enumerate(self.seen):
            core, slot = divmod(number, self._slots)
            cta = dispatch.slots[core].get(slot)
            seen.held = cta is not None
            if cta is not None:
                seen.num_warps, seen.ended, seen.block[:] = cta.num_warps, cta.ended, cta.block
        return True

    def reveal(self, one: Track) -> None:
        """What reports need of one warp: its last instructions, and who wrote its registers."""
        c = self.c[self.number(one)]
        order = [(c.hist_at + back) % layout.HISTORY for back in range(layout.HISTORY)]
        known = [self._executed(one, c.hist[at]) for at in order]
        one.history.clear()
        one.history.extend(entry for entry in known if entry is not None)
        one.writers[:] = [self._writer(one, by) for by in c.writers]

    def _writer(self, one: Track, by: Any) -> Executed | None:
        if by.python:
            return None if by.python == _EMPTY else self._python[by.python]
        result = list(by.result)
        return Step(one.core, one.wid, by.uid, by.pc, by.instr, "", 0, 0, 0, wmask=by.wmask, result=result), by.cycle

    def _executed(self, one: Track, log: Any) -> Executed | None:
        if log.python:
            return None if log.python == _EMPTY else self._python[log.python]
        step = Step(
            one.core, one.wid, log.uid, log.pc, log.instr, "", log.tmask, log.next_pc, log.next_mask,
            wmask=log.wmask, rd_file=RegisterFile(log.rd_file), rd=log.rd, result=list(log.result),
            is_control=bool(log.control),
        )  # fmt: skip
        if log.memory:
            step.memory = MemoryAccess(
                MemoryOp(log.op), MemorySpace.GLOBAL, 0, log.mask, list(log.addr), list(log.data)
            )
        return step, log.cycle

    # ------------------------------------------------------------------ to C

    def to_c(self) -> bool:
        """The reverse of `to_python`; False if C has no place for something: Python must go on alone."""
        f = self.f
        f.free_slot = f.used_slots = f.free_row = f.used_rows = 0
        turns, of_cores = self._orders.waiting()
        if len(turns) >= layout.ORDER or any(len(order) >= layout.BARRIER_ORDER for order in of_cores):
            return False
        for one, c in zip(self.tracks, self.c, strict=True):
            ctypes.memset(ctypes.addressof(c.at), 0, ctypes.sizeof(c.at))
            c.next_uid, c.last_memory_uid = one.next_uid, one.last_memory_uid
            c.hw_active, c.hw_slot, c.hw_spawned = one.hw_active, one.hw_slot, one.hw_spawned
            c.ends_seen, c.ends_golden, c.started, c.ended = one.ends_seen, one.ends_golden, 0, 0
            c.pending, c.starts = len(one.pending), len(one.starts) + len(one.spawns_seen)
            held = one.blocked_by
            c.held = held is not None
            if held is not None:
                c.blocker_uid, c.b_seq, c.b_cycle, c.b_released = held.uid, held.seq, held.cycle, held.released
                c.b_id, c.b_count, c.b_op, c.b_phase = held.id, held.participants, held.op, held.phase
            uids = {*one.pending, *one.memory, *one.barrier, *one.ipdom}
            if any(not one.next_uid <= uid < one.next_uid + layout.WINDOW for uid in uids):
                return False
            if one.ended_by_fault or one.fault:
                return False
            for uid in uids:
                self._slot_to_c(one, c, uid)
        if not self._ctas_to_c():
            return False
        f.order_head, f.order_tail = 0, len(turns)
        self.order[: len(turns)] = [self._packed(turn) for turn in turns]
        for core, order in enumerate(of_cores):
            f.bar_head[core], f.bar_tail[core] = 0, len(order)
            first = core * layout.BARRIER_ORDER
            self.barrier_order[first : first + len(order)] = [self._packed(turn) for turn in order]
            f.retired[core] = self._joiner.retired[core]
        return True

    def _packed(self, turn: tuple[Track, int]) -> int:
        return self.number(turn[0]) << 48 | turn[1]

    def _slot_to_c(self, one: Track, c: Any, uid: int) -> None:
        self.f.used_slots += 1
        c.at[uid % layout.WINDOW] = self.f.used_slots
        s = self.slots[self.f.used_slots]
        s.uid = uid
        s.committed = s.complete = s.barrier = s.ipdom = s.first_row = s.last_row = 0
        ins = one.pending.get(uid)
        if ins is not None:
            s.committed, s.complete, s.control = 1, ins.complete, ins.control
            s.cycle, s.issue_cycle, s.pc, s.instr, s.tmask = ins.cycle, ins.issue_cycle, ins.pc, ins.instr, ins.tmask
            s.slot, s.wmask, s.rd, s.rd_file, s.fflags = ins.slot, ins.wmask, ins.rd, ins.rd_file, ins.fflags
            s.next_pc, s.next_mask, s.data[:] = ins.next_pc, ins.next_mask, ins.data
        for row in one.memory.get(uid, []):
            self.f.used_rows += 1
            at = self.f.used_rows
            r = self.rows[at]
            r.seq, r.cycle, r.mask, r.op, r.size, r.space = row.seq, row.cycle, row.mask, row.op, row.size, row.space
            r.addr[:], r.data[:], r.next = row.addr, row.data, 0
            if s.last_row:
                self.rows[s.last_row].next = at
            else:
                s.first_row = at
            s.last_row = at
        bar, ipdom = one.barrier.get(uid), one.ipdom.get(uid)
        if bar is not None:
            s.barrier, s.bar_seq, s.bar_cycle, s.bar_released = 1, bar.seq, bar.cycle, bar.released
            s.bar_id, s.bar_count, s.bar_op, s.bar_phase = bar.id, bar.participants, bar.op, bar.phase
        if ipdom is not None:
            s.ipdom, s.ip_seq, s.ip_cycle, s.ip_mask, s.ip_pc = 1, ipdom.seq, ipdom.cycle, ipdom.mask, ipdom.pc
            s.ip_op, s.ip_sp = ipdom.op, ipdom.sp

    def conceal(self, one: Track) -> None:
        """The reverse of `reveal`; C keeps numbers that stand for Python's steps."""
        number = self.number(one)
        c, base = self.c[number], number * _PLACES + 1
        entries = [*one.history, *[None] * (layout.HISTORY - len(one.history)), *one.writers]
        for place, entry in enumerate(entries):
            log = c.hist[place] if place < layout.HISTORY else c.writers[place - layout.HISTORY]
            log.python = _EMPTY if entry is None else base + place
            if entry is not None:
                self._python[base + place] = entry
        c.hist_at = len(one.history) % layout.HISTORY


def _ring_rows(ring: Records, head: int, tail: int) -> list[CtaRow]:
    """Records of a ring, the oldest first."""
    return rows(Kind.CTA, ring[np.arange(head, tail) % layout.CTAS]) if tail > head else []


def _fill_ring(ring: Records, waiting: deque[CtaRow]) -> None:
    for place, row in enumerate(waiting):
        for name, value in row._asdict().items():
            ring[place][name] = value


def _sort(rows: dict[int, Any]) -> None:
    """In the order in which the records came."""
    if len(rows) > 1:
        ordered = sorted(rows.items(), key=lambda item: item[1][0].seq if isinstance(item[1], list) else item[1].seq)
        rows.clear()
        rows.update(ordered)
