"""Running the machine alone: who takes the next CTA and which warp steps, deterministically or by seed."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from golden_model.errors import HangError, LimitError
from golden_model.standing import standing

if TYPE_CHECKING:
    from golden_model.machine import Machine
    from golden_model.step import Step
    from golden_model.warp import Warp


@dataclass(frozen=True, slots=True)
class RunSummary:
    """Counts of one run."""

    warp_instructions: int
    thread_instructions: int  # lanes that were active, summed over instructions
    ctas: int
    warps: int  # warps started
    faults: int


@dataclass(frozen=True, slots=True)
class Watch:
    """What somebody wants to see of a run. An exception from a call ends the run; the machine is consistent then."""

    step: Callable[[Warp, Step], None] | None = None  # after every warp instruction; the run is readable then
    progress: Callable[[int, int], None] | None = None  # warp instructions executed, CTAs handed out
    every: int = 20_000_000  # warp instructions between two calls of `progress`, about


LIVELOCK = "the warps spin for ever"


class Scheduler:
    """Cores take CTAs round robin and warps step in turn; with a seed both are random, and reproducible."""

    def __init__(self, machine: Machine, seed: int | None = None, watch: Watch | None = None) -> None:
        self._machine = machine
        self._watch = watch or Watch()
        self._random = None if seed is None else random.Random(seed)
        diagnosis = machine.diagnosis
        self._diagnosis = diagnosis if diagnosis is not None and diagnosis.active else None
        self._changed = True  # dispatch may be possible: at the start, and whenever a warp has ended
        self._next_core = 0
        self._ctas = 0
        self._warps = 0

    def run(self, max_warp_instructions: int) -> RunSummary:
        """Step until the launch is over.

        Raises HangError if nothing can step although the launch is not over, LimitError after
        `max_warp_instructions`; both say where every warp is.
        """
        machine, watch = self._machine, self._watch
        diagnosis = self._diagnosis
        spin = None if diagnosis is None else diagnosis.livelock_watch()
        executed = threads = faults = 0
        look = watch.every if watch.progress is not None else max_warp_instructions  # the next time to tell how far
        ready: list[Warp] = []
        while True:
            if self._changed:
                self._dispatch()
                self._changed = False
            ready = [warp for core in machine.cores for warp in core.warps if warp.tmask and not warp.blocked]
            if not ready:
                if not machine.busy:
                    return RunSummary(executed, threads, self._ctas, self._warps, faults)
                raise self._hang()
            for core in machine.cores:
                core.mcycle += 1  # a round in which every ready warp steps once counts as one cycle
            if self._random is not None:
                ready = [self._random.choice(ready)]
            for warp in ready:
                if diagnosis is not None:
                    diagnosis.before(warp)
                step = warp.step()
                if diagnosis is not None:
                    diagnosis.stepped(warp, step)
                if step.retry:
                    self._check_retry(warp)
                    continue
                if watch.step is not None:
                    watch.step(warp, step)
                executed += 1
                threads += step.tmask.bit_count()
                if step.warp_ended:
                    self._changed = True
                    faults += step.fault is not None
            if spin is not None and spin.after_round(executed):
                raise HangError(self._standing(LIVELOCK))
            if executed >= look and watch.progress is not None:
                watch.progress(executed, self._ctas)
                look = executed + watch.every
            if executed >= max_warp_instructions and machine.busy:
                raise LimitError(self._standing(f"still running after {executed} warp instructions"))

    def _check_retry(self, warp: Warp) -> None:
        """Raises HangError if every active warp waits: at a barrier, or with a WSPAWN until it is alone."""
        active = [other for core in self._machine.cores for other in core.warps if other.tmask]
        if all(other.blocked or other.retrying for other in active) and not self._dispatch_to_come():
            raise self._hang()

    def _dispatch_to_come(self) -> bool:
        """Whether a warp has ended since the last dispatch; without that nothing more can be started."""
        return self._changed

    def _dispatch(self) -> None:
        """Hand out CTAs and start warps until nothing more fits."""
        machine = self._machine
        progress = True
        while progress:
            progress = False
            for core in machine.cores:
                while core.dispatcher.pending is not None and any(not warp.tmask for warp in core.warps):
                    start = core.start_warp(self._choose_warp([warp.wid for warp in core.warps if not warp.tmask]))
                    if self._diagnosis is not None:
                        self._diagnosis.warp_started(core.warps[start.warp], start)
                    self._warps += 1
                    progress = True
            taker = self._choose_core()
            if taker is not None:
                machine.accept_cta(taker)
                self._ctas += 1
                progress = True

    def _choose_warp(self, free: list[int]) -> int:
        return free[0] if self._random is None else self._random.choice(free)

    def _choose_core(self) -> int | None:
        machine = self._machine
        if machine.next_cta() is None:
            return None
        count = len(machine.cores)
        order = [(self._next_core + i) % count for i in range(count)]
        if self._random is not None:
            self._random.shuffle(order)
        taker = next((core for core in order if machine.can_accept(core)), None)
        if taker is not None:
            self._next_core = (taker + 1) % count
        return taker

    def _hang(self) -> HangError:
        if self._diagnosis is not None:
            self._diagnosis.hung()
        return HangError(self._standing("no warp can step"))

    def _standing(self, what: str) -> str:
        return "\n  ".join([f"launch {self._machine.launch_id}: {what}", *standing(self._machine)])
