"""Checks of refusals: launch registers while BUSY, DMA registers while DMA BUSY, DISPATCH that may not be."""

from __future__ import annotations

from golden_model.device import TABLE_BASE
from golden_model.device.image_table import TableProblem
from golden_model.device.registers import REGISTERS, Guard
from golden_model.device.sequences import layout
from golden_model.device.sequences.programs import KERNEL_OFFSET, Program, code
from golden_model.device.sequences.tables import broken_table
from hw.tb.agents.bar.sequences.base import BUSY, DMA_BUSY, ENABLE, BarSequence, SequenceError
from hw.tb.agents.bar.sequences.launch import Launch, Stage, TinyLaunch
from hw.tb.agents.bar.sequences.transfer import Dma

_ERROR_SOURCE, _ERROR_VECTOR = 4, 2
_SIZE = 300
_NO_TABLE_CAN = (TableProblem.OUTSIDE_VRAM,)


class LaunchRegistersRefused(BarSequence):
    """Each register that is guarded by BUSY keeps its value, INVALID_CMD and IRQ ERROR come; others take it.

    Ends with a RESET of the launch that never ends. Needs an opened device.
    """

    async def body(self) -> None:
        await self.run(Launch(self.agent, TinyLaunch(Program.LOOP), wait=False))
        if not await self.read("GLOBAL_STATUS") & BUSY:
            raise SequenceError("an endless launch is not BUSY")
        count = 0
        for row in REGISTERS:
            if row.guard is not Guard.LAUNCH:
                continue
            before = await self.read(row.name)
            await self.write("IRQ_ACK", _ERROR_SOURCE)
            await self.write(row.name, before ^ 0xFFFF_FFFF)
            await self.expect(row.name, before, "it was written while BUSY")
            await self.expect_refused(f"{row.name} was written while BUSY")
            await self.expect("IRQ_STATUS", _ERROR_SOURCE, "a refused write raises IRQ ERROR")
            count += 1
        await self.expect_messages([_ERROR_VECTOR] * count, "one message a refused write")
        for name in ("MAX_CYCLES_HI", "STARTUP_ADDR_LO", "CLUSTER_DIM_X", "RELEASE_ADDR_LO", "DMA_SIZE"):
            await self.write(name, 0x77)
            await self.expect(name, 0x77, "it may be written while BUSY")
        await self.write("DISPATCH", 1)
        await self.expect_refused("DISPATCH while BUSY")
        await self.write("DCR_ADDR", 0x010)
        await self.write("DCR_CTRL", 1)
        await self.expect_refused("a KMU register in the DCR window while BUSY")
        await self.write("GLOBAL_CTRL", 2)
        await self.expect("GLOBAL_STATUS", 1, "RESET ends the launch")


class DmaRegistersRefused(BarSequence):
    """Each register that is guarded by DMA BUSY keeps its value while a transfer waits for the host."""

    async def body(self) -> None:
        host = self.agent.driver.transport
        host.hold_host(True)
        await self.run(Dma(self.agent, layout.HOST.start, layout.SCRATCH.start, _SIZE, to_host=False, wait=False))
        for row in REGISTERS:
            if row.guard is not Guard.DMA:
                continue
            before = await self.read(row.name)
            await self.write(row.name, before ^ 0xFFFF_FFFF & row.writable)
            await self.expect(row.name, before, "it was written while DMA BUSY")
            await self.expect_refused(f"{row.name} was written while DMA BUSY")
        await self.write("MAX_CYCLES_LO", 5)
        await self.expect("MAX_CYCLES_LO", 5, "it may be written while DMA BUSY")
        await self.expect("DMA_STATUS", DMA_BUSY, "the host has not answered")
        host.hold_host(False)
        await self.until_idle("DMA_STATUS", DMA_BUSY)
        await self.expect("DMA_STATUS", 2, "refused writes do not disturb the transfer")


class DispatchRefused(BarSequence):
    """DISPATCH is refused for every reason that the page gives, and changes nothing else. Needs an opened device."""

    async def body(self) -> None:
        good = TinyLaunch(Program.STORE)
        await self.run(Stage(self.agent, good))
        cases = {
            "GRID_DIM_X": 0,
            "GRID_DIM_Z": 0,
            "BLOCK_DIM_Y": 0,
            "BLOCK_DIM_X": 1 << 16,
            "SHARED_MEM_SIZE": 0x7FFF_FFFF,
            "KERNEL_ADDR_LO": good.kernel + 2,
            "KERNEL_ARGS_LO": good.args + 1,
            "KERNEL_ARGS_HI": 1,
        }
        for name, value in cases.items():
            before = await self.read(name)
            await self.write(name, value)
            await self._refused(f"DISPATCH with {name} = {value:#x}")
            await self.write(name, before)
        await self.write("GLOBAL_CTRL", 0)
        await self._refused("DISPATCH with ENABLE = 0")
        await self.write("GLOBAL_CTRL", ENABLE)

    async def _refused(self, why: str) -> None:
        launches = await self.read("LAUNCH_ID")
        await self.write("DISPATCH", 1)
        await self.until_idle()
        await self.expect_refused(why)
        await self.expect("LAUNCH_ID", launches, why)


class BadTablesRefused(BarSequence):
    """Every way in which an image table can be bad is INVALID_CMD, and no launch counts. Needs an opened device."""

    async def body(self) -> None:
        config = self.agent.registers.config
        good, tiny = layout.good_table(len(code())), TinyLaunch(Program.STORE)
        await self.run(Stage(self.agent, tiny))
        for problem in TableProblem:
            if problem in _NO_TABLE_CAN:
                continue
            startup = tiny.kernel - KERNEL_OFFSET
            table = broken_table(problem, good, startup, config.vram_size, config.table_entries, config.hardware.xlen)
            await self.vram_write(TABLE_BASE, table)
            await self.write("DISPATCH", 1)
            await self.until_idle()
            await self.expect_refused(f"an image table with {problem.name}")
        await self.expect("LAUNCH_ID", 0, "no launch with a bad table counts")
        await self.run(Launch(self.agent, tiny))
        await self.expect("ERROR_STATUS", 0, "a good table after bad ones")
        await self.expect("LAUNCH_ID", 1, "a good table after bad ones")
