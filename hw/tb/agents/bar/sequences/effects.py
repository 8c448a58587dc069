"""One check for each side effect of the register table; `EFFECTS` maps every effect to its check."""

from __future__ import annotations

from golden_model.device.registers import Effect
from golden_model.device.sequences import layout
from golden_model.device.sequences.programs import Program
from hw.tb.agents.bar.sequences.base import BarSequence, OpenDevice, SequenceError
from hw.tb.agents.bar.sequences.launch import Launch, TinyLaunch
from hw.tb.agents.bar.sequences.stored import ErrorsClearByOne, ResetDevice
from hw.tb.agents.bar.sequences.transfer import Dma

_KERNEL_DONE, _DMA_DONE, _ERROR, _DOORBELL = 1, 2, 4, 8
_QUEUE = 64
_OVERFLOW = 1 << 31
_EMPTY = 0xFFFF_FFFF
_DCR_VALID = 1 << 9
_LMEM = 0x030  # dispatch window: a KMU register that nothing here launches with


class ControlEffect(BarSequence):
    """RESET with registers written, an error standing, tokens queued, vectors pending."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        await self.write("KERNEL_ARGS_HI", 0x55)
        await self.doorbell(3)
        await self.write("RAISE", 99)
        await self.write("MSIX5_CTRL", 1)
        await self.write("RAISE", 5)
        await self.settle()
        self.agent.driver.transport.take_messages()
        await self.run(ResetDevice(self.agent))
        await self.expect_messages([], "nothing is sent after RESET")


class ClearErrorEffect(BarSequence):
    """Two errors stand, each is cleared alone; IRQ_STATUS does not follow."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        await self.write("RAISE", 16)
        await self.write("DMA_CTRL", 1)  # a transfer of size 0
        await self.run(ErrorsClearByOne(self.agent, 0b1001))
        await self.expect("IRQ_STATUS", _ERROR, "clearing ERROR_STATUS leaves IRQ_STATUS")


class EnableInterruptEffect(BarSequence):
    """Sources that have occurred unheard are raised when they become enabled, once, and only those."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        await self.write("IRQ_ENABLE", 0)
        await self.doorbell(1)
        await self.write("RAISE", 20)
        await self.expect("IRQ_STATUS", _DOORBELL | _ERROR, "status is set whether enabled or not")
        await self.expect_messages([], "no source is enabled")
        await self.write("IRQ_ENABLE", _DOORBELL | _DMA_DONE)
        await self.expect_messages([3], "DOORBELL was pending when it became enabled")
        await self.write("IRQ_ENABLE", _DOORBELL | _DMA_DONE)
        await self.expect_messages([], "it was enabled already")
        await self.write("IRQ_ENABLE", 0xF)
        await self.expect_messages([2], "ERROR was pending when it became enabled")


class AcknowledgeEffect(BarSequence):
    """IRQ_ACK clears the bits that are written as 1 and no others."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        await self.doorbell(1)
        await self.write("RAISE", 20)
        await self.write("IRQ_ACK", _KERNEL_DONE | _DMA_DONE)
        await self.expect("IRQ_STATUS", _DOORBELL | _ERROR, "other bits were acknowledged")
        await self.write("IRQ_ACK", _DOORBELL)
        await self.expect("IRQ_STATUS", _ERROR, "DOORBELL was acknowledged")
        await self.write("IRQ_ENABLE", 0)
        await self.write("IRQ_ENABLE", 0xF)
        await self.settle()
        messages = [message.data for message in self.agent.driver.transport.take_messages()]
        if messages[2:] != [2]:
            raise SequenceError(f"after the acknowledge only ERROR is pending, but messages are {messages}")


class DispatchEffect(BarSequence):
    """A launch that stores: LAUNCH_ID counts, KERNEL_DONE, the message, the result in VRAM."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        for number, vortex in enumerate((True, False), 1):
            tiny = TinyLaunch(Program.STORE, vortex)
            await self.vram_write(tiny.args_offset, bytes(16))
            await self.run(Launch(self.agent, tiny))
            await self.expect("GLOBAL_STATUS", 1, "the launch has ended well")
            await self.expect("LAUNCH_ID", number, "launches are counted")
            await self.expect_messages([0], "one KERNEL_DONE a launch")
            stored = await self.vram_read(tiny.args_offset + 4, 4)
            if int.from_bytes(stored, "little") != tiny.kernel:
                raise SequenceError(f"the kernel stored {stored.hex()} instead of its address {tiny.kernel:#x}")


class DcrEffect(BarSequence):
    """A DCR write is done, a read is answered and VALID until the next; what nobody answers is refused."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        await self.write("DCR_ADDR", _LMEM)
        await self.write("DCR_DATA", 16)
        await self.write("DCR_CTRL", 1)
        await self.expect("DCR_CTRL", 0, "a write leaves nothing behind")
        await self.write("DCR_ADDR", 1)
        await self.write("DCR_DATA", 2 << 16)  # instructions retired by core 0
        await self.write("DCR_CTRL", 2)
        for _ in range(100):
            if await self.read("DCR_CTRL") == _DCR_VALID:
                break
        else:
            raise SequenceError("a DCR read is never answered")
        await self.expect("ERROR_STATUS", 0, "DCR accesses that are allowed")
        for address, data, command in ((1, 2 << 16, 3), (0x010, 0, 2), (1, 2 << 16 | 99, 2)):
            await self.write("DCR_ADDR", address)
            await self.write("DCR_DATA", data)
            await self.write("DCR_CTRL", command)
            await self.expect_refused(f"DCR command {command} at {address:#x} with {data:#x}")


