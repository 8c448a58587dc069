"""Running the machine alone on the fast tier: C executes the steps, Python what C leaves to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from golden_model.errors import HangError, LimitError
from golden_model.scheduler import LIVELOCK, RunSummary, Scheduler, Watch

if TYPE_CHECKING:
    from golden_model.core import Core
    from golden_model.fast.engine import Engine
    from golden_model.machine import Machine
    from golden_model.warp import Warp

ROUND_WITH_END, IDLE, NOT_ME, LIMIT, MORE_CTAS, ODD_START = range(6)  # golden_model/fast/loop.c


class FastScheduler(Scheduler):
    """The same order of steps, executed by the fast tier; Python executes what C leaves to it."""

    def __init__(self, machine: Machine, engine: Engine, seed: int | None = None, watch: Watch | None = None) -> None:
        super().__init__(machine, seed, watch)
        self._engine = engine

    def run(self, max_warp_instructions: int) -> RunSummary:
        """See `Scheduler.run`."""
        engine = self._engine
        engine.enter()
        engine.dispatching.enter(self._random is not None, self._next_core)
        engine.m.seeded = self._random is not None
        if self._random is not None:
            engine.random_to_c(self._random)
        try:
            return self._run(max_warp_instructions)
        finally:
            self._leave()

    def _dispatch_to_come(self) -> bool:
        return bool(self._engine.m.ended)

    def _hang(self) -> HangError:
        self._leave()
        return super()._hang()

    def _leave(self) -> None:
        self._engine.leave()
        self._next_core = self._engine.dispatching.leave()

    def _run(self, max_warp_instructions: int) -> RunSummary:
        machine, engine = self._machine, self._engine
        m, faults = engine.m, 0
        spin = None if self._diagnosis is None else self._diagnosis.livelock_watch(engine)
        stop = m.limit = min(max_warp_instructions, self._watch.every)
        while True:
            if m.executed >= stop:  # Ctrl-C is seen here too, not later than that many instructions
                if self._watch.progress is not None:
                    self._watch.progress(m.executed, self._ctas + m.ctas)
                stop = m.limit = min(max_warp_instructions, m.executed + self._watch.every)
            if spin is not None:
                m.limit = min(stop, m.executed + 1 if spin.looking else spin.due)
            reason = engine.run()
            if self._diagnosis is not None:
                self._diagnosis.collect()
            if reason == NOT_ME:
                core = machine.cores[m.core_at]
                warp = core.warps[m.warp_at]
                faults += self._step_readable(core, warp)
                continue
            if reason == MORE_CTAS:
                engine.dispatching.more()
                continue
            if reason == ODD_START:
                engine.dispatching.odd_start()
                continue
            if spin is None and reason == LIMIT and m.executed < max_warp_instructions:
                continue
            for warp in engine.ended_warps():
                engine.end(warp)
                if self._diagnosis is not None:
                    self._diagnosis.settle_barriers()
            if reason == IDLE or m.executed >= max_warp_instructions:
                self._leave()  # what the machine says of itself is true again
                if not machine.busy:
                    return RunSummary(m.executed, m.threads, self._ctas + m.ctas, self._warps + m.starts, faults)
                if m.executed >= max_warp_instructions:
                    raise LimitError(self._standing(f"still running after {m.executed} warp instructions"))
                raise self._hang()
            if spin is not None and spin.after_round(m.executed):
                self._leave()
                raise HangError(self._standing(LIVELOCK))

    def _step_readable(self, core: Core, warp: Warp) -> int:
        """Let Python execute the instruction at which C stopped; returns 1 if it was a fault."""
        m, engine = self._engine.m, self._engine
        pc = engine.next_pc(core, warp)
        if not engine.pages.knows(pc) and engine.pages.decode(pc):
            engine.retry(core, warp)
            return 0
        step = engine.step_readable(core, warp, self._diagnosis)
        if self._diagnosis is not None:
            self._diagnosis.stepped(warp, step)
        if step.retry:
            self._check_retry(warp)
            return 0
        m.executed += 1
        m.threads += step.tmask.bit_count()
        if step.warp_ended:
            m.ended = 1
        return step.warp_ended and step.fault is not None
