"""The measured part inside a simulator process; `options` of the run say which variant."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
from cocotb.triggers import ValueChange

from config import LaunchPath
from golden_model.records.layout import CommitFlag, Kind
from golden_model.records.ring import Batch
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.bench.commands import launch_steps, memory_writes
from hw.tb.bench.workload import Workload, make_workload
from hw.tb.client import run_client
from hw.tb.env import VortexEnv
from hw.tb.run.settings import RunSettings
from hw.tb.top.harness import ALL_KINDS, Harness
from sw.runtime import messages as m
from sw.runtime.backend import Backend


@cocotb.test()
async def measure(dut: Any) -> None:
    """Run the workload and write cycles and seconds of its fastest launch to `measured.json`."""
    settings = RunSettings.read()
    options = settings.options
    workload = make_workload(settings.config, int(options["size"]), int(options["launches"]))
    policy = MemoryPolicy.preset("fixed20", settings.config.seed)
    if options["variant"] in ("lockstep", "fast"):
        figures = await run_client(dut, lambda backend: _run_lockstep(backend, workload), "cosim", policy=policy)
    elif options["variant"] == "bar":
        figures = await _run_bars(dut, workload, policy)
    else:
        figures = await _run_commands(dut, settings.run_dir, workload, policy, variant=options["variant"])
    (settings.run_dir / "measured.json").write_text(json.dumps(figures), encoding="utf-8")


async def _run_commands(
    dut: Any, run_dir: Path, workload: Workload, policy: MemoryPolicy, variant: str
) -> dict[str, float]:
    records = variant == "records"
    harness = Harness(run_dir, lambda: ValueChange(dut.event_toggle))
    harness.copy_batches = False
    instructions = 0

    def count(batch: Batch) -> None:
        nonlocal instructions
        instructions += int(np.count_nonzero(batch[Kind.COMMIT]["flags"] & CommitFlag.LAST))

    harness.set_records(ALL_KINDS if records else 0)
    harness.set_policy(policy)
    for address, data in memory_writes(workload):
        harness.memory[address : address + len(data)] = memoryview(data)
    await harness.reset(count)
    best: tuple[float, int] | None = None  # seconds, cycles of the fastest launch
    busy = 0
    for launch in workload.launches:
        steps = launch_steps(launch, workload)
        instructions = 0
        first, began = harness.cycle, time.process_time()
        await harness.execute(steps, count)
        seconds, cycles = time.process_time() - began, harness.cycle - first
        busy = int(harness.status.busy_fall_cycle) - int(harness.status.start_cycle)
        if records:
            assert instructions == harness.status.instructions > 0, "a record was lost"
        if best is None or seconds * best[1] < best[0] * cycles:
            best = seconds, cycles
    assert best is not None
    found = harness.memory[workload.address : workload.address + len(workload.expected)].tobytes()
    assert found == workload.expected, "the product is wrong, so the figures mean nothing"
    if variant == "kmu":
        return {"cycles": busy, "seconds": best[0]}
    return {"cycles": best[1], "seconds": best[0]}


async def _run_bars(dut: Any, workload: Workload, policy: MemoryPolicy) -> dict[str, float]:
    """Cycles of `busy`, through the BARs; the cores' instructions are not recorded."""

    def work(backend: Backend) -> int:
        cycles = 0
        for message in workload.messages:
            backend.send(message)
            if isinstance(message, m.Launch):
                event = backend.receive()
                assert isinstance(event, m.LaunchDone), event
                assert event.status is m.LaunchStatus.DONE, event
                cycles = event.stats.cycles
        backend.send(m.ReadMemory(1, workload.address, len(workload.expected)))
        found = backend.receive()
        while not isinstance(found, m.MemoryData):
            found = backend.receive()
        assert found.data == workload.expected, "the product is wrong, so the figures mean nothing"
        return cycles

    def prepare(env: VortexEnv) -> None:
        env.config.harness.set_records(1 << Kind.RUN | 1 << Kind.AXI | 1 << Kind.DEVICE_AXI)

    cycles = await run_client(dut, work, "rtl", path=LaunchPath.BAR, policy=policy, prepare=prepare)
    return {"cycles": cycles, "seconds": 0.0}


def _run_lockstep(backend: Backend, workload: Workload) -> dict[str, float]:
    best: tuple[float, int] | None = None  # seconds, cycles of the fastest launch, its checks at the end included
    for message in workload.messages:
        began = time.process_time()
        backend.send(message)
        if isinstance(message, m.Launch):
            event = backend.receive()
            assert isinstance(event, m.LaunchDone), event
            assert event.status is m.LaunchStatus.DONE, event
            assert event.stats.compared == event.stats.instructions > 0, event
            seconds, cycles = time.process_time() - began, event.stats.cycles
            if best is None or seconds * best[1] < best[0] * cycles:
                best = seconds, cycles
    assert best is not None
    return {"cycles": best[1], "seconds": best[0]}