class DmaEffect(BarSequence):
    """START moves bytes, with DMA_DONE only if asked for; a transfer that may not be fails at once."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        host = self.agent.driver.transport.host
        data = bytes((7 * at) & 0xFF for at in range(300))
        host.write(layout.HOST.start + 5, data)
        quiet = Dma(self.agent, layout.HOST.start + 5, layout.SCRATCH.start + 61, len(data), to_host=False)
        loud = Dma(self.agent, layout.HOST.start + 0x1001, layout.SCRATCH.start + 61, len(data), to_host=True, irq=True)
        for dma, messages in ((quiet, []), (loud, [1])):
            await self.run(dma)
            if dma.status != 2:
                raise SequenceError(f"DMA_STATUS reads {dma.status} at the end of a good transfer")
            await self.expect_messages(messages, "DMA_DONE comes if DMA_CTRL asks for it")
        if host.read(layout.HOST.start + 0x1001, len(data)) != data:
            raise SequenceError("bytes that went to VRAM and back are not the same")
        await self.run(Dma(self.agent, layout.HOST.start, layout.SCRATCH.start, 0, to_host=False, irq=True))
        await self.expect("DMA_STATUS", 4, "a transfer of no bytes")
        await self.expect("ERROR_STATUS", 8, "a transfer of no bytes")
        await self.expect_messages([2], "ERROR, and no DMA_DONE")


class ClearOverflowEffect(BarSequence):
    """A token too many sets the overflow flag and is lost; writing 1 clears the flag and no token."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        for token in range(_QUEUE + 2):
            await self.doorbell(token)
        await self.expect("DB_STATUS", _OVERFLOW | _QUEUE, "the queue is full and more came")
        await self.write("DB_STATUS", 0x7FFF_FFFF)
        await self.expect("DB_STATUS", _OVERFLOW | _QUEUE, "only bit 31 clears")
        await self.write("DB_STATUS", _OVERFLOW)
        await self.expect("DB_STATUS", _QUEUE, "the flag was cleared")
        await self.expect("ERROR_STATUS", 0, "an overflow is no error")


class PopTokenEffect(BarSequence):
    """Tokens come out in order, all ones when there is none."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent))
        for token in (5, 0, 0xDEAD_BEEF):
            await self.doorbell(token)
        for left, token in ((2, 5), (1, 0), (0, 0xDEAD_BEEF), (0, _EMPTY)):
            await self.expect("DB_POP", token, "the oldest token")
            await self.expect("DB_STATUS", left, "tokens left")


class RaiseEffect(BarSequence):
    """RAISE sends any of the 16 vectors, IRQ_ENABLE or not; a vector that does not exist is refused."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent, (4, 15)))
        await self.write("IRQ_ENABLE", 0)
        for vector in (0, 4, 15):
            await self.write("RAISE", vector)
            await self.expect_messages([vector], "that vector was raised")
        await self.write("RAISE", 16)
        await self.expect_refused("vector 16 does not exist")
        await self.expect_messages([], "vector 16 does not exist")


class MsixEffect(BarSequence):
    """What is raised while masked is pending and sent once when nothing holds it back, as the entry is then."""

    async def body(self) -> None:
        await self.run(OpenDevice(self.agent, (6, 9), masked=1 << 6 | 1 << 9))
        for vector in (9, 6, 6):
            await self.write("RAISE", vector)
        await self.expect("MSIX_PBA_LO", 1 << 6 | 1 << 9, "two vectors are held back")
        await self.expect_messages([], "both are masked")
        await self.function(enabled=True, masked=True)
        await self.write("MSIX6_CTRL", 0)
        await self.write("RAISE", 2)
        await self.expect("MSIX_PBA_LO", 1 << 2 | 1 << 6 | 1 << 9, "the function is masked")
        await self.expect_messages([], "the function is masked")
        await self.function(enabled=True, masked=False)
        await self.expect_messages([2, 6], "the function is unmasked: lowest first, each once")
        await self.expect("MSIX_PBA_LO", 1 << 9, "vector 9 is still masked")
        await self.function(enabled=False, masked=False)
        await self.write("MSIX9_CTRL", 0)
        await self.expect_messages([], "MSI-X is not enabled")
        await self.function(enabled=True, masked=False)
        await self.expect_messages([9], "MSI-X was enabled")
        await self.expect("MSIX_PBA_LO", 0, "nothing is pending any more")


EFFECTS: dict[Effect, type[BarSequence]] = {
    Effect.CONTROL: ControlEffect,
    Effect.CLEAR_ERROR: ClearErrorEffect,
    Effect.ENABLE_INTERRUPT: EnableInterruptEffect,
    Effect.ACKNOWLEDGE: AcknowledgeEffect,
    Effect.DISPATCH: DispatchEffect,
    Effect.DCR: DcrEffect,
    Effect.DMA: DmaEffect,
    Effect.CLEAR_OVERFLOW: ClearOverflowEffect,
    Effect.POP_TOKEN: PopTokenEffect,
    Effect.RAISE: RaiseEffect,
    Effect.MSIX: MsixEffect,
}
