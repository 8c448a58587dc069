"""Checks of what registers store: reset values, access kinds, write-1-to-clear, partial accesses, unlisted offsets."""

from __future__ import annotations

from collections.abc import Sequence

from golden_model.device.doorbell import DOORBELL_OFFSET
from golden_model.device.registers import BY_OFFSET, MSIX_VECTORS, REGISTERS, WORD, Access, Effect, Field, Register
from golden_model.device.sequences import layout
from hw.tb.agents.bar.agent import BarAgent
from hw.tb.agents.bar.items import RegisterReadItem, RegisterWriteItem
from hw.tb.agents.bar.sequences.base import ENABLE, RESET, BarSequence, SequenceError

UNLISTED = (0x0020, 0x010C, 0x020C, 0x032C, 0x0364, 0x0398, 0x041C, 0x0608, 0x0628, 0xFE100, 0xFF008, 0xFFFFC)
PATTERNS = (0x5A5A_5A5A, 0xA5A5_A5A5)  # every bit both ways
# Whose writes start something whatever the value is; `effects.py` has a check for each of these.
_ALWAYS_ACTS = (Effect.DISPATCH, Effect.RAISE)


class ResetValues(BarSequence):
    """Every register of the table reads its reset value; `changed` names those that a test has changed on purpose."""

    def __init__(self, agent: BarAgent, changed: tuple[str, ...] = ()) -> None:
        super().__init__(agent, name="reset_values")
        self._changed = changed
        self.read_count = 0

    async def body(self) -> None:
        for row in REGISTERS:
            if row.name in self._changed:
                continue
            register = self.agent.registers.by_name[row.name]
            await self.expect(row.name, int(register.get_reset()) & row.readable, "after reset")
            self.read_count += 1


class AccessKinds(BarSequence):
    """Every register stores what its kind of access lets it store, and nothing else changes.

    One-shot bits and registers whose write always acts are left to `effects.py`.

    Args:
        vectors: MSI-X vectors whose entries are tried.
    """

    def __init__(self, agent: BarAgent, vectors: Sequence[int] = range(MSIX_VECTORS)) -> None:
        super().__init__(agent, name="access_kinds")
        others = {f"MSIX{vector}" for vector in range(MSIX_VECTORS) if vector not in vectors}
        self._rows = [row for row in REGISTERS if row.name.split("_")[0] not in others]

    async def body(self) -> None:
        for row in self._rows:
            if row.effect in _ALWAYS_ACTS:
                continue
            before = await self.read(row.name)
            for pattern in PATTERNS:
                value = pattern & ~_one_shot(row)
                await self.write(row.name, value)
                after = self._after(row, before, value)
                await self.expect(row.name, after, f"{value:#x} was written over {before:#x}")
                before = after
        # Whoever wrote to another register by mistake is found here: all registers once more, by their mirror.
        for row in self._rows:
            if not row.volatile:
                register = self.agent.registers.by_name[row.name]
                await self.expect(row.name, register.expected, "after all others were written")

    @staticmethod
    def _after(row: Register, before: int, value: int) -> int:
        match row.access:
            case Access.RW:
                stored = row.writable & row.readable
                return before & ~stored | value & stored
            case Access.RW1C:
                return before & ~(value & row.writable)
            case Access.WO | Access.W1C:
                return 0
            case Access.RO:
                return before


class ErrorsClearByOne(BarSequence):
    """Bits of ERROR_STATUS clear by writing 1, each alone; ERROR follows the last. `standing` is a mask."""

    def __init__(self, agent: BarAgent, standing: int) -> None:
        super().__init__(agent, name="errors_clear")
        self._standing = standing

    async def body(self) -> None:
        left = self._standing
        await self.expect("ERROR_STATUS", left, "errors that were made")
        for value in (0, ~left & WORD):
            await self.write("ERROR_STATUS", value)
            await self.expect("ERROR_STATUS", left, f"{value:#x} has no bit that stands")
        while left:
            await self._expect_error_bit(True)
            bit = left & -left
            await self.write("ERROR_STATUS", bit)
            left &= ~bit
            await self.expect("ERROR_STATUS", left, f"{bit:#x} was written to clear it")
        await self._expect_error_bit(False)

    async def _expect_error_bit(self, set_: bool) -> None:
        status = await self.read("GLOBAL_STATUS")
        if bool(status & 4) != set_:
            raise SequenceError(f"GLOBAL_STATUS reads {status:#x}, ERROR must be {int(set_)}")


class PartialAccesses(BarSequence):
    """Sub-word, misaligned and 8-byte accesses of BAR0 and BAR4 read 0 and change nothing; so do offsets not listed."""

    async def body(self) -> None:
        for name in ("DEV_ID", "KERNEL_ADDR_LO", "MSIX3_ADDR_LO", "DB_POP"):
            offset = self.agent.registers.by_name[name].row.offset
            for size, at in ((1, 0), (1, 1), (1, 3), (2, 0), (2, 2)):
                await self._reads_zero(0, offset + at, size)
            if offset % 8 == 0:
                await self._reads_zero(0, offset, 8)
        await self.write("KERNEL_ADDR_LO", 0x1234_5678)
        for strobe in (*range(1, 15), 0):
            await self.do(RegisterWriteItem(BY_OFFSET[0x300].offset, WORD, strobe=strobe))
            await self.expect("KERNEL_ADDR_LO", 0x1234_5678, f"it was written with byte enables {strobe:#06b}")
        await self.do(RegisterWriteItem(DOORBELL_OFFSET, 7, bar=4, strobe=3))
        for offset in (0, DOORBELL_OFFSET + 4, 0xFFFC):
            await self.do(RegisterWriteItem(offset, 7, bar=4))
        await self.expect("DB_STATUS", 0, "no doorbell was rung")
        for offset in (0, DOORBELL_OFFSET):
            await self._reads_zero(4, offset, 4)
            await self._reads_zero(4, offset, 1)
        for offset in UNLISTED:
            await self.do(RegisterWriteItem(offset, WORD))
            await self._reads_zero(0, offset, 4)

    async def _reads_zero(self, bar: int, offset: int, size: int) -> None:
        item = await self.do(RegisterReadItem(offset, bar, size))
        if item.value:
            raise SequenceError(f"{size} bytes at BAR{bar} {offset:#x} read {item.value:#x}, must read 0")


class ResetDevice(BarSequence):
    """RESET brings every register back to its reset value, and VRAM keeps its contents."""

    async def body(self) -> None:
        kept = bytes(range(256))
        await self.vram_write(layout.SCRATCH.start + 3, kept)
        await self.write("GLOBAL_CTRL", ENABLE | RESET)
        await self.run(ResetValues(self.agent))
        if await self.vram_read(layout.SCRATCH.start + 3, len(kept)) != kept:
            raise SequenceError("RESET has changed VRAM")


def _one_shot(row: Register) -> int:
    def mask(field: Field) -> int:
        return field.mask if field.one_shot else 0

    return sum(mask(field) for field in row.fields)
