"""`BarTransport` on a `BarServer`, for host programs that run in a thread under cocotb's bridge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, ParamSpec, TypeVar

from cocotb.task import resume

from config import CopyMode
from golden_model.device.sequences.actions import (
    Action,
    ReadHost,
    ReadRegister,
    ReadVram,
    WriteHost,
    WriteRegister,
    WriteVram,
)
from golden_model.records.layout import Kind, RunEvent
from golden_model.records.ring import Batch
from hw.tb.bar_host.server import LAUNCH, TRANSFER, BarServer

_LONGEST_SLEEP = 200_000  # cycles without a message after which the host looks by itself

P = ParamSpec("P")
ResultT = TypeVar("ResultT")


class SimulatedTransport:
    """Every call passes simulated time and returns when the access is complete.

    Raises:
        SimulationStoppedError: a check failed, or the clock stopped.
    """

    def __init__(self, server: BarServer, copy: CopyMode) -> None:
        self.server = server
        self.copy = copy
        self._interrupts: list[int] = []

    # ------------------------------------------------------------------ BarTransport

    def bar0_read(self, offset: int) -> int:
        value = self.perform(ReadRegister(0, offset))
        assert isinstance(value, int)
        return value

    def bar0_write(self, offset: int, value: int) -> None:
        self.perform(WriteRegister(0, offset, value))

    def bar2_read(self, offset: int, size: int) -> bytes:
        if self.copy is CopyMode.BACKDOOR:
            return _blocking(self.server.copy_out)(offset, size)
        value = self.perform(ReadVram(offset, size))
        assert isinstance(value, bytes)
        return value

    def bar2_write(self, offset: int, data: bytes) -> None:
        if self.copy is CopyMode.BACKDOOR:
            _blocking(self.server.copy_in)(offset, data)
        else:
            self.perform(WriteVram(offset, data))

    def bar4_write(self, offset: int, value: int) -> None:
        self.perform(WriteRegister(4, offset, value))

    def take_interrupts(self) -> list[int]:
        taken, self._interrupts = self._interrupts, []
        return taken

    def pass_time(self) -> None:
        _blocking(self.server.wait_message)(_LONGEST_SLEEP)

    # ------------------------------------------------------------------ beyond it

    def perform(self, action: Action) -> int | bytes | None:
        """Any access, also one that no driver makes."""
        return _blocking(self.server.perform)(action)

    def run(self, cycles: int) -> None:
        """Let simulated time pass."""
        _blocking(self.server.run)(cycles)

    def wait_transfer(self, bound: int = 1_000_000) -> bool:
        """Until no DMA transfer is in flight; whether that is so after at most `bound` cycles."""
        return not _blocking(self.server.wait_device)(TRANSFER, bound)

    def wait_launch(self, bound: int = 1_000_000) -> bool:
        """Until no launch is BUSY; whether that is so after at most `bound` cycles."""
        return not _blocking(self.server.wait_device)(LAUNCH, bound)

    def end_launch(self) -> None:
        """Checks that only make sense after a launch that ended well."""
        _blocking(self.server.end_launch)()

    def host_read(self, addr: int, size: int) -> bytes:
        """Memory of the host, which DMA and releases reach."""
        value = self.perform(ReadHost(addr, size))
        assert isinstance(value, bytes)
        return value

    def host_write(self, addr: int, data: bytes) -> None:
        """Memory of the host."""
        self.perform(WriteHost(addr, data))

    def see(self, batch: Batch) -> None:
        """Records of the design; MSI-X messages are kept for `take_interrupts`."""
        run = batch[Kind.RUN]
        self._interrupts += (run["data"][run["event"] == RunEvent.MESSAGE] >> 32).tolist()


def _blocking(function: Callable[P, Awaitable[ResultT]]) -> Callable[P, ResultT]:
    wrapped: Any = resume(function)  # type: ignore[arg-type]
    return wrapped  # type: ignore[no-any-return]
