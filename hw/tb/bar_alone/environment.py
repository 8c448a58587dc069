"""The stand-alone UVM environment: one agent on one transport, and what a test body gets.

```python
@cocotb.test()
async def my_test(dut):
    async def body(bench: BarBench) -> None:
        await bench.run(OpenDevice(bench.agent))

    await run_bar_test(dut, "packets", body)
```
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, TypeVar

from cocotb.task import bridge
from pyuvm import ConfigDB, uvm_root, uvm_test

from golden_model.device import SparseHostMemory
from golden_model.device.host_memory import HostAccess
from golden_model.device.msix import MsixMessage
from hw.tb.agents.bar.agent import BarAgent, BarSeat
from hw.tb.agents.bar.blocking import BlockingTransport
from hw.tb.agents.bar.monitor import BarMonitor, PinMonitor
from hw.tb.agents.bar.packets import PacketTransport
from hw.tb.agents.bar.pins import PinTransport
from hw.tb.agents.bar.sequences.base import BarSequence
from hw.tb.agents.bar.transport import Transport
from hw.tb.bar_alone.model import device_config

TRANSPORTS: dict[str, Callable[..., Transport]] = {"pins": PinTransport, "packets": PacketTransport}
_BENCH = "VX_BAR_BENCH"
ResultT = TypeVar("ResultT")


@dataclass
class BarBench:
    """What a test body works with.

    Attributes:
        rng: seeded by the run.
        sent, host_accesses: what the monitor saw of MSI-X and of the host master.
    """

    seat: BarSeat
    rng: Random
    agent: BarAgent = field(init=False)
    sent: list[MsixMessage] = field(default_factory=list)
    host_accesses: list[HostAccess] = field(default_factory=list)

    @property
    def transport(self) -> Transport:
        return self.seat.transport

    @property
    def host(self) -> SparseHostMemory:
        return self.seat.transport.host

    async def run(self, *sequences: BarSequence) -> None:
        """Sequences one after the other."""
        for sequence in sequences:
            await sequence.start(self.agent.sequencer)

    async def host_program(self, function: Callable[[BlockingTransport], ResultT]) -> ResultT:
        """A blocking program in a thread of its own."""
        return await bridge(lambda: function(BlockingTransport(self.agent)))()


Body = Callable[[BarBench], Awaitable[None]]


@dataclass
class _Run:
    bench: BarBench
    body: Body
    done: bool = False
    error: BaseException | None = None


class _BarTest(uvm_test):
    """Runs one body; its outcome is kept, because UVM swallows errors."""

    agent: BarAgent

    def build_phase(self) -> None:
        self.agent = BarAgent("bar", self)

    def connect_phase(self) -> None:
        run: _Run = ConfigDB().get(None, "", _BENCH)
        run.bench.agent = self.agent
        self.agent.connect(run.bench.seat)

    async def run_phase(self) -> None:
        run: _Run = ConfigDB().get(None, "", _BENCH)
        self.raise_objection()
        try:
            await run.body(run.bench)
            run.done = True
        except BaseException as error:
            run.error = error
        finally:
            self.drop_objection()


async def run_bar_test(dut: Any, transport: str, body: Body, seed: int = 1, hostile: bool = True) -> BarAgent:
    """Power the device on, run `body` on it, check what the monitor and the register model have seen.

    Args:
        transport: a name of TRANSPORTS.
        hostile: bursts of any shape, gaps and late answers by `seed`; else everything as quick as it can be.

    Raises:
        Whatever `body` raised; AssertionError if a read contradicted the register model.
    """
    rng = Random(seed)
    way = TRANSPORTS[transport](dut, Random(seed + 1) if hostile else None)
    bench = BarBench(BarSeat(way, device_config(), lambda monitor: _watch(dut, monitor, bench)), rng)
    await way.start()
    run = _Run(bench, body)
    ConfigDB().clear()
    ConfigDB().set(None, "*", _BENCH, run)
    await uvm_root().run_test(_BarTest, keep_set={ConfigDB})
    if run.error is not None:
        raise run.error
    if not run.done:
        raise RuntimeError("the body did not run: the UVM run phase ended without it")
    predictor = bench.agent.predictor
    assert not predictor.mismatches, "reads contradict the register model:\n" + "\n".join(predictor.mismatches[:20])
    return bench.agent


def _watch(dut: Any, monitor: BarMonitor, bench: BarBench) -> None:
    def observe(what: Any) -> None:
        if isinstance(what, MsixMessage):
            bench.sent.append(what)
        elif isinstance(what, HostAccess):
            bench.host_accesses.append(what)
        monitor.observe(what)

    PinMonitor(dut, observe).start()
