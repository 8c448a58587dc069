"""The device's slave ports as a host's side drives them: cocotb-bus masters, and bytes made into bursts."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from cocotb.triggers import SimTimeoutError, with_timeout
from cocotb_bus.drivers.amba import AXI4LiteMaster, AXI4Master, AXIProtocolError

from hw.tb.agents.bar.transport import TransportError

PERIOD_NS = 10
ANSWER_CYCLES = 20_000  # RESET waits for everything that is in flight
BAR4_SELECT = 1 << 20  # of the address of s_ctl
_BLOCK = 64
_PAGE = 4096
_LOG2 = {1: 0, 2: 1, 4: 2}
ResultT = TypeVar("ResultT")


@dataclass(frozen=True)
class Burst:
    """One INCR burst: `size` bytes from `offset` in beats of `beat` bytes."""

    offset: int
    size: int
    beat: int

    @property
    def beats(self) -> int:
        return math.ceil((self.offset % self.beat + self.size) / self.beat)


def bursts(offset: int, size: int, rng: Random | None = None) -> Iterator[Burst]:
    """An access as bursts that do not cross a page; with `rng`, beats of any size and bursts of any length."""
    end = offset + size
    while offset < end:
        stop = min(end, offset // _PAGE * _PAGE + _PAGE)
        beat = _BLOCK
        if rng is not None and rng.random() < 0.4:
            beat = 1 << rng.randrange(6)
            stop = min(stop, offset + rng.choice((beat, 4 * beat, 100)), offset // beat * beat + 256 * beat)
        yield Burst(offset, stop - offset, beat)
        offset = stop


class AxiPort:
    """`s_ctl` (AXI4-Lite, with the size of reads) and `s_vram` (AXI4) of `dut`.

    Args:
        rng: chooses shapes of bursts and gaps between the channels; without it every access is as quick as it can be.

    Every method raises TransportError if the device does not answer, or answers with an error, which it never may.
    """

    def __init__(self, dut: Any, rng: Random | None = None) -> None:
        self._dut, self._rng = dut, rng
        self._ctl = AXI4LiteMaster(dut, "s_ctl", dut.clk)
        self._vram = AXI4Master(dut, "s_vram", dut.clk)
        dut.s_ctl_arsize.value = 2

    async def ctl_read(self, bar: int, offset: int, size: int) -> int:
        """1, 2 or 4 bytes of BAR0 or BAR4; the word that the device drives."""
        self._dut.s_ctl_arsize.value = _LOG2[size]
        what = f"read of {size} bytes at BAR{bar} {offset:#x}"
        return int(await self._answered(self._ctl.read(_address(bar, offset)), what))

    async def ctl_write(self, bar: int, offset: int, value: int, strobe: int) -> None:
        """One word of BAR0 or BAR4."""
        late = (0, 0) if self._rng is None else (self._rng.choice((0, 0, 2)), self._rng.choice((0, 0, 3)))
        access = self._ctl.write(_address(bar, offset), value, strobe, address_latency=late[0], data_latency=late[1])
        await self._answered(access, f"write at BAR{bar} {offset:#x}")

    async def vram_read(self, offset: int, size: int) -> bytes:
        """Bytes of BAR2."""
        parts = []
        for burst in bursts(offset, size, self._rng):
            self._identify()
            access = self._vram.read(burst.offset, burst.beats, size=burst.beat)
            words = await self._answered(access, f"read of {burst.size} bytes at BAR2 {burst.offset:#x}")
            data = b"".join(int(word).to_bytes(len(word) // 8, "little") for word in words)
            parts.append(data[: burst.size])
        return b"".join(parts)

    async def vram_write(self, offset: int, data: bytes, enables: int | None = None) -> None:
        """Bytes of BAR2; bit n of `enables` belongs to `data[n]` (default: all)."""
        for burst in bursts(offset, len(data), self._rng):
            at = burst.offset - offset
            part = data[at : at + burst.size].ljust(burst.beats * burst.beat, b"\0")
            enabled = (1 << burst.size) - 1
            if enables is not None:
                enabled &= enables >> at
            words, strobes = [], []
            for first in range(0, len(part), burst.beat):
                words.append(int.from_bytes(part[first : first + burst.beat], "little"))
                strobes.append(enabled >> first & (1 << burst.beat) - 1)
            self._identify()
            access = self._vram.write(burst.offset, words, size=burst.beat, byte_enable=strobes)
            await self._answered(access, f"write of {burst.size} bytes at BAR2 {burst.offset:#x}")

    def _identify(self) -> None:
        if self._rng is not None:
            self._dut.s_vram_awid.value = self._rng.getrandbits(8)
            self._dut.s_vram_arid.value = self._rng.getrandbits(8)

    async def _answered(self, access: Awaitable[ResultT], what: str) -> ResultT:
        try:
            return await with_timeout(access, ANSWER_CYCLES * PERIOD_NS, "ns")
        except SimTimeoutError:
            raise TransportError(f"the {what} was not answered within {ANSWER_CYCLES} cycles") from None
        except AXIProtocolError as error:
            raise TransportError(f"the {what} was answered with {error.xresp.name}") from None


def _address(bar: int, offset: int) -> int:
    return offset | (BAR4_SELECT if bar == 4 else 0)
