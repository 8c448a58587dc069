"""Executes the host's messages on the simulated design, one at a time, and answers with events.

```
 client thread ─ RtlBackend ─ message ─▶ DeviceServer.execute ─ sequences ─▶ KMU agent ─▶ harness
                            ◀─ events ──        │
                                                └─ host(), begin_launch(), end_launch() ─▶ checkers
```
"""

from __future__ import annotations

import time
from collections.abc import Mapping

from golden_model.follow.difference import Category, Difference
from golden_model.records.layout import FaultKind
from hw.tb.agents.kmu import DcrReadItem, DcrWriteItem
from hw.tb.checker import LaunchEnd
from hw.tb.env import DifferenceFoundError, VortexEnv
from hw.tb.sequences.items import ItemsSequence
from hw.tb.sequences.launch import Counters, CounterSequence, ProgramSequence, ResetSequence, StartSequence
from hw.tb.top.harness import (
    AssertionFailedError,
    CommandTimeoutError,
    HangError,
    HarnessError,
    PortFaultSeen,
    ProbeError,
)
from sw.runtime import messages as m

# Stable names of checks for what stops the clock.
_CHECK_NAMES: dict[type[HarnessError], str] = {
    HangError: "hang",
    CommandTimeoutError: "cycle limit",
    AssertionFailedError: "rtl assertion",
    ProbeError: "trace rule",
}
_TIMEOUTS = (HangError, CommandTimeoutError)


