"""The fast tier of the follower: C consumes records and steps the golden warps; Python looks at what C leaves to it.

```
 batch ─▶ follow() in C ─┬─ plain agreement: nothing to do here
                         ├─ CTA record, end of a warp ─▶ DispatchFollower
                         └─ anything else ─▶ state to Python ─▶ Joiner, Stepper ─▶ Found, or state back to C
```
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from golden_model.fast import follow_layout as layout
from golden_model.fast.build import NoFastTier
from golden_model.follow.adopted import AdoptedKind, Coverage
from golden_model.follow.cursor import JOINED, Cursor, Rest
from golden_model.follow.dispatch import DispatchFollower
from golden_model.follow.exchange import Exchange
from golden_model.follow.instruction import CtaRow, commit_rows
from golden_model.follow.joiner import Joiner
from golden_model.follow.orders import Orders
from golden_model.follow.stepper import Stepper
from golden_model.follow.track import Track
from golden_model.records.layout import CtaEvent, Kind, dtype
from golden_model.records.ring import Records

if TYPE_CHECKING:
    from golden_model.fast.engine import Engine

_ADOPTED = {
    "undefined_register": AdoptedKind.UNDEFINED_REGISTER,
    "undefined_memory": AdoptedKind.UNDEFINED_MEMORY,
    "undefined_store": AdoptedKind.UNDEFINED_STORE,
}


class Accelerator:
    """Owner of the golden warps between `enter` and `leave`; Python's objects are behind then.

    Up to date in Python at all times: dispatch, whether a warp is active, PC and number of the inactive ones.

    Attributes:
        active: C has the state; otherwise Python goes on alone until the next launch.
        handed_over: how often Python had to look at something that was no CTA record and no end of a warp.
    """

    def __init__(
        self,
        engine: Engine,
        tracks: list[list[Track]],
        orders: Orders,
        joiner: Joiner,
        stepper: Stepper,
        dispatch: DispatchFollower,
        coverage: Coverage,
    ) -> None:
        self._engine = engine
        self._joiner, self._stepper, self._dispatch, self._coverage = joiner, stepper, dispatch, coverage
        self._exchange = Exchange(engine, tracks, orders, joiner, dispatch)
        self._tracks, self._warps = self._exchange.tracks, len(tracks[0])
        self._follow = engine.library.follow
        self._pointer = ctypes.byref(self._exchange.f)
        self._counts: Any = np.ctypeslib.as_array(self._exchange.f.count)
        self._sizes = {kind: dtype(kind, engine.machine.config.num_threads).itemsize for kind in layout.FOLLOWED}
        self._logs = False  # C has the logs that reports need
        self._revealed: Track | None = None  # but that of this warp is in Python
        self.active = False
        self.handed_over = 0

    # ------------------------------------------------------------------ who has the state

    def enter(self) -> None:
        """Python's state goes to C, if C can hold it."""
        self.leave()
        try:
            self._engine.enter()
        except NoFastTier as reason:
            self._engine.machine.tier_note = f"the readable tier runs: {reason}"
            return
        for track in self._tracks:
            self._exchange.conceal(track)
        self._logs = self.active = True
        if not self._exchange.to_c():
            self._give_up()

    def leave(self) -> None:
        """C's state goes to Python."""
        if self.active:
            self._to_python()
        self._give_up()

    def _give_up(self) -> None:
        """Python has the state; it gets the logs, too."""
        self.active = False
        for track in self._tracks if self._logs else []:
            self.reveal(track)
        self._logs = False

    def reveal(self, track: Track | None) -> None:
        """Bring the account, and what a report shows of a warp, up to date."""
        if self.active:
            self._collect()
        if self._logs and track is not None and track is not self._revealed:
            self._exchange.reveal(track)

    def _to_python(self) -> None:
        self.active = False
        self._collect()
        self._engine.leave()
        self._exchange.to_python()

    def _collect(self) -> None:
        """Counts of C go to the account."""
        coverage = self._coverage
        for name, value in zip(layout.COUNTS, self._counts.tolist(), strict=True):
            if not value:
                continue
            if name in _ADOPTED:
                coverage.adopted[_ADOPTED[name]] += value
            else:
                setattr(coverage, name, getattr(coverage, name) + value)
            if name == "barriers":
                coverage.adopted[AdoptedKind.BARRIER_ORDER] += value
        self._counts[:] = 0
        self._joiner.retired[:] = self._exchange.f.retired[: len(self._joiner.retired)]

    # ------------------------------------------------------------------ records

    def feed(self, batch: Mapping[Kind, Records], see_cta: Callable[[CtaRow], None]) -> Rest | None:
        """Compare one batch; returns what is left of it if Python has to go on alone.

        Args:
            batch: records of whole cycles, none of them a FAULT.
            see_cta: called with every CTA record when its turn has come.

        Raises:
            Found: the first mismatch.
        """
        cursor = Cursor(self._exchange.f, batch)
        if not cursor.fits(self._sizes):
            self._look(layout.SHAPE, cursor)
            return self._rest(cursor)
        return self._consume(cursor, see_cta)

    def _rest(self, cursor: Cursor) -> Rest:
        f = self._exchange.f
        return cursor.rest([self._tracks[number] for number in f.work[: f.depth]])

    def _consume(self, cursor: Cursor, see_cta: Callable[[CtaRow], None]) -> Rest | None:
        f = self._exchange.f
        while (reason := self._follow(self._pointer)) != layout.DONE:
            if reason == layout.START:
                self._start(cursor.ctas[f.i_cta - 1])
            elif reason == layout.CTA:
                row = cursor.ctas[f.i_cta]
                f.i_cta += 1
                self._see(row, see_cta)
            elif reason == layout.ENDED:
                self._ended(f.track)
            elif not self._prepare(reason):
                self._look(reason, cursor)
                if not self.active:
                    return self._rest(cursor)
        self._collect()
        return None

    # ------------------------------------------------------------------ dispatch

    def _see(self, row: CtaRow, see_cta: Callable[[CtaRow], None]) -> None:
        """A CTA record that C leaves to Python: a new CTA, the start of a warp, or one that has something wrong."""
        exchange = self._exchange
        number, slot = row.core * self._warps + row.warp, row.core * self._warps + row.slot
        track, c = self._tracks[number], exchange.c[number]
        track.hw_active, track.hw_slot, track.hw_spawned = bool(c.hw_active), c.hw_slot, bool(c.hw_spawned)
        if row.slot < self._warps:
            exchange.slot_to_python(slot, exchange.seen[slot])
        see_cta(row)
        if row.slot < self._warps:
            exchange.slot_to_c(slot)
        c.hw_active, c.hw_slot, c.hw_spawned = track.hw_active, track.hw_slot, track.hw_spawned
        if row.event != CtaEvent.ACCEPT:
            c.starts = len(track.starts) + len(track.spawns_seen)
        self._wake(self._dispatch.follow())

    def _start(self, row: CtaRow) -> None:
        """The start of a warp, of which the records say nothing wrong."""
        self._dispatch.queue_start(self._tracks[row.core * self._warps + row.warp], row)
        self._wake(self._dispatch.follow())

    def _ended(self, number: int) -> None:
        """A golden warp has ended in C."""
        track = self._tracks[number]
        self._engine.ended(track.warp)
        track.next_uid = self._exchange.c[number].next_uid
        self._stepper.warp_ended(track)
        self._wake([*self._stepper.take_work(), track])

    def _wake(self, tracks: Iterable[Track]) -> None:
        """Put warps on C's stack; those that dispatch has started become active in C."""
        f = self._exchange.f
        for track in tracks:
            number = self._exchange.number(track)
            if track.warp.tmask and not self._engine.is_active(track.warp):
                self._exchange.c[number].starts = len(track.starts) + len(track.spawns_seen)
                self._engine.restarted(track.warp)
            f.work[f.depth] = number
            f.depth += 1

    # ------------------------------------------------------------------ what C leaves to Python

    def _prepare(self, reason: int) -> bool:
        """Make known to C what it lacks: a page, or the instruction at a PC; False if that cannot help."""
        if reason not in (layout.DECODE, layout.PAGE):
            return False
        track = self._tracks[self._exchange.f.track]
        warp = track.warp
        if reason == layout.DECODE:
            pc = self._engine.next_pc(warp.core, warp)
            helped = not self._engine.knows(pc) and self._engine.decode(pc)
        else:
            helped = self._engine.provide(warp.core, self._engine.m.missing - 1)
        if helped:
            self._wake([track])
        return helped

    def _look(self, reason: int, cursor: Cursor) -> None:
        """Python looks at one record or steps one instruction, with everything as the readable tier has it."""
        self.handed_over += 1
        inactive = {id(track) for track in self._tracks if not self._engine.is_active(track.warp)}
        self._to_python()
        f, woken = self._exchange.f, []
        if reason == layout.SHAPE:
            self._joiner.check_shape(cursor.arrays)
            self._give_up()
            return
        if reason in JOINED:
            self._joiner.join({JOINED[reason]: cursor.take(JOINED[reason])})
        elif reason == layout.COMMIT:
            track = self._joiner.commit(next(commit_rows(cursor.take(Kind.COMMIT))))
            woken = [] if track is None else [track]
        elif reason == layout.FULL:
            woken = [self._tracks[f.track]]
            self._stepper.wake(woken)
        else:
            track = self._tracks[f.track]
            ends = track.ends_golden
            woken = self._step(track)
            if track.ends_golden != ends:
                inactive.add(id(track))
        self._back(inactive)
        self._wake([*self._stepper.take_work(), *woken])

    def _step(self, track: Track) -> list[Track]:
        self._exchange.reveal(track)
        self._revealed = track
        pc, uid = track.warp.pc, track.next_uid
        moved = self._stepper.step_next(track)
        self._exchange.conceal(track)
        self._revealed = None
        if track.history and track.history[-1][0].uid == uid:
            self._engine.learn(pc, track.history[-1][0])
        return [track] if moved else []

    def _back(self, inactive: set[int]) -> None:
        """The state goes to C again; if C has no place for something, Python goes on alone."""
        self._engine.take_back()
        if self._exchange.to_c():
            self.active = True
            for track in self._tracks:
                if track.warp.tmask and id(track) in inactive:
                    self._engine.started(track.warp)
        else:
            self._give_up()
