"""What is measured: launches of one kernel, recorded once as host messages so that every variant runs the very same."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from config import RunConfig
from sw.kernel.vxcc import compile_kernel
from sw.runtime import Device, u32
from sw.runtime import messages as m

KERNEL = Path(__file__).with_name("kernel.cpp")
NAME = "bench_sgemm"


@dataclass(frozen=True)
class Workload:
    """Messages of a host program; `expected` is what must be at `address` afterwards."""

    config: RunConfig
    messages: tuple[m.Message, ...]
    address: int
    expected: bytes

    @property
    def launches(self) -> list[m.Launch]:
        return [message for message in self.messages if isinstance(message, m.Launch)]


class _Recorder:
    """Backend that executes nothing: launches end at once."""

    name = "recorder"

    def __init__(self, config: RunConfig) -> None:
        self.config = config
        self.messages: list[m.Message] = []
        self._events: deque[m.Event] = deque()

    def send(self, message: m.Message) -> None:
        self.messages.append(message)
        if isinstance(message, m.Launch):
            self._events.append(m.LaunchDone(message.launch_id, m.LaunchStatus.DONE))

    def receive(self, timeout_s: float | None = None) -> m.Event:
        return self._events.popleft()

    def close(self) -> None:
        pass


def make_workload(config: RunConfig, size: int = 32, launches: int = 4) -> Workload:
    """Product of two `size` x `size` matrices, `launches` times.

    Raises:
        VxccError: the kernel does not compile.
    """
    built = compile_kernel([KERNEL], hardware=config.hardware, entry=config.entry)
    recorder = _Recorder(config)
    device = Device(recorder)
    random = np.random.default_rng(config.seed)
    a, b = (random.integers(0, 1 << 32, (size, size), dtype=np.uint32) for _ in range(2))
    c = device.alloc(4 * size * size, "c")
    kernel = device.load_module(built.vxbin).kernel(NAME)
    buffers = [device.upload(a, "a"), device.upload(b, "b")]
    lanes, warps = config.hardware.num_threads, config.hardware.num_warps
    for _ in range(launches):
        device.launch(kernel, (size // lanes, size // warps), (lanes, warps), [u32(size), *buffers, c])
    return Workload(config, tuple(recorder.messages), c.address, (a @ b).tobytes())
