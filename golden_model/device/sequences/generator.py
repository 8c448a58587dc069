"""Random command sequences from a seed, weighted toward edges and toward states that are hard to reach.

A sequence is a row of scenes. A scene brings the device into a state (idle, a launch that does not end, a transfer,
both; exactly one error standing, or none, or several) and then touches registers at random in that state, or does one
thing that a host does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from golden_model.device.config import BAR2_SIZE, TABLE_BASE
from golden_model.device.doorbell import DOORBELL_OFFSET
from golden_model.device.interrupts import ErrorBit
from golden_model.device.registers import MSIX_PBA, MSIX_TABLE, MSIX_VECTORS, REGISTERS, WORD, Register
from golden_model.device.sequences import layout
from golden_model.device.sequences.commands import (
    AwaitDma,
    AwaitLaunch,
    Command,
    Dcr,
    Dispatch,
    Dma,
    Do,
    Doorbells,
    Observe,
    PopDoorbells,
    ProgramVector,
    ReadHost,
    ReadRegister,
    ReadVram,
    Reset,
    SetFunction,
    SetSink,
    WriteHost,
    WriteRegister,
    WriteVram,
    write_named,
)
from golden_model.device.sequences.launches import ENDS_WELL, Launches
from golden_model.device.sequences.picker import Picker
from golden_model.device.sequences.programs import Program
from golden_model.device.sequences.values import DCRS, DIMS, SIZES, TOO_BIG, VALUES

SHORTEST, LONGEST = 20, 200

_LONG_DMA = 0x4000
_TABLE = range(MSIX_TABLE, MSIX_PBA)


@dataclass(frozen=True)
class Sequence:
    """Commands and the seed from which `generate` makes them again."""

    seed: int
    commands: list[Command]


def generate(seed: int, length: int | None = None) -> Sequence:
    """The sequence of a seed; `length` None lets the seed choose between 20 and 200 commands."""
    source = _Generator(random.Random(seed))
    count = source.rng.randint(SHORTEST, LONGEST) if length is None else length
    commands: list[Command] = []
    while len(commands) < count:
        commands += source.scene()
    return Sequence(seed, commands[:count])


class _Generator(Picker):
    def __init__(self, rng: random.Random) -> None:
        super().__init__(rng)
        self.launches = Launches(rng)
        self._endless = False  # a launch that never ends may be running
        self._singles: list[tuple[int, Callable[[], Command]]] = [
            (9, self.launches.good),
            (5, self.launches.bad),
            (4, self.launches.bad_table),
            (3, self.launches.watchdog),
            (3, self.launches.fault),
            (2, lambda: Dispatch(self.rng.choice(ENDS_WELL), self.flip(), release=self.one(0, 1), args_fail=True)),
            (6, self._dma),
            (3, self._bad_dma),
            (3, self._doorbells),
            (2, lambda: PopDoorbells(self.one(1, 2, 70))),
            (4, self._vector),
            (3, lambda: Do(write_named("RAISE", self.one(0, 1, 2, 3, 4, 15, 16, WORD)))),
            (4, lambda: Do(write_named("IRQ_ENABLE", self.one(0, 0xF, self.rng.getrandbits(4))))),
            (3, lambda: Do(write_named("IRQ_ACK", self.one(0xF, self.rng.getrandbits(4))))),
            (3, lambda: Do(write_named("ERROR_STATUS", self.one(0xF, self.rng.getrandbits(4))))),
            (2, lambda: Do(SetFunction(self.flip(), self.flip()))),
            (2, lambda: Do(SetSink(self.flip()))),
            (4, self._dcr),
            (2, lambda: Reset(self.rng.random() < 0.8)),
            (6, self._touch_vram),
            (2, lambda: Do(WriteVram(layout.ARGS_OFFSET + 12, self.rng.randbytes(4)))),
            (3, lambda: Do(WriteHost(self.host_addr(100), self.rng.randbytes(self.rng.randint(1, 100))))),
            (3, lambda: Do(ReadHost(self.host_addr(100), self.rng.randint(1, 100)))),
            (1, lambda: Do(ReadHost(layout.HOST_RELEASE.start, len(layout.HOST_RELEASE)))),
            (4, lambda: Do(AwaitLaunch())),
            (4, lambda: Do(AwaitDma())),
            (6, Observe),
            (12, self._touch),
        ]

    # ------------------------------------------------------------------ scenes

    def scene(self) -> Iterator[Command]:
        """A few commands that belong together."""
        chosen = self.rng.random()
        if chosen < 0.06:
            yield from self._relaunch()
            return
        if chosen < 0.5:
            if self._endless and self.rng.random() < 0.7:
                yield Reset()
                self._endless = False
            yield from (self._single() for _ in range(self.rng.randint(1, 8)))
            return
        yield from self._prepare()
        for _ in range(self.rng.randint(4, 24)):
            yield self._touch() if self.rng.random() < 0.95 else self._touch_vram()

    def _relaunch(self) -> Iterator[Command]:
        """Launches without a reset between them, each reading what the host has just written."""
        if self._endless or self.flip():
            yield Reset()
        self._endless = False
        for _ in range(self.rng.randint(2, 4)):
            yield Do(WriteVram(layout.ARGS_OFFSET + 12, self.rng.randbytes(4)))
            yield Dispatch(self.one(Program.ECHO, Program.ECHO, *ENDS_WELL), grid=(self.rng.randint(1, 3), 1, 1))
            yield Do(AwaitLaunch())
            yield Do(ReadVram(layout.ARGS_OFFSET, layout.ARGS_SIZE))

    def _prepare(self) -> Iterator[Command]:
        """Bring the device into one of the states that coverage crosses."""
        errors = self.one(
            (), (ErrorBit.INVALID_CMD,), (ErrorBit.VRAM_FAULT,), (ErrorBit.KERNEL_FAULT,), (ErrorBit.DMA_FAULT,),
            (ErrorBit.VRAM_FAULT, ErrorBit.KERNEL_FAULT), tuple(ErrorBit),
        )  # fmt: skip
        launch, dma = self.flip(), self.flip()
        self._endless = launch
        yield Reset(enable=True)
        if self.flip():
            yield Do(SetFunction(True, False))
        if self.rng.random() < 0.9:
            yield Do(SetSink(True))
        yield from (ProgramVector(vector, 0xFEE0_0000, vector, self.flip()) for vector in range(self.one(0, 4)))
        yield Do(write_named("IRQ_ENABLE", self.one(0, 0xF)))
        for error in errors:
            yield self._provoke(error)
            yield Do(AwaitLaunch())
        if launch:
            yield Dispatch(Program.LOOP, vortex=self.flip())
        if dma:
            yield Dma(self.flip(), layout.HOST.start, layout.SCRATCH.start, _LONG_DMA)
        if not launch and not dma and self.flip():
            yield Do(write_named("GLOBAL_CTRL", 0))

    def _provoke(self, error: ErrorBit) -> Command:
        if error is ErrorBit.VRAM_FAULT:
            return Do(ReadVram(layout.VRAM_SIZE, 4))
        if error is ErrorBit.KERNEL_FAULT:
            return self.launches.fault()
        if error is ErrorBit.DMA_FAULT:
            return Dma(False, layout.HOST.start, layout.SCRATCH.start, 0)
        return Dcr(3, 0, 0)

    def _single(self) -> Command:
        weights, makers = zip(*self._singles, strict=True)
        maker: Callable[[], Command] = self.rng.choices(makers, weights)[0]
        return maker()

    # ------------------------------------------------------------------ registers

    def _touch(self) -> Command:
        """One access to any register, listed or not, whole or partial."""
        chosen = self.rng.random()
        if chosen < 0.06:
            return self._touch_unlisted()
        if chosen < 0.12:
            offset = self.one(DOORBELL_OFFSET, DOORBELL_OFFSET, 0, 0x94, 0xFFFC)
            return self._access(4, offset, self.word())
        row = self._row()
        return self._access(0, row.offset, self._value(row))

    def _touch_unlisted(self) -> Command:
        word = self.one(0x20, 0x10C, 0x20C, 0x32C, 0x334, 0x364, 0x374, 0x398, 0x41C, 0x608, 0x628, 0x6FC, 0xFE100,
                         0xFF008, 0xFFFFC, 4 * self.rng.randrange(0x4_0000))  # fmt: skip
        known = word in {row.offset for row in REGISTERS}
        return self._access(0, 0x20 if known else word, self.word())

    def _access(self, bar: int, offset: int, value: int) -> Command:
        kind = self.rng.random()
        if kind < 0.4:
            return Do(ReadRegister(bar, offset))
        if kind < 0.8:
            return Do(WriteRegister(bar, offset, value))
        if kind < 0.9:
            size = self.one(1, 2)
            return Do(ReadRegister(bar, offset + self.rng.randrange(0, 4, size), size))
        return Do(WriteRegister(bar, offset, value, self.rng.randrange(15)))

    def _row(self) -> Register:
        row = self.rng.choice(REGISTERS)
        while row.offset in _TABLE and self.rng.random() < 0.9:  # 64 registers, four different ones
            row = self.rng.choice(REGISTERS)
        return row

    def _value(self, row: Register) -> int:
        """A value that may be written there without making the outcome depend on timing."""
        name = row.name
        if name == "GLOBAL_CTRL":
            return self.one(0, 1, 1, 1, 1, 2) if self.rng.random() < 0.7 else 1
        if name in VALUES:
            return self.rng.choice(VALUES[name])
        if name.startswith(("GRID_DIM", "BLOCK_DIM", "CLUSTER_DIM")):
            return self.rng.choice(DIMS)
        return self.word()

    # ------------------------------------------------------------------ everything else

    def _dma(self) -> Command:
        size = self.rng.choice(SIZES)
        return Dma(self.flip(), self.host_addr(size), self.vram(size), size, self.flip())

    def _bad_dma(self) -> Command:
        to_host, size = self.flip(), self.rng.choice(SIZES)
        host, vram = self.host_addr(size), self.vram(size)
        return self.rng.choice(
            [
                Dma(to_host, host, vram, 0),
                Dma(to_host, host, layout.VRAM_SIZE - size + 1, size),
                Dma(to_host, host, 1 << 63, size),
                Dma(to_host, host, (1 << 64) - 1, size + 1),
                Dma(to_host, host, vram, self.rng.choice(TOO_BIG)),
                Dma(to_host, (1 << 64) - size, vram, size + 1),
                Dma(to_host, host, self.failing_vram(128), 128),
                Dma(to_host, layout.HOST_FAILS.start - self.one(0, 1, 64, 100), vram, 128),
            ]
        )

    def _doorbells(self) -> Command:
        return Doorbells(self.word(), self.one(1, 1, 1, 3, 64, 65))

    def _vector(self) -> Command:
        vector = self.rng.randrange(self.one(4, MSIX_VECTORS))
        return ProgramVector(vector, self.rng.getrandbits(62) << 2, self.rng.getrandbits(32), self.rng.random() < 0.4)

    def _dcr(self) -> Command:
        command = self.one(0, 1, 1, 2, 2, 2, 3)
        addr = self.one(0, 1) if command == 2 and self.flip() else self.rng.choice(DCRS)
        data = self.one(12, 13, 16, 20) if addr == 0x030 else self.one(0, 0, 1, 2 << 16, 34 << 16, WORD)
        return Dcr(command, addr, data)

    def _touch_vram(self) -> Command:
        size = self.rng.choice(SIZES)
        chosen = self.rng.random()
        if chosen < 0.1:
            offset = self.failing_vram(size)
        elif chosen < 0.3:
            offset = self.one(layout.VRAM_SIZE, layout.VRAM_SIZE - 1, layout.VRAM_SIZE - size + 1, BAR2_SIZE - size)
            offset = min(offset, BAR2_SIZE - size)
        else:
            offset = self.one(self.vram(size), self.vram(size), layout.ARGS_OFFSET, layout.RELEASE.start, TABLE_BASE)
        if self.flip() or offset == TABLE_BASE:
            return Do(ReadVram(offset, size))
        return Do(WriteVram(offset, self.rng.randbytes(size)))
