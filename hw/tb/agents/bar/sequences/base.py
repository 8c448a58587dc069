"""What every sequence of the BAR agent can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from pyuvm import uvm_sequence
from pyuvm._reg.uvm_reg_model import uvm_status_e

from golden_model.device import ErrorBit
from hw.tb.agents.bar.agent import BarAgent
from hw.tb.agents.bar.items import (
    AwaitInterruptItem,
    BarItem,
    DoorbellItem,
    FunctionItem,
    RegisterReadItem,
    RunItem,
    VramReadItem,
    VramWriteItem,
)
from hw.tb.agents.bar.transport import MESSAGE_ADDRESS, Message

ItemT = TypeVar("ItemT", bound=BarItem)
BUSY = 2
DMA_BUSY = 1
ENABLE, RESET = 1, 2
ALL_SOURCES = 0xF
SOURCE_VECTORS = (0, 1, 2, 3)  # kernel done, DMA done, error, doorbell
IDLE_POLLS = 3000


class SequenceError(AssertionError):
    """The device did what no host may see; the sentence says what and where."""


class BarSequence(uvm_sequence):
    """Items one after the other; subclasses override `body` and use the coroutines below.

    Registers go through the register model, so the predictor must have been given what the monitor sees.
    """

    def __init__(self, agent: BarAgent, items: Sequence[BarItem] = (), name: str = "bar") -> None:
        super().__init__(name)
        self.agent = agent
        self._items = items

    async def body(self) -> None:
        for item in self._items:
            await self.start_item(item)
            await self.finish_item(item)

    # ------------------------------------------------------------------ single things

    async def do(self, item: ItemT) -> ItemT:
        """One item. Raises SequenceError if the device did not answer."""
        await self.start_item(item)
        await self.finish_item(item)
        if item.error:
            raise SequenceError(item.error)
        return item

    async def run(self, *sequences: BarSequence) -> None:
        """Other sequences, one after the other."""
        for sequence in sequences:
            await sequence.start(self.sequencer)

    async def read(self, name: str) -> int:
        """A register by name, through the register model."""
        status, value = await self.agent.registers.by_name[name].read()
        if status is not uvm_status_e.UVM_IS_OK:
            raise SequenceError(f"the device did not answer a read of {name}")
        return int(value)

    async def write(self, name: str, value: int) -> None:
        """A register by name, through the register model."""
        status = await self.agent.registers.by_name[name].write(value)
        if status is not uvm_status_e.UVM_IS_OK:
            raise SequenceError(f"the device did not answer a write of {name}")

    async def read_wide(self, name: str) -> int:
        """A 64-bit value in two registers."""
        return await self.read(f"{name}_HI") << 32 | await self.read(f"{name}_LO")

    async def write_wide(self, name: str, value: int) -> None:
        """A 64-bit value in two registers."""
        await self.write(f"{name}_LO", value & 0xFFFF_FFFF)
        await self.write(f"{name}_HI", value >> 32)

    async def vram_read(self, offset: int, size: int) -> bytes:
        """Bytes of BAR2."""
        return (await self.do(VramReadItem(offset, size))).data

    async def vram_write(self, offset: int, data: bytes) -> None:
        """Bytes of BAR2."""
        await self.do(VramWriteItem(offset, data))

    async def doorbell(self, token: int) -> None:
        """Ring."""
        await self.do(DoorbellItem(token))

    async def function(self, enabled: bool, masked: bool) -> None:
        """MSI-X Enable and Function Mask."""
        await self.do(FunctionItem(enabled, masked))

    async def settle(self) -> None:
        """Everything posted has taken effect, and what it caused has arrived at the host."""
        await self.do(RegisterReadItem(0))
        await self.do(RunItem(40))

    # ------------------------------------------------------------------ what is asserted

    async def expect(self, name: str, value: int, why: str) -> None:
        """A register has this value."""
        found = await self.read(name)
        if found != value:
            raise SequenceError(f"{why}: {name} reads {found:#x} instead of {value:#x}")

    async def expect_messages(self, vectors: Sequence[int], why: str) -> None:
        """Exactly these vectors' messages have arrived, in this order (`ProgramVectors` makes the data tell them)."""
        await self.settle()
        expected = [Message(MESSAGE_ADDRESS + 16 * vector, vector) for vector in vectors]
        found = self.agent.driver.transport.take_messages()
        if found != expected:
            raise SequenceError(f"{why}: messages {found} instead of {expected}")

    async def expect_refused(self, why: str) -> None:
        """INVALID_CMD stands and nothing else; it is cleared."""
        await self.expect("ERROR_STATUS", int(ErrorBit.INVALID_CMD), why)
        await self.write("ERROR_STATUS", int(ErrorBit.INVALID_CMD))

    # ------------------------------------------------------------------ waiting

    async def interrupt(self, cycles: int = 20_000) -> int | None:
        """Data of the next message, None if none comes."""
        message = (await self.do(AwaitInterruptItem(cycles))).message
        return None if message is None else message.data

    async def until_idle(self, name: str = "GLOBAL_STATUS", mask: int = BUSY) -> int:
        """Poll until no bit of `mask` is set; the last value."""
        for _ in range(IDLE_POLLS):
            value = await self.read(name)
            if not value & mask:
                return value
            await self.do(RunItem(50))
        raise SequenceError(f"{name} still has a bit of {mask:#x} after {IDLE_POLLS} polls")


class ProgramVectors(BarSequence):
    """Messages of `vectors` name their vector, by address and data; unmasked unless `masked` has their bit."""

    def __init__(self, agent: BarAgent, vectors: Sequence[int] = SOURCE_VECTORS, masked: int = 0) -> None:
        super().__init__(agent, name="program_vectors")
        self._vectors, self._masked = vectors, masked

    async def body(self) -> None:
        for vector in self._vectors:
            await self.write_wide(f"MSIX{vector}_ADDR", MESSAGE_ADDRESS + 16 * vector)
            await self.write(f"MSIX{vector}_DATA", vector)
            await self.write(f"MSIX{vector}_CTRL", self._masked >> vector & 1)


class OpenDevice(BarSequence):
    """RESET, ENABLE, vectors programmed, every source enabled; nothing pending, no message waiting."""

    def __init__(self, agent: BarAgent, more_vectors: Sequence[int] = (), masked: int = 0) -> None:
        super().__init__(agent, name="open_device")
        self._vectors, self._masked = (*SOURCE_VECTORS, *more_vectors), masked

    async def body(self) -> None:
        await self.write("GLOBAL_CTRL", RESET)
        await self.write("GLOBAL_CTRL", ENABLE)
        await self.run(ProgramVectors(self.agent, self._vectors, self._masked))
        await self.write("IRQ_ENABLE", ALL_SOURCES)
        await self.settle()
        self.agent.driver.transport.take_messages()