class DeviceServer:
    """One design, its environment and its checkers. Messages must be executed in the order in which they were sent."""

    def __init__(self, env: VortexEnv) -> None:
        self._env = env
        self._config = env.config.run
        self._harness = env.config.harness
        self._counters = Counters()
        self._lost = ""  # why launches cannot run any more, until the next reset

    async def start(self) -> None:
        """Bring the design out of reset."""
        await self._run(ResetSequence("reset"))
        if self._env.kmu.driver.failure is not None:
            raise self._env.kmu.driver.failure

    async def execute(self, message: m.Message) -> list[m.Event]:
        """Carry out one message and return its events."""
        match message:
            case m.Launch():
                return await self._launch(message)
            case m.Reset():
                await self._reset()
                return []
            case m.ReadMemory(request, address, size):
                return self._read(request, address, size)
            case m.DcrRead():
                return await self._dcr_read(message)
            case m.RegisterRead() | m.RegisterWrite():
                return [m.BackendFailed("this testbench has no BAR device yet, so it has no BAR registers")]
            case m.WriteMemory(address, data):
                if not self._fits(address, len(data)):
                    return [m.BackendFailed(f"write of {len(data)} bytes at {address:#x}: outside device memory")]
                self._store(address, data)
            case m.LoadImage(min_vma, max_vma, image):
                self._store(min_vma, image)
                self._store(min_vma + len(image), bytes(max_vma - min_vma - len(image)))
            case m.DcrWrite(address, value):
                await self._run(ItemsSequence([DcrWriteItem([(address, value)])]))
            case m.ForgetImage() | m.DeclareBuffer() | m.ForgetBuffer():
                pass
        for checker in self._env.config.checkers:
            checker.host(message)
        return []

    # ------------------------------------------------------------------ memory and registers

    def _fits(self, address: int, size: int) -> bool:
        return address >= 0 and address + size <= len(self._harness.memory)

    def _store(self, address: int, data: bytes) -> None:
        self._harness.memory[address : address + len(data)] = memoryview(data)

    def _read(self, request: int, address: int, size: int) -> list[m.Event]:
        if not self._fits(address, size):
            return [m.BackendFailed(f"read of {size} bytes at {address:#x}: outside device memory")]
        return [m.MemoryData(request, self._harness.memory[address : address + size].tobytes())]

    async def _dcr_read(self, message: m.DcrRead) -> list[m.Event]:
        item = DcrReadItem([(message.address, message.tag)])
        await self._run(ItemsSequence([item]))
        if not item.values:
            return [m.BackendFailed(f"DCR read of {message.address:#05x} was not answered: {self._why()}")]
        return [m.DcrData(message.request, item.values[0])]

    async def _run(self, sequence: ItemsSequence) -> None:
        await sequence.start(self._env.kmu.sequencer)

    def _why(self) -> str:
        return str(self._env.kmu.driver.failure or "no response")

    async def _reset(self) -> None:
        await self._run(ResetSequence("reset"))
        self._env.kmu.monitor.reset()
        self._counters = Counters()
        self._lost = ""
        for checker in self._env.config.checkers:
            checker.reset()

    # ------------------------------------------------------------------ launches

    async def _launch(self, launch: m.Launch) -> list[m.Event]:
        if self._lost:
            return [m.LaunchDone(launch.launch_id, m.LaunchStatus.ABORTED)]
        began = time.perf_counter()
        env, checkers = self._env, self._env.config.checkers
        await self._run(ProgramSequence(launch, self._config.hardware))
        env.begin_launch()
        differences = [found for checker in checkers if (found := checker.begin_launch(launch)) is not None]
        start = StartSequence(launch, self._config.hardware)
        counting = CounterSequence(self._config.hardware)
        before = self._counters
        if not differences:
            env.judge.active = True
            await self._run(start)
            await self._run(counting)
            env.judge.active = False
        failure = env.kmu.driver.failure
        if failure is None and not differences:
            self._counters = counting.counters
            end = LaunchEnd(self._harness.memory, counting.counters.minstret, counting.counters.mcycle)
            for checker in checkers:
                differences += checker.end_launch(end)
        checks = [_check_failed(launch, difference) for difference in differences]
        if isinstance(failure, DifferenceFoundError):
            checks.insert(0, _check_failed(launch, failure.difference))
        elif isinstance(failure, _TIMEOUTS):
            checks.append(_check_failed(launch, self._stuck(launch, failure)))
        elif failure is not None:
            checks.append(m.CheckFailed(launch.launch_id, _CHECK_NAMES.get(type(failure), "simulation"), str(failure)))
        faults = self._faults(launch)
        if failure is not None:
            status = m.LaunchStatus.TIMEOUT if isinstance(failure, _TIMEOUTS) else m.LaunchStatus.CHECK_FAILED
            self._lost = str(failure)
        elif checks:
            status = m.LaunchStatus.CHECK_FAILED
            self._lost = checks[0].message
        else:
            status = m.LaunchStatus.FAULT if faults else m.LaunchStatus.DONE
        stats = self._stats(start, before, time.perf_counter() - began)
        return [*faults, *checks, m.LaunchDone(launch.launch_id, status, stats)]

    def _stuck(self, launch: m.Launch, failure: HarnessError) -> Difference:
        """A launch that does not end: where everything stands."""
        notes = [line for checker in self._env.config.checkers for line in checker.standing()]
        return Difference(
            check=_CHECK_NAMES[type(failure)],
            category=Category.PROGRESS,
            message=str(failure),
            launch=launch.launch_id,
            cycle=self._harness.cycle,
            notes=notes,
        )

    def _faults(self, launch: m.Launch) -> list[m.Event]:
        return [_fault(launch, seen) for seen in self._harness.port_faults()]

    def _stats(self, start: StartSequence, before: Counters, seconds: float) -> m.LaunchStats:
        env, now = self._env, self._counters
        instructions = sum(now.minstret.values()) - sum(before.minstret.values())
        compared, axi, adopted, exercised = 0, 0, dict[str, int](), None
        for checker in env.config.checkers:
            counts = checker.counts()
            compared += counts.compared
            axi += counts.axi_transactions
            _add(adopted, counts.adopted)
            exercised = exercised or counts.exercised
        return m.LaunchStats(
            cycles=start.item.cycles,
            instructions=instructions,
            ctas=env.kmu.monitor.counts.ctas,
            compared=compared,
            adopted=adopted,
            axi_transactions=axi,
            icache_hits=(now.icache_reads - now.icache_misses) - (before.icache_reads - before.icache_misses),
            dcache_hits=(now.dcache_reads - now.dcache_misses) - (before.dcache_reads - before.dcache_misses),
            max_warps_in_flight=env.kmu.monitor.counts.max_warps_in_flight,
            warps_used=len(env.kmu.monitor.counts.warps_used),
            wall_seconds=seconds,
            exercised=exercised,
        )


def _add(total: dict[str, int], more: Mapping[str, int]) -> None:
    for name, number in more.items():
        total[name] = total.get(name, 0) + number


def _check_failed(launch: m.Launch, difference: Difference) -> m.CheckFailed:
    return m.CheckFailed(launch.launch_id, difference.check, difference.message, difference)


def _fault(launch: m.Launch, seen: PortFaultSeen) -> m.Fault:
    kind = FaultKind(seen.kind) if seen.kind in set(FaultKind) else FaultKind.NONE
    return m.Fault(launch.launch_id, kind, seen.core, seen.warp, seen.tmask, seen.pc, seen.addr, seen.cycle)
