"""Every register, read, written and accessed in part, in one state of the device with one set of errors standing.

The register model judges what is read. Accesses are chosen so that the state stays: what an access may set in
ERROR_STATUS is cleared again, a DISPATCH is always refused, no transfer is started.
"""

from __future__ import annotations

from random import Random

from golden_model.device import ErrorBit
from golden_model.device.doorbell import DOORBELL_OFFSET
from golden_model.device.registers import (
    BY_OFFSET,
    MSIX_PBA,
    MSIX_TABLE,
    MSIX_VECTORS,
    REGISTERS,
    Effect,
    Guard,
    Register,
)
from golden_model.device.sequences import layout
from golden_model.device.sequences.coverage import DeviceState, Errors, State
from golden_model.device.sequences.programs import Program
from hw.tb.agents.bar.agent import BarAgent
from hw.tb.agents.bar.items import BarItem, RegisterReadItem, RegisterWriteItem, VramReadItem, VramWriteItem
from hw.tb.agents.bar.sequences.base import DMA_BUSY, ENABLE, RESET, BarSequence, SequenceError
from hw.tb.agents.bar.sequences.launch import Launch, Stage, TinyLaunch
from hw.tb.agents.bar.sequences.stored import UNLISTED
from hw.tb.agents.bar.sequences.transfer import Dma

_MASKED_VECTOR = 12
_SEVERAL = ErrorBit.INVALID_CMD | ErrorBit.DMA_FAULT
_BITS = {
    Errors.NONE: ErrorBit(0),
    Errors.INVALID_CMD: ErrorBit.INVALID_CMD,
    Errors.VRAM_FAULT: ErrorBit.VRAM_FAULT,
    Errors.KERNEL_FAULT: ErrorBit.KERNEL_FAULT,
    Errors.DMA_FAULT: ErrorBit.DMA_FAULT,
    Errors.SEVERAL: _SEVERAL,
}


class Sweep(BarSequence):
    """All accesses in one state.

    Args:
        rng: chooses values, sizes and vectors.
    """

    def __init__(self, agent: BarAgent, state: State, errors: Errors, rng: Random) -> None:
        super().__init__(agent, name="sweep")
        self._state, self._errors, self._rng = state, errors, rng

    async def body(self) -> None:
        transport = self.agent.driver.transport
        await self.write("GLOBAL_CTRL", RESET)
        await self.write("GLOBAL_CTRL", ENABLE)
        await self._make_errors()
        await self._make_state()
        await self.settle()
        wanted = DeviceState.state.fget, DeviceState.error.fget  # type: ignore[attr-defined]
        if tuple(get(transport.state()) for get in wanted) != (self._state, self._errors):
            raise SequenceError(f"the device is {transport.state()} instead of {self._state} with {self._errors}")
        for item in self._items_of_all():
            await self.do(item)
            await self._restore(item)
        transport.hold_host(False)
        await self.write("GLOBAL_CTRL", RESET)
        await self.settle()
        transport.take_messages()

    # ------------------------------------------------------------------ into the state

    async def _make_errors(self) -> None:
        bits = _BITS[self._errors]
        if bits & ErrorBit.KERNEL_FAULT:
            await self.run(Launch(self.agent, TinyLaunch(Program.ILLEGAL)))
        if bits & ErrorBit.VRAM_FAULT:
            await self.vram_read(layout.VRAM_SIZE, 4)
        if bits & ErrorBit.DMA_FAULT:
            await self.run(Dma(self.agent, layout.HOST.start, layout.SCRATCH.start, 0, to_host=False))
        if bits & ErrorBit.INVALID_CMD:
            await self.write("RAISE", MSIX_VECTORS)

    async def _make_state(self) -> None:
        if self._state in (State.BUSY, State.BUSY_AND_DMA):
            await self.run(Launch(self.agent, TinyLaunch(Program.LOOP), wait=False))
        else:
            await self.run(Stage(self.agent, TinyLaunch(Program.STORE, grid=(0, 0, 0))))
        if self._state in (State.DMA, State.BUSY_AND_DMA):
            self.agent.driver.transport.hold_host(True)
            await self.run(Dma(self.agent, layout.HOST.start, layout.SCRATCH.start, 8, to_host=False, wait=False))
            if not await self.read("DMA_STATUS") & DMA_BUSY:
                raise SequenceError("a transfer whose host does not answer is not BUSY")
        if self._state is State.DISABLED:
            await self.write("GLOBAL_CTRL", 0)

    # ------------------------------------------------------------------ accesses

    def _items_of_all(self) -> list[BarItem]:
        rng, outside = self._rng, layout.VRAM_SIZE
        items: list[BarItem] = []
        vector = rng.randrange(MSIX_VECTORS)
        for row in REGISTERS:
            if MSIX_TABLE <= row.offset < MSIX_PBA and (row.offset - MSIX_TABLE) // 16 != vector:
                continue  # the vectors are alike
            items += [RegisterReadItem(row.offset), RegisterWriteItem(row.offset, self._value(row))]
            items.append(self._partial(0, row.offset))
        for bar, offset in ((0, rng.choice(UNLISTED)), (4, DOORBELL_OFFSET), (4, 4 * rng.randrange(0x30, 0x4000))):
            items += [RegisterReadItem(offset, bar), RegisterWriteItem(offset, rng.getrandbits(32), bar)]
            items.append(self._partial(bar, offset))
        inside = rng.choice(layout.SCRATCH[0x100:-0x100])
        items += [VramReadItem(inside, rng.randint(1, 90)), VramWriteItem(inside, rng.randbytes(rng.randint(1, 90)))]
        items += [VramReadItem(outside - 5, 9), VramWriteItem(outside - 5, rng.randbytes(9))]
        rng.shuffle(items)
        return items

    def _partial(self, bar: int, offset: int) -> BarItem:
        rng = self._rng
        if rng.random() < 0.5:
            return RegisterWriteItem(offset, rng.getrandbits(32), bar, rng.randrange(1, 15))
        size = rng.choice((1, 2))
        return RegisterReadItem(offset + rng.randrange(0, 4, size), bar, size)

    def _value(self, row: Register) -> int:
        """A value that leaves the state as it is."""
        match row.effect:
            case Effect.CONTROL:
                return 0 if self._state is State.DISABLED else ENABLE
            case Effect.CLEAR_ERROR | Effect.DMA | Effect.DCR:
                return 0
            case Effect.RAISE:
                return _MASKED_VECTOR
        if row.name.startswith(("GRID_DIM", "BLOCK_DIM")):
            return 0  # whatever is dispatched now is refused
        return self._rng.getrandbits(32)

    async def _restore(self, item: BarItem) -> None:
        """Clear what a refused access has set; what stood before stays."""
        match item:
            case RegisterWriteItem(bar=0, strobe=0xF, offset=offset) if offset in BY_OFFSET:
                row = BY_OFFSET[offset]
                fails = row.guard is not Guard.NONE or row.effect is Effect.DISPATCH
            case VramReadItem(offset=offset) | VramWriteItem(offset=offset):
                fails = offset > layout.SCRATCH.stop
            case _:
                fails = False
        if fails:
            await self.settle_errors()

    async def settle_errors(self) -> None:
        """Only the errors that this sweep is about stand."""
        standing, wanted = ErrorBit(await self.read("ERROR_STATUS")), _BITS[self._errors]
        if standing & ~wanted:
            await self.write("ERROR_STATUS", int(standing & ~wanted))
        if wanted & ~standing:
            raise SequenceError(f"{wanted & ~standing!r} has gone without being cleared")
