"""The harness in a simulator process, around a processor that can only copy (standin/Vortex_axi.sv).

It is a design without trace wires, so this is also how a foreign core is built: other sources, no probes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import cocotb
import numpy as np
import pytest
from cocotb.triggers import SimTimeoutError, Timer, ValueChange, with_timeout
from cocotb.utils import get_sim_time

from config import RunConfig
from golden_model.records.layout import Kind, RunEvent
from golden_model.records.ring import Batch, RingReader
from hw.tb.agents.axi.policy import MemoryPolicy
from hw.tb.build.model import build
from hw.tb.build.spec import ModelSpec
from hw.tb.run import RunSettings, simulate
from hw.tb.top.abi import Op
from hw.tb.top.harness import (
    AssertionFailedError,
    CommandTimeoutError,
    Harness,
    HarnessError,
    Step,
    dcr_read,
    dcr_write,
)
from hw.tb.top.trigger import Cycles

SPEC = ModelSpec(rtl=Path(__file__).parent / "standin", probes=False)
ARG, LINES = 0x1_0000, 40
ASSERT, STUCK, EARLY, FINISH, FAULT, DRIFT = range(1, 7)


class Bench:
    """One harness and everything that its ring gave."""

    def __init__(self, dut: Any) -> None:
        self.harness = Harness(RunSettings.read().run_dir, lambda: ValueChange(dut.event_toggle))
        self.events: list[RunEvent] = []
        self.axi = 0
        self.harness.abort()

    def see(self, batch: Batch) -> None:
        self.events += [RunEvent(int(event)) for event in batch[Kind.RUN]["event"]]
        self.axi += len(batch[Kind.AXI])

    async def reset(self) -> None:
        await self.harness.reset(self.see)

    def steps(self, mode: int, lines: int = LINES, bound: int = 0) -> list[Step]:
        return [
            dcr_write(0x014, ARG),
            dcr_write(0x019, lines),
            dcr_write(0x030, mode),
            Step(Op.START, 7),
            Step(Op.WAIT_RISE, 100),
            Step(Op.WAIT_QUIESCENT, 8, bound),
            dcr_read(0, 0),
            dcr_read(1, 0x1234),
        ]

    async def launch(self, mode: int = 0, lines: int = LINES, bound: int = 0) -> list[int]:
        return await self.harness.execute(self.steps(mode, lines, bound), self.see)


def _test(function: Callable[[Bench], Awaitable[None]]) -> Any:
    async def run(dut: Any) -> None:
        bench = Bench(dut)
        await bench.reset()
        await function(bench)

    run.__name__ = run.__qualname__ = function.__name__
    run.__module__ = __name__
    return cocotb.test()(run)


@_test
async def launch_under_every_policy(bench: Bench) -> None:
    """Memory shared with numpy, results of reads, order of the run's records, every handshake in the ring."""
    harness = bench.harness
    source = np.random.default_rng(3).integers(0, 1 << 31, LINES * 16, dtype=np.uint32)
    for preset in ("kind", "ordered", "hostile", "fixed20"):
        harness.memory[ARG : ARG + LINES * 128] = 0
        harness.memory[ARG : ARG + LINES * 64] = source.view(np.uint8)
        harness.set_policy(MemoryPolicy.preset(preset, 5))
        bench.events.clear()
        bench.axi = 0
        assert await bench.launch() == [1, 0, 0x1234 ^ 0xFFFF_0000]
        copied = harness.memory[ARG + LINES * 64 : ARG + LINES * 128].view(np.uint32)
        assert (copied == source + 1).all()
        assert bench.axi == 5 * LINES
        assert [event for event in bench.events if event.name.startswith(("START", "BUSY", "QUIESCENT"))] == [
            RunEvent.START,
            RunEvent.BUSY_RISE,
            RunEvent.BUSY_FALL,
            RunEvent.QUIESCENT,
        ]
        assert Counter(bench.events)[RunEvent.DCR_WRITE] == 3
        status = harness.status
        assert (status.launch, status.outstanding_writes, status.busy_with_writes, status.idle_activity) == (7, 0, 0, 0)


@_test
async def an_empty_launch_ends(bench: Bench) -> None:
    assert (await bench.launch(lines=0))[0] == 0, "busy was said to rise"


@_test
async def assertions_count_stop_the_test_and_keep_the_records(bench: Bench) -> None:
    """Those during reset do not count; the first one stops, and everything up to it was handed out."""
    assert bench.harness.status.assertions == 0
    try:
        await bench.launch(ASSERT)
    except AssertionFailedError as error:
        assert "SystemVerilog assertion(s) failed" in str(error)
    else:
        raise RuntimeError("a failing assertion passed")
    assert bench.events[-1] is RunEvent.ASSERTION
    assert RunEvent.START in bench.events and RunEvent.QUIESCENT not in bench.events
    assert bench.harness.status.commands_pending == 0


