"""The fast tier of the follower: C consumes records and steps the golden warps; Python looks at what C leaves to it.

```
 batch ─▶ follow() in C ─┬─ plain agreement: nothing to do here
                         ├─ more of the walk, an instruction to be decoded, a page
                         └─ anything else ─▶ state to Python ─▶ Joiner, Dispatch, Stepper ─▶ Found, or back to C
```
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from golden_model.fast import follow_layout as layout
from golden_model.fast.build import NoFastTier
from golden_model.fast.dispatching import NONE
from golden_model.follow.adopted import AdoptedKind, Coverage
from golden_model.follow.cursor import JOINED, Cursor, Rest
from golden_model.follow.dispatch import DispatchFollower
from golden_model.follow.exchange import Exchange
from golden_model.follow.instruction import CtaRow, commit_rows, rows
from golden_model.follow.joiner import Joiner
from golden_model.follow.orders import Orders
from golden_model.follow.stepper import Stepper
from golden_model.follow.track import Track
from golden_model.records.layout import Kind, dtype
from golden_model.records.ring import Records

if TYPE_CHECKING:
    from golden_model.fast.engine import Engine

_ADOPTED = {
    "ctas": AdoptedKind.PLACEMENT,
    "warps_started": AdoptedKind.PLACEMENT,
    "barriers": AdoptedKind.BARRIER_ORDER,
    "undefined_register": AdoptedKind.UNDEFINED_REGISTER,
    "undefined_memory": AdoptedKind.UNDEFINED_MEMORY,
    "undefined_store": AdoptedKind.UNDEFINED_STORE,
}


class Accelerator:
    """Owner of the golden warps between `enter` and `leave`; Python's objects are behind then.

    Attributes:
        active: C has the state; otherwise Python goes on alone until the next launch.
        handed_over: how often Python had to look at something.
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
        self._joiner, self._stepper, self._coverage = joiner, stepper, coverage
        self._exchange = Exchange(engine, tracks, orders, joiner, dispatch)
        self._tracks = self._exchange.tracks
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
        self._engine.dispatching.enter(seeded=False, next_core=0)
        self._exchange.f.again = 0
        for track in self._tracks if not self._logs else []:
            self._exchange.conceal(track)
        self._logs = self.active = True
        if not self._exchange.to_c():
            self._engine.dispatching.leave()
            self.active = False

    def leave(self) -> None:
        """C's state goes to Python, but not yet the logs that reports need."""
        if self.active:
            self._to_python()

    def alone(self) -> None:
        """Python goes on alone, with the logs."""
        self.leave()
        for track in self._tracks if self._logs else []:
            self.reveal(track)
        self._logs = False

    def reveal(self, track: Track | None) -> None:
        """Bring the account, and what a report shows of a warp, up to date."""
        self.collect()
        if self._logs and track is not None and track is not self._revealed:
            self._exchange.reveal(track)

    def _to_python(self) -> None:
        self.collect()
        self.active = False
        self._engine.leave()
        self._engine.dispatching.leave()
        self._exchange.to_python()

    def collect(self) -> None:
        """Counts of C go to the account."""
        if not self.active:
            return
        coverage = self._coverage
        for name, value in zip(layout.COUNTS, self._counts.tolist(), strict=True):
            if not value:
                continue
            if not name.startswith("undefined"):
                setattr(coverage, name, getattr(coverage, name) + value)
            if name in _ADOPTED:
                coverage.adopted[_ADOPTED[name]] += value
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
            self._look(layout.SHAPE, cursor, see_cta)
            return self._rest(cursor)
        return self._consume(cursor, see_cta)

    def _rest(self, cursor: Cursor) -> Rest:
        f = self._exchange.f
        return cursor.rest([self._tracks[number] for number in f.work[: f.depth]])

    def _consume(self, cursor: Cursor, see_cta: Callable[[CtaRow], None]) -> Rest | None:
        dispatching = self._engine.dispatching
        while (reason := self._follow(self._pointer)) != layout.DONE:
            if reason == layout.MORE:
                dispatching.more()
            elif not (reason == layout.DISPATCH and dispatching.is_window()) and not self._prepare(reason):
                self._look(reason, cursor, see_cta)
                if not self.active:
                    return self._rest(cursor)
        return None

    def _stopped(self) -> list[Track]:
        """The warp at which C stopped in the middle of its work, if it was one."""
        number = self._exchange.f.track
        return [] if number == NONE else [self._tracks[number]]

    def _wake(self, tracks: Iterable[Track]) -> None:
        """Put warps on C's stack."""
        f = self._exchange.f
        for track in tracks:
            f.work[f.depth] = self._exchange.number(track)
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
            helped = not self._engine.pages.knows(pc) and self._engine.pages.decode(pc)
        else:
            helped = self._engine.pages.provide(warp.core, self._engine.m.missing - 1)
        if helped:
            self._wake([track])
        return helped

    def _look(self, reason: int, cursor: Cursor, see_cta: Callable[[CtaRow], None]) -> None:
        """Python looks at one record or steps one instruction, with everything as the readable tier has it."""
        self.handed_over += 1
        self._to_python()
        inactive = {id(track) for track in self._tracks if not track.warp.tmask}
        woken: list[Track] = []
        if reason == layout.SHAPE:
            self._joiner.check_shape(cursor.arrays)
            self.alone()
            return
        if reason in JOINED:
            self._joiner.join({JOINED[reason]: cursor.take(JOINED[reason])})
        elif reason == layout.COMMIT:
            track = self._joiner.commit(next(commit_rows(cursor.take(Kind.COMMIT))))
            woken = [] if track is None else [track]
        elif reason == layout.CTA:
            see_cta(rows(Kind.CTA, cursor.take(Kind.CTA))[0])
            self._stepper.follow_dispatch()
        elif reason == layout.FULL:
            woken = self._stopped()
            self._stepper.wake(woken)
        else:
            woken = self._go_on(reason, inactive)
        self._back(inactive)
        self._wake([*self._stepper.take_work(), *woken])

    def _go_on(self, reason: int, inactive: set[int]) -> list[Track]:
        """Do what C could not; returns the warp that is to go on. What ended and started again becomes `inactive`."""
        if reason == layout.DISPATCH:
            self._exchange.f.again = 0
            self._stepper.follow_dispatch()
            return self._stopped()
        (track,) = self._stopped()
        ends = track.ends_golden
        if reason == layout.ENDED:
            warp = track.warp
            warp.core.global_barriers.warp_ended(warp.core)
            if warp.resident is not None and not warp.spawned:
                warp.core.warp_ended(warp.resident)
            self._stepper.warp_ended(track)
            woken = [track]
        else:
            woken = self._step(track)
        if track.ends_golden != ends:
            inactive.add(id(track))
        return woken

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
        self._engine.dispatching.resume()
        if self._exchange.to_c():
            self.active = True
            for track in self._tracks:
                if track.warp.tmask and id(track) in inactive:
                    self._engine.started(track.warp)
        else:
            self._engine.dispatching.leave()
            self.alone()
