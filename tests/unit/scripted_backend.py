"""A backend whose kernels are Python functions on a bytearray: the host side is tested without any model."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from config import RunConfig
from sw.runtime.errors import DeviceLostError, DeviceTimeoutError
from sw.runtime.messages import (
    BackendFailed,
    CheckFailed,
    DcrData,
    DcrRead,
    Event,
    Fault,
    Launch,
    LaunchDone,
    LaunchStats,
    LaunchStatus,
    LoadImage,
    MemoryData,
    Message,
    ReadMemory,
    WriteMemory,
)

KernelFunction = Callable[["ScriptedBackend", Launch], None]


class ScriptedBackend:
    """Executes messages when events are asked for, as a simulator would."""

    name = "scripted"

    def __init__(self, config: RunConfig, kernels: dict[str, KernelFunction] | None = None) -> None:
        self.config = config
        self.kernels = kernels or {}
        self.memory: dict[int, int] = {}
        self.sent: list[Message] = []
        self.stats = LaunchStats(cycles=100, instructions=50, ctas=0, compared=50)
        self.extra: list[Fault | CheckFailed] = []
        self.status = LaunchStatus.DONE
        self.retired = 1000  # MINSTRET
        self.uncounted = 0  # instructions that MINSTRET counts and nobody reports
        self._queue: deque[Message] = deque()
        self._events: deque[Event] = deque()
        self._closed = False

    def send(self, message: Message) -> None:
        if self._closed:
            raise DeviceLostError("the scripted backend was closed")
        self.sent.append(message)
        self._queue.append(message)

    def receive(self, timeout_s: float | None = None) -> Event:
        while not self._events:
            if not self._queue:
                raise DeviceTimeoutError("nothing is queued, so no event can come")
            self._execute(self._queue.popleft())
        return self._events.popleft()

    def close(self) -> None:
        self._closed = True

    def store(self, address: int, data: bytes) -> None:
        self.memory.update(zip(range(address, address + len(data)), data, strict=True))

    def load(self, address: int, size: int) -> bytes:
        return bytes(self.memory.get(address + offset, 0) for offset in range(size))

    def launches(self) -> list[Launch]:
        return [message for message in self.sent if isinstance(message, Launch)]

    def _execute(self, message: Message) -> None:
        match message:
            case WriteMemory(address, data):
                self.store(address, data)
            case LoadImage():
                self.store(message.min_vma, message.image.ljust(message.max_vma - message.min_vma, b"\0"))
            case ReadMemory(request, address, size):
                self._events.append(MemoryData(request, self.load(address, size)))
            case DcrRead(request, _, tag):
                index, core = tag >> 16 & 63, tag & 0xFFFF
                self._events.append(DcrData(request, self.retired if (index, core) == (2, 0) else 0))
            case Launch():
                self._launch(message)
            case _:
                pass

    def _launch(self, launch: Launch) -> None:
        if launch.kernel == "lose_the_device":
            self._events.extend(self.extra)
            self._events.append(BackendFailed("the simulator ended with exit code 139"))
            return
        function = self.kernels.get(launch.kernel)
        if function is not None:
            function(self, launch)
        self._events.extend(self.extra)
        self.extra = []
        ctas = launch.grid[0] * launch.grid[1] * launch.grid[2]
        self.retired += self.stats.instructions + self.uncounted
        stats = LaunchStats(self.stats.cycles, self.stats.instructions, ctas, self.stats.compared, wall_seconds=0.01)
        self._events.append(LaunchDone(launch.launch_id, self.status, stats))