@_test
async def a_bound_ends_what_never_ends(bench: Bench) -> None:
    began = bench.harness.cycle
    try:
        await bench.launch(STUCK, bound=5000)
    except CommandTimeoutError as error:
        assert "busy=1" in str(error)
        assert 5000 < bench.harness.cycle - began < 5200
    else:
        raise RuntimeError("a design that is busy for ever passed")
    await bench.reset()
    assert (await bench.launch())[0] == 1, "no launch after a reset"


@_test
async def busy_that_falls_before_b_is_counted(bench: Bench) -> None:
    before = bench.harness.status.busy_with_writes
    await bench.launch(EARLY)
    assert bench.harness.status.busy_with_writes == before + 1


@_test
async def fault_pulses_are_kept(bench: Bench) -> None:
    await bench.launch(FAULT)
    (fault,) = bench.harness.port_faults()
    assert (fault.kind, fault.addr, fault.pc, fault.core, fault.warp, fault.tmask) == (3, 0x1234, 0x8000_0010, 2, 1, 15)
    await bench.launch()
    assert bench.harness.port_faults() == []


@_test
async def a_request_that_changes_while_it_waits_is_an_assertion(bench: Bench) -> None:
    bench.harness.set_policy(MemoryPolicy.preset("hostile", 1))
    try:
        await bench.launch(DRIFT)
    except AssertionFailedError:
        return
    raise RuntimeError("AWADDR changed before AWREADY and nobody saw it")


@_test
async def timers_of_cocotb_work_beside_commands(bench: Bench) -> None:
    began = get_sim_time("ns")
    await Timer(1000, "ns")
    assert get_sim_time("ns") - began == 1000
    bench.harness.post([Step(Op.RUN, 10_000)])
    try:
        await with_timeout(bench.harness.wait(bench.see), 500, "ns")
    except SimTimeoutError:
        return
    raise RuntimeError("10000 cycles passed within 500 ns")


@_test
async def a_ring_that_fills_wakes_the_reader(bench: Bench) -> None:
    """More records than a ring holds, in one command: none is lost, because Python is woken in between."""
    batches = []
    await bench.harness.execute(bench.steps(0, lines=2000), lambda batch: batches.append(len(batch[Kind.AXI])))
    assert sum(batches) == 10_000
    assert len([size for size in batches if size]) > 4


@_test
async def wrong_use_is_one_sentence(bench: Bench) -> None:
    calls: list[tuple[str, Callable[[], None]]] = [
        ("no instance", lambda: bench.harness.force("*.nothing", 1, 1, Cycles(1, 2))),
        ("has no tracing", lambda: bench.harness.waves(Path("x.fst"), 1, 2)),
    ]
    for text, call in calls:
        try:
            call()
        except HarnessError as error:
            assert text in str(error), error
        else:
            raise RuntimeError(f"accepted, instead of: {text}")


@_test
async def zz_finish_of_the_design_is_an_error(bench: Bench) -> None:
    await bench.launch(FINISH)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str | None]:
    """Outcomes of all tests above in one process: name -> failure."""
    model = build(SPEC)
    result = simulate(
        RunConfig(), __name__, tmp_path_factory.mktemp("harness"), model=model, timeout_s=120, ring_records=2048
    )
    assert result.tests, f"{result.reason}\n{result.log_tail(40)}"
    return {test.name: test.failure for test in result.tests}


TESTS = [
    "launch_under_every_policy",
    "an_empty_launch_ends",
    "assertions_count_stop_the_test_and_keep_the_records",
    "a_bound_ends_what_never_ends",
    "busy_that_falls_before_b_is_counted",
    "fault_pulses_are_kept",
    "a_request_that_changes_while_it_waits_is_an_assertion",
    "timers_of_cocotb_work_beside_commands",
    "a_ring_that_fills_wakes_the_reader",
    "wrong_use_is_one_sentence",
]


@pytest.mark.parametrize("name", TESTS)
def test_harness(results: dict[str, str | None], name: str) -> None:
    assert name in results, f"did not run; these did: {', '.join(results)}"
    assert results[name] is None, results[name]


def test_finish_ends_the_process_with_a_failure(results: dict[str, str | None]) -> None:
    assert "$finish" in (results.get("zz_finish_of_the_design_is_an_error") or "")


def test_a_process_that_waits_for_nothing_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result = simulate(RunConfig(), "tests.rtl.harness_waits", tmp_path, model=build(SPEC), timeout_s=60)
    assert not result.passed
    assert "nothing is left to run" in result.log.read_text(encoding="utf-8")
    assert "before its tests were done" in result.reason or "waits_for_nothing" in result.reason


def test_the_ring_outlives_a_dead_simulator(tmp_path: Path) -> None:
    result = simulate(RunConfig(), "tests.rtl.harness_dies", tmp_path, model=build(SPEC), timeout_s=60)
    assert not result.passed and "died by signal SIGKILL" in result.reason
    left = RingReader(tmp_path / "ring.bin", recover=True).read()
    assert int(left[Kind.AXI]["seq"][-1]) > 0 and len(left[Kind.AXI]) == 5 * 20
