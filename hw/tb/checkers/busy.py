"""Rules of `busy`, from RUN records: no gap, nothing moves while it is low, every write acknowledged before it falls.

docs/reference/vortex.md §4.5; what the in-tree core promises beyond it (`strict`): `busy` stays high, and a cache flush
is not answered, until every B has arrived.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from golden_model.follow.difference import Category, Difference
from golden_model.records.layout import AxiChannel, Kind, RunEvent
from golden_model.records.ring import Batch, Records
from hw.tb.checker import CheckCounts, LaunchEnd
from sw.runtime import messages as m

CACHE_FLUSH = 0x000
_MOVING = (Kind.COMMIT, Kind.MEMORY, Kind.CTA)
Cycles = npt.NDArray[np.int64]


class BusyChecker:
    """`Checker` of busy, start and cache flush.

    Attributes:
        pending_writes: times that busy fell, or a flush was answered, with a write outstanding.
    """

    name = "busy"

    def __init__(self, *, strict: bool = True) -> None:
        self._strict = strict
        self.pending_writes = 0
        self.checks = 0  # falls of busy and answers of flushes that were judged
        self._launch = 0
        self._watched = False  # the end of this launch was seen
        self.reset()

    def host(self, message: m.Message) -> None:
        """Nothing that the host does to memory concerns busy."""

    def reset(self) -> None:
        self._idle_since: int | None = None  # cycle since which nothing may move
        self._running = False  # between START and QUIESCENT
        self._fell: int | None = None  # cycle in which busy fell in this launch
        self._accepted: Cycles = np.zeros(0, np.int64)  # cycles of AW without B that is older

    def begin_launch(self, launch: m.Launch) -> Difference | None:
        self._launch = launch.launch_id
        self.pending_writes = self.checks = 0
        self._watched = False
        return None

    def counts(self) -> CheckCounts:
        return CheckCounts()

    def standing(self) -> list[str]:
        return []

    def records(self, batch: Batch) -> Difference | None:
        axi = batch[Kind.AXI]
        requests = np.concatenate((self._accepted, axi["cycle"][axi["channel"] == AxiChannel.AW].astype(np.int64)))
        responses = axi["cycle"][axi["channel"] == AxiChannel.B].astype(np.int64)
        found: Difference | None = None
        idle: list[tuple[int, int | None]] = []
        run = batch[Kind.RUN]
        for cycle, event, address in zip(
            run["cycle"].tolist(), run["event"].tolist(), run["addr"].tolist(), strict=True
        ):
            if event == RunEvent.RESET:
                requests, responses = requests[requests > cycle], responses[responses > cycle]
            # Cycles in which a handshake happens do not count as outstanding: the record order within one is open.
            pending = int(np.count_nonzero(requests < cycle)) - int(np.count_nonzero(responses <= cycle))
            found = found or self._event(cycle, event, address, max(0, pending), idle)
        if self._idle_since is not None:
            idle.append((self._idle_since, None))
        # Which write a response belongs to does not matter for the count.
        self._accepted = requests[len(responses) :] if len(responses) <= len(requests) else np.zeros(0, np.int64)
        return found or self._check_idle(batch, idle)

    def _event(
        self, cycle: int, event: int, address: int, pending: int, idle: list[tuple[int, int | None]]
    ) -> Difference | None:
        if event in (RunEvent.START, RunEvent.DCR_READ, RunEvent.BUSY_RISE, RunEvent.RESET):
            if self._idle_since is not None:
                idle.append((self._idle_since, cycle))
            self._idle_since = None
        if event == RunEvent.RESET:
            self.reset()
        elif event == RunEvent.START:
            if self._running and self._fell is None:
                return self._found("start while busy", "`start` was pulsed before the launch before it ended", cycle)
            self._running, self._fell = True, None
        elif event == RunEvent.BUSY_RISE:
            return self._rise(cycle)
        elif event == RunEvent.BUSY_FALL:
            self._fell, self._idle_since = cycle, cycle
            return self._judge(pending, "busy with writes", "busy fell", cycle)
        elif event == RunEvent.QUIESCENT:
            self._running = False
            self._watched = True
            if self._idle_since is None:
                self._idle_since = cycle
        elif event == RunEvent.DCR_RESPONSE:
            self._idle_since = cycle
            if address == CACHE_FLUSH:
                return self._judge(pending, "flush with writes", "the cache flush was answered", cycle)
        return None

    def _rise(self, cycle: int) -> Difference | None:
        if not self._running:
            return self._found("busy without launch", "busy rose although no launch was started", cycle)
        if self._fell is not None:
            return self._found(
                "busy gap", f"busy rose again in cycle {cycle}, after it had fallen in cycle {self._fell}", self._fell
            )
        return None

    def _judge(self, pending: int, check: str, what: str, cycle: int) -> Difference | None:
        self.checks += 1
        if pending == 0:
            return None
        self.pending_writes += 1
        if not self._strict:
            return None
        return self._found(check, f"{what} with {pending} AXI writes that are not acknowledged", cycle)

    def _check_idle(self, batch: Batch, idle: list[tuple[int, int | None]]) -> Difference | None:
        """Nothing may move while busy is low, except in a cache flush."""
        for since, until in idle:
            for kind in _MOVING:
                cycle = _first_between(batch[kind]["cycle"], since, until)
                if cycle is not None:
                    message = f"a {kind.name} record in cycle {cycle}, although busy is low since cycle {since}"
                    return self._found("activity after busy", message, cycle)
            axi = batch[Kind.AXI]
            asked = axi["channel"]
            writes = (asked == AxiChannel.AW) | (asked == AxiChannel.W)
            for check, what, chosen in (
                ("write after busy", "write", axi[writes]),
                ("read after busy", "read", axi[asked == AxiChannel.AR]),
            ):
                cycle = _first_between(chosen["cycle"], since, until)
                if cycle is not None:
                    message = f"an AXI {what} was sent in cycle {cycle}, although busy is low since cycle {since}"
                    return self._found(check, message, cycle)
        return None

    def end_launch(self, end: LaunchEnd) -> list[Difference]:
        if self._watched:
            return []
        message = "the launch ended without a RUN record that says so: nobody has watched busy"
        return [self._found("busy not watched", message, 0)]

    def _found(self, check: str, message: str, cycle: int) -> Difference:
        return Difference(check, Category.BUSY, message, self._launch, cycle)


def _first_between(stamps: Records, since: int, until: int | None) -> int | None:
    cycles = stamps.astype(np.int64)
    inside = cycles > since if until is None else (cycles > since) & (cycles < until)
    hits = np.flatnonzero(inside)
    return int(cycles[hits[0]]) if len(hits) else None
