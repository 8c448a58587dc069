"""Launches between being sent and being handed over: ids, reports that arrive for them, results."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from sw.runtime.buffer import Buffer
from sw.runtime.errors import DeviceLostError
from sw.runtime.launch import Geometry
from sw.runtime.messages import CheckFailed, Fault, Launch, LaunchDone, LaunchStats, LaunchStatus


@dataclass(frozen=True)
class LaunchResult:
    """Outcome of one launch with everything that was reported while it ran."""

    launch_id: int
    kernel: str
    geometry: Geometry
    status: LaunchStatus
    stats: LaunchStats
    faults: tuple[Fault, ...] = ()
    failed_checks: tuple[CheckFailed, ...] = ()

    @property
    def ok(self) -> bool:
        return self.status is LaunchStatus.DONE and not self.faults and not self.failed_checks


@dataclass
class _Pending:
    message: Launch
    geometry: Geometry
    arguments: Buffer | None
    faults: list[Fault] = field(default_factory=list)
    failed_checks: list[CheckFailed] = field(default_factory=list)


class LaunchQueue:
    """In-order queue of launches; the oldest is the running one."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)
        self._pending: dict[int, _Pending] = {}
        self._results: dict[int, LaunchResult] = {}

    def next_id(self) -> int:
        return next(self._ids)

    def add(self, message: Launch, geometry: Geometry, arguments: Buffer | None) -> None:
        """A launch was sent; `arguments` is its argument block until it has ended."""
        self._pending[message.launch_id] = _Pending(message, geometry, arguments)

    @property
    def pending(self) -> tuple[int, ...]:
        """Ids of launches that have not ended, oldest first."""
        return tuple(self._pending)

    def has_result(self, launch_id: int) -> bool:
        return launch_id in self._results

    def take_result(self, launch_id: int) -> LaunchResult:
        """Hand a result over, once."""
        return self._results.pop(launch_id)

    def report(self, event: Fault | CheckFailed) -> None:
        """Keep a report for the result of its launch.

        Raises:
            DeviceLostError: that launch is not queued, so the backend is confused.
        """
        pending = self._pending.get(event.launch_id)
        if pending is None:
            raise DeviceLostError(f"the backend reported on launch {event.launch_id}, which is not queued: {event}")
        if isinstance(event, Fault):
            pending.faults.append(event)
        else:
            pending.failed_checks.append(event)

    def finish(self, event: LaunchDone) -> Buffer | None:
        """The oldest launch has ended; returns the buffer of its arguments.

        Raises:
            DeviceLostError: it is not the oldest one.
        """
        first = next(iter(self._pending), None)
        if event.launch_id != first:
            waiting = f"launch {first} runs" if first is not None else "none is queued"
            raise DeviceLostError(f"the backend ended launch {event.launch_id}, but {waiting}")
        pending = self._pending.pop(event.launch_id)
        self._results[event.launch_id] = LaunchResult(
            launch_id=event.launch_id,
            kernel=pending.message.kernel,
            geometry=pending.geometry,
            status=event.status,
            stats=event.stats,
            faults=tuple(pending.faults),
            failed_checks=tuple(pending.failed_checks),
        )
        return pending.arguments

    def abort(self) -> None:
        """The device is gone: every launch ends as ABORTED, with the reports that had arrived."""
        for launch_id in self.pending:
            self.finish(LaunchDone(launch_id, LaunchStatus.ABORTED))
