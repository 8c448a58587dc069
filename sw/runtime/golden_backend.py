"""The golden model as a device: no simulator, no cycles; results, findings and faults are the real thing."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from config import RunConfig
from golden_model import Finding, FindingKind, HangError, LaunchError, LimitError, Machine, RunSummary, Watch
from golden_model.follow.difference import Category, Difference
from golden_model.records.layout import FaultKind, IpdomOp, MemoryOp, MemorySpace
from golden_model.step import Step
from golden_model.warp import Warp
from sw.runtime import messages as m
from sw.runtime.backend import register_backend
from sw.runtime.errors import DeviceLostError, DeviceTimeoutError
from sw.runtime.exercise import Exercise
from sw.runtime.launch import dcr_writes

MAX_WARP_INSTRUCTIONS = 20_000_000

_FAULT_KINDS = {
    FindingKind.ILLEGAL_INSTRUCTION: FaultKind.ILLEGAL_INSTRUCTION,
    FindingKind.MISALIGNED_ACCESS: FaultKind.MISALIGNED,
    FindingKind.FETCH_FAULT: FaultKind.FETCH,
    FindingKind.BUS_FAULT: FaultKind.BUS_READ,
}


class _Counter:
    """Counts what the steps of one launch exercise."""

    def __init__(self) -> None:
        self.splits = self.pred_exits = self.barriers = self.lmem = self.atomics = 0

    def __call__(self, warp: Warp, step: Step) -> None:
        if step.ipdom is not None:
            self.splits += step.ipdom.op is IpdomOp.PUSH
        elif step.barrier is not None:
            self.barriers += 1
        elif step.memory is not None:
            self.atomics += step.memory.op is MemoryOp.ATOMIC
            self.lmem += step.memory.space is MemorySpace.LMEM and step.memory.op is not MemoryOp.FENCE
        elif step.next_mask != step.tmask:
            self.pred_exits += step.name.startswith("pred")

    @property
    def exercise(self) -> Exercise:
        return Exercise(self.splits, self.pred_exits, self.barriers, self.lmem, self.atomics)


class GoldenBackend:
    """Runs every message on a `Machine` when the client waits for an event. The run's seed orders cores and warps.

    With `count` the launches run in the readable tier and say what they exercised; with `watch` somebody sees every
    step.
    """

    name = "golden"

    def __init__(
        self, config: RunConfig, *, count: bool = False, watch: Callable[[Warp, Step], None] | None = None
    ) -> None:
        self.config = config
        self._watch = watch
        self._count = count
        self._machine = Machine(config.hardware, config.entry, tier=config.tier.value)
        self._queue: deque[m.Message] = deque()
        self._events: deque[m.Event] = deque()
        self._closed = False

    def send(self, message: m.Message) -> None:
        if self._closed:
            raise DeviceLostError("the golden model was closed")
        if isinstance(message, m.Reset):
            self._drop_launches()
        self._queue.append(message)

    def receive(self, timeout_s: float | None = None) -> m.Event:
        if self._closed:
            raise DeviceLostError("the golden model was closed")
        while not self._events:
            if not self._queue:
                raise DeviceTimeoutError("no event can come: nothing is queued on the golden model")
            self._execute(self._queue.popleft())
        return self._events.popleft()

    def close(self) -> None:
        self._closed = True

    # ------------------------------------------------------------------ messages

    def _execute(self, message: m.Message) -> None:
        machine = self._machine
        match message:
            case m.WriteMemory(address, data):
                machine.write(address, data)
            case m.ReadMemory(request, address, size):
                self._events.append(m.MemoryData(request, machine.read(address, size)))
            case m.DcrWrite(address, value):
                machine.dcr_write(address, value)
            case m.DcrRead():
                self._dcr_read(message)
            case m.LoadImage():
                machine.load_image(message)
            case m.ForgetImage(min_vma):
                machine.unload_image(min_vma)
            case m.DeclareBuffer(address, size, _):
                machine.host_buffers.add(address, size)
            case m.ForgetBuffer(address):
                machine.host_buffers.remove(address)
            case m.Launch():
                self._launch(message)
            case m.Reset():
                machine.reset()
            case m.RegisterRead() | m.RegisterWrite():
                self._events.append(m.BackendFailed("the golden model has no BAR registers"))

    def _dcr_read(self, message: m.DcrRead) -> None:
        try:
            value = self._machine.dcr_read(message.address, message.tag)
        except LaunchError as error:
            self._events.append(m.BackendFailed(str(error)))
        else:
            self._events.append(m.DcrData(message.request, value))

    def _drop_launches(self) -> None:
        dropped = [message for message in self._queue if isinstance(message, m.Launch)]
        self._queue = deque(message for message in self._queue if not isinstance(message, m.Launch))
        self._events.extend(m.LaunchDone(launch.launch_id, m.LaunchStatus.ABORTED) for launch in dropped)

    # ------------------------------------------------------------------ launches

    def _launch(self, launch: m.Launch) -> None:
        machine = self._machine
        machine.findings.clear()
        began = time.perf_counter()
        summary: RunSummary | None = None
        counter = _Counter() if self._count else None
        status = m.LaunchStatus.DONE
        try:
            for write in dcr_writes(launch, self.config.hardware.xlen):
                machine.dcr_write(write.address, write.value)
            machine.start()
            summary = machine.run(
                launch.max_cycles or MAX_WARP_INSTRUCTIONS, self._seed(launch), Watch(step=counter or self._watch)
            )
        except (HangError, LimitError) as error:
            self._check_failed(launch, Difference("hang", Category.KERNEL, str(error), launch.launch_id))
            status = m.LaunchStatus.TIMEOUT
            machine.reset()
        except LaunchError as error:
            self._check_failed(launch, Difference("launch", Category.DISPATCH, str(error), launch.launch_id))
            status = m.LaunchStatus.CHECK_FAILED
        for finding in machine.findings:
            status = self._report(launch, finding, status)
        stats = m.LaunchStats(wall_seconds=time.perf_counter() - began)
        if summary is not None:
            stats = m.LaunchStats(
                instructions=summary.warp_instructions,
                ctas=summary.ctas,
                wall_seconds=stats.wall_seconds,
                exercised=counter.exercise if counter is not None else None,
            )
        self._events.append(m.LaunchDone(launch.launch_id, status, stats))

    def _seed(self, launch: m.Launch) -> int | None:
        """No free choice for one warp a core: programs that start warps themselves rely on warp 0 (§2.4, §12.3)."""
        hardware = self.config.hardware
        blocks = launch.grid[0] * launch.grid[1] * launch.grid[2]
        one_warp = blocks <= hardware.total_cores and launch.block_size <= hardware.num_threads
        return None if one_warp else self.config.seed

    def _report(self, launch: m.Launch, finding: Finding, status: m.LaunchStatus) -> m.LaunchStatus:
        """Turn a finding into an event; the status gets worse, never better."""
        if finding.kind in _FAULT_KINDS:
            kind = _FAULT_KINDS[finding.kind]
            self._events.append(
                m.Fault(launch.launch_id, kind, finding.core, finding.warp, finding.lanes, finding.pc, finding.pc)
            )
            return m.LaunchStatus.FAULT if status is m.LaunchStatus.DONE else status
        difference = Difference(
            check=finding.kind.value,
            category=Category.KERNEL,
            message=finding.detail,
            launch=launch.launch_id,
            core=finding.core,
            warp=finding.warp,
            lanes=[lane for lane in range(self.config.hardware.num_threads) if finding.lanes >> lane & 1],
            pc=finding.pc,
            num_lanes=self.config.hardware.num_threads,
            notes=[f"seen {finding.count} times at this address"] if finding.count > 1 else [],
        )
        self._check_failed(launch, difference)
        return m.LaunchStatus.CHECK_FAILED

    def _check_failed(self, launch: m.Launch, difference: Difference) -> None:
        self._events.append(m.CheckFailed(launch.launch_id, difference.check, difference.message, difference))


register_backend("golden", GoldenBackend)
