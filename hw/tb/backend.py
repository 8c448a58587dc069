"""The backends `rtl` and `cosim`: the host side's synchronous calls on a design that is being simulated.

A client is an ordinary function of a `Backend`. It runs in a thread that cocotb's bridge stops whenever simulated time
must pass, so one host program works on any backend.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from cocotb.task import resume

from config import RunConfig
from hw.tb.device_server import DeviceServer
from sw.runtime import messages as m
from sw.runtime.errors import DeviceLostError, DeviceTimeoutError

ResultT = TypeVar("ResultT")


class SimulatedBackend:
    """`Backend` of sw.runtime on a `DeviceServer` of this process; usable only inside a client of `run_client`."""

    def __init__(self, name: str, config: RunConfig, server: DeviceServer) -> None:
        self.name = name
        self.config = config
        self._execute: Callable[[m.Message], list[m.Event]] = _blocking(server.execute)
        self._queue: deque[m.Message] = deque()
        self._events: deque[m.Event] = deque()
        self._closed = ""

    def send(self, message: m.Message) -> None:
        self._check_open()
        if isinstance(message, m.Reset):
            # Launches that wait are dropped; everything else that was sent before still happens.
            dropped = [queued for queued in self._queue if isinstance(queued, m.Launch)]
            self._queue = deque(queued for queued in self._queue if not isinstance(queued, m.Launch))
            self._events.extend(m.LaunchDone(launch.launch_id, m.LaunchStatus.ABORTED) for launch in dropped)
        self._queue.append(message)

    def receive(self, timeout_s: float | None = None) -> m.Event:
        """Next event. Simulated time passes in here; `timeout_s` cannot interrupt a running launch, so only an empty
        queue times out.
        """
        while not self._events:
            self._check_open()
            if not self._queue:
                raise DeviceTimeoutError("no event can come: nothing is queued on the simulated device")
            self._events.extend(self._execute(self._queue.popleft()))
        event = self._events.popleft()
        if isinstance(event, m.BackendFailed):
            self._closed = event.message
        return event

    def close(self) -> None:
        self._closed = self._closed or "the simulated device was closed"

    def _check_open(self) -> None:
        if self._closed:
            raise DeviceLostError(self._closed)


def _blocking(function: Callable[[m.Message], Awaitable[list[m.Event]]]) -> Callable[[m.Message], list[m.Event]]:
    wrapped: Any = resume(function)  # type: ignore[arg-type]
    return wrapped  # type: ignore[no-any-return]
