"""Executes accesses of a host on the BARs of the simulated device, one at a time, and has every one of them judged."""

from __future__ import annotations

from golden_model.device.sequences.actions import (
    Action,
    ReadHost,
    ReadRegister,
    ReadVram,
    WriteHost,
    WriteRegister,
    WriteVram,
)
from hw.tb.bar_host.judge import BarJudge
from hw.tb.checker import LaunchEnd
from hw.tb.env import DifferenceFoundError, VortexEnv
from hw.tb.top.abi import BAR4, VRAM_SIZE, Op
from hw.tb.top.harness import Harness, HarnessError, Step
from sw.runtime import messages as m
from sw.runtime.errors import DeviceError

_SELECT_BOUND = 100_000
_BEAT = 6  # log2 of the bytes of a beat
_SETTLE = 64  # cycles after which whatever happened is on the pins
LAUNCH, TRANSFER = 1, 2


class SimulationStoppedError(DeviceError):
    """A check failed or the clock stopped; nothing that the device answers means anything from then on."""

    def __init__(self, failure: HarnessError) -> None:
        super().__init__(str(failure))
        self.failure = failure


class BarServer:
    """One model whose BAR device is between core and memory.

    Attributes:
        failure: what stopped it, None while it runs.
    """

    def __init__(self, env: VortexEnv, judge: BarJudge) -> None:
        self._env = env
        self._judge = judge
        self.harness: Harness = env.config.harness
        self.failure: HarnessError | None = None
        self._messages = 0  # that the host has been told of

    async def start(self) -> None:
        """Power on: all memories zero, device and cores reset, device in place.

        Raises:
            HarnessError: the model has no BAR device.
        """
        harness = self.harness
        if not harness.has_device:
            raise HarnessError("this model has no BAR device: launch through the KMU agent (LAUNCH=kmu)")
        harness.clear_memories()
        await harness.reset(self._publish)
        await harness.execute([Step(Op.SELECT, 1, _SELECT_BOUND)], self._publish)
        self._env.judge.active = True

    # ------------------------------------------------------------------ accesses

    async def perform(self, action: Action) -> int | bytes | None:
        """One access, complete on return.

        Raises:
            SimulationStoppedError: something failed, now or before.
        """
        scoreboard = self._judge.device
        if scoreboard is not None:
            scoreboard.expect(action)
        value = await self._drive(action)
        if scoreboard is not None and (difference := scoreboard.complete(value)) is not None:
            self._stop(DifferenceFoundError(difference))
        return value

    async def _drive(self, action: Action) -> int | bytes | None:
        harness = self.harness
        match action:
            case ReadRegister(bar, offset, size):
                return (await self.execute(Step(Op.CTL_READ, _ctl(bar, offset), size.bit_length() - 1)))[0]
            case WriteRegister(bar, offset, value, strobe):
                await self.execute(Step(Op.CTL_WRITE, _ctl(bar, offset), value, strobe))
            case ReadVram(offset, size):
                await self.execute(Step(Op.VRAM_READ, offset, size, _BEAT))
                return harness.take(size)
            case WriteVram(offset, data):
                harness.give(data)
                await self.execute(Step(Op.VRAM_WRITE, offset, len(data), _BEAT))
            case ReadHost(addr, size):
                return harness.host_read(addr, size)
            case WriteHost(addr, data):
                harness.host_write(addr, data)
        return None

    async def copy_in(self, offset: int, data: bytes) -> None:
        """Store in VRAM past the bus if nothing can tell the difference, else through BAR2."""
        if offset + len(data) > VRAM_SIZE or await self.busy():
            await self.perform(WriteVram(offset, data))
            return
        self.harness.vram[offset : offset + len(data)] = memoryview(data)
        self._judge.wrote(len(self.harness.memory) + offset, data)
        if self._judge.device is not None:
            self._judge.device.expect(WriteVram(offset, data))
            self._judge.device.complete(None)

    async def copy_out(self, offset: int, size: int) -> bytes:
        """The same for a read."""
        if self.failure is None and (offset + size > VRAM_SIZE or await self.busy()):
            value = await self.perform(ReadVram(offset, size))
            assert isinstance(value, bytes)
            return value
        return self.harness.vram[offset : offset + size].tobytes()

    # ------------------------------------------------------------------ time

    async def busy(self, mask: int = LAUNCH | TRANSFER) -> int:
        """What of `mask` is BUSY now, seen past the bus."""
        return await self.wait_device(mask, 1)

    async def wait_device(self, mask: int, bound: int) -> int:
        """Until nothing of `mask` is BUSY, at most `bound` cycles; returns what still is."""
        return (await self.execute(Step(Op.WAIT_DEVICE, mask, bound)))[0]

    async def wait_message(self, bound: int) -> None:
        """Until an MSI-X message arrives that the host has not been told of, at most `bound` cycles."""
        self._messages = (await self.execute(Step(Op.WAIT_MESSAGE, self._messages, bound)))[0]

    async def run(self, cycles: int) -> None:
        """Let time pass."""
        await self.execute(Step(Op.RUN, cycles))

    async def execute(self, step: Step) -> list[int]:
        """One command of the harness. Raises SimulationStoppedError."""
        if self.failure is not None:
            raise SimulationStoppedError(self.failure)
        try:
            return await self.harness.execute([step], self._publish)
        except HarnessError as error:
            self._stop(error)
            raise  # not reached

    # ------------------------------------------------------------------ launches

    def begin_launch(self, launch: m.Launch) -> None:
        """The launch that is dispatched next."""
        self._env.begin_launch()
        self.harness.set_device_launch(launch.launch_id)
        self._judge.begin_launch(launch)

    async def end_launch(self) -> None:
        """BUSY has cleared after a launch that ended well. Raises SimulationStoppedError."""
        await self.run(_SETTLE)
        if self._judge.device is not None and (difference := self._judge.device.settled()) is not None:
            self._stop(DifferenceFoundError(difference))
        if await self.busy(TRANSFER):
            return  # memory is changing
        for difference in self._judge.end_launch(LaunchEnd(self.harness.stored)):
            self._stop(DifferenceFoundError(difference))

    # ------------------------------------------------------------------ inside

    def _publish(self, batch: object) -> None:
        self._env.hub.publish(batch)  # type: ignore[arg-type]

    def _stop(self, failure: HarnessError) -> None:
        self.failure = failure
        self._env.judge.active = False
        raise SimulationStoppedError(failure)


def _ctl(bar: int, offset: int) -> int:
    return offset | (BAR4 if bar == 4 else 0)
