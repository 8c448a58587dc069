"""The messages of the host side on the BARs of a device."""

from __future__ import annotations

import time
from collections import deque

from config import RunConfig
from golden_model.follow.difference import Category, Difference
from golden_model.records.layout import FaultKind
from sw.runtime import messages as m
from sw.runtime.bar.host import BarError, BarHost, BarLaunch, BarResult
from sw.runtime.errors import DeviceError, DeviceLostError, DeviceTimeoutError
from sw.runtime.launch import dcr_writes

MAX_CYCLES = 20_000_000  # watchdog of launches that set none


class BarBackend:
    """Every message becomes accesses to the BARs, when the client waits for an event.

    `wait_seconds` bounds a launch in wall-clock time.
    """

    wait_seconds = 300.0

    def __init__(self, name: str, config: RunConfig, host: BarHost) -> None:
        self.name = name
        self.config = config
        self.host = host
        self._queue: deque[m.Message] = deque()
        self._events: deque[m.Event] = deque()
        self._closed = False

    def send(self, message: m.Message) -> None:
        self._check_open()
        self._queue.append(message)

    def receive(self, timeout_s: float | None = None) -> m.Event:
        self._check_open()
        while not self._events:
            if not self._queue:
                raise DeviceTimeoutError(f"no event can come: nothing is queued on {self.name}")
            try:
                self._execute(self._queue.popleft())
            except DeviceError as error:
                self._events.append(m.BackendFailed(str(error)))
            self._events.extend(m.Interrupt(vector) for vector in self.host.transport.take_interrupts())
        return self._events.popleft()

    def close(self) -> None:
        self._closed = True

    # ------------------------------------------------------------------ hooks

    def declare(self, message: m.DeclareBuffer) -> None:
        """A buffer was mapped; for models that check kernels."""

    def forget(self, message: m.ForgetBuffer) -> None:
        """A buffer was unmapped."""

    def findings(self, launch: m.Launch) -> list[m.CheckFailed]:
        """What a model has to say of the launch that ended."""
        return []

    def started(self, launch: m.Launch) -> None:
        """A launch was dispatched; what the host does before it waits for its end."""

    def ended_well(self, launch: m.Launch) -> None:
        """A launch ended without an error of the device."""

    def stats(self, launch: m.Launch, instructions: int, seconds: float) -> m.LaunchStats:
        """Figures of a launch that ended: warp instructions, wall-clock seconds, and what else is known."""
        return m.LaunchStats(
            instructions=instructions,
            ctas=launch.grid[0] * launch.grid[1] * launch.grid[2],
            wall_seconds=seconds,
        )

    # ------------------------------------------------------------------ messages

    def _execute(self, message: m.Message) -> None:
        host = self.host
        match message:
            case m.WriteMemory(address, data):
                host.write(address, data)
            case m.ReadMemory(request, address, size):
                self._events.append(m.MemoryData(request, host.read(address, size)))
            case m.DcrWrite(address, value):
                host.dcr_write(address, value)
            case m.DcrRead(request, address, tag):
                self._events.append(m.DcrData(request, host.dcr_read(address, tag)))
            case m.RegisterWrite():
                self._register_write(message)
            case m.RegisterRead():
                self._events.append(m.RegisterData(message.request, self._register_read(message)))
            case m.LoadImage():
                host.load(message.min_vma, message.max_vma, message.image)
            case m.ForgetImage(min_vma):
                host.unmap(min_vma)
            case m.DeclareBuffer(address, size, _):
                if not host.in_io_window(address):
                    host.map(address, size)
                self.declare(message)
            case m.ForgetBuffer(address):
                if not host.in_io_window(address):
                    host.unmap(address)
                self.forget(message)
            case m.Launch():
                self._launch(message)
            case m.Reset():
                self._reset()

    def _register_write(self, message: m.RegisterWrite) -> None:
        transport = self.host.transport
        match message.bar:
            case 0:
                transport.bar0_write(message.offset, message.value)
            case 2:
                transport.bar2_write(message.offset, message.value.to_bytes(4, "little"))
            case 4:
                transport.bar4_write(message.offset, message.value)
            case _:
                raise BarError(f"the device has no BAR{message.bar}")

    def _register_read(self, message: m.RegisterRead) -> int:
        match message.bar:
            case 0:
                return self.host.transport.bar0_read(message.offset)
            case 2:
                return int.from_bytes(self.host.transport.bar2_read(message.offset, 4), "little")
            case 4:
                return 0
        raise BarError(f"the device has no BAR{message.bar}")

    def _reset(self) -> None:
        dropped = [message for message in self._queue if isinstance(message, m.Launch)]
        self._queue = deque(message for message in self._queue if not isinstance(message, m.Launch))
        self._events.extend(m.LaunchDone(launch.launch_id, m.LaunchStatus.ABORTED) for launch in dropped)
        self.host.reset()

    # ------------------------------------------------------------------ launches

    def _launch(self, launch: m.Launch) -> None:
        host, began = self.host, time.perf_counter()
        dcr_writes(launch, self.config.hardware.xlen)  # raises LaunchError for addresses that the cores do not have
        before, resets = host.instructions(), host.resets
        try:
            host.start(
                BarLaunch(
                    kernel=launch.kernel_entry,
                    startup=launch.startup_addr,
                    args=launch.arg_addr,
                    grid=launch.grid,
                    block=launch.block,
                    lmem=launch.lmem_size,
                    cluster=launch.cluster,
                    rewind=launch.rewind,
                    max_cycles=launch.max_cycles or MAX_CYCLES,
                )
            )
            self.started(launch)
            result = host.wait(self.wait_seconds)
        except BarError as error:
            self._failed(launch, "hang", Category.KERNEL, str(error))
            self._events.append(m.LaunchDone(launch.launch_id, m.LaunchStatus.TIMEOUT))
            return
        status = self._status(launch, result) if host.resets == resets else m.LaunchStatus.ABORTED
        if status is m.LaunchStatus.DONE:
            self.ended_well(launch)
        failed = self.findings(launch)
        self._events.extend(failed)
        if failed and status is not m.LaunchStatus.TIMEOUT:
            status = m.LaunchStatus.CHECK_FAILED
        seconds = time.perf_counter() - began
        instructions = max(0, host.instructions() - before)  # a fault resets the cores and their counters
        stats = self.stats(launch, instructions, seconds)
        self._events.append(m.LaunchDone(launch.launch_id, status, stats))

    def _status(self, launch: m.Launch, result: BarResult) -> m.LaunchStatus:
        if result.ok:
            return m.LaunchStatus.DONE
        if result.fault is FaultKind.WATCHDOG:
            limit = launch.max_cycles or MAX_CYCLES
            self._failed(
                launch, "hang", Category.KERNEL, f"the device's watchdog ended the launch after {limit} cycles"
            )
            return m.LaunchStatus.TIMEOUT
        if result.fault is not FaultKind.NONE:
            core, warp, mask = result.info >> 8 & 0xFF, result.info & 0xFF, result.info >> 16
            self._events.append(m.Fault(launch.launch_id, result.fault, core, warp, mask, result.pc, result.addr))
            return m.LaunchStatus.FAULT
        self._failed(launch, "dispatch", Category.DISPATCH, f"the device reports {result.errors!r} for this launch")
        return m.LaunchStatus.CHECK_FAILED

    def _failed(self, launch: m.Launch, check: str, category: Category, message: str) -> None:
        difference = Difference(check, category, message, launch.launch_id)
        self._events.append(m.CheckFailed(launch.launch_id, check, message, difference))

    def _check_open(self) -> None:
        if self._closed:
            raise DeviceLostError(f"{self.name} was closed")
