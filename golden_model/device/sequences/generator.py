"""Random command sequences from a seed, weighted toward edges and toward states that are hard to reach.

A sequence is a row of scenes. A scene brings the device into a state (idle, a launch that does not end, a transfer,
both; exactly one error standing, or none, or several) and then touches registers at random in that state, or does one
thing that a host does.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from golden_model.device.config import BAR2_SIZE, TABLE_BASE
from golden_model.device.doorbell import DOORBELL_OFFSET
from golden_model.device.image_table import TableProblem
from golden_model.device.interrupts import ErrorBit
from golden_model.device.registers import BY_NAME, MSIX_PBA, MSIX_TABLE, MSIX_VECTORS, REGISTERS, WORD, Register
from golden_model.device.sequences import layout, programs
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
from golden_model.device.sequences.programs import Program

SHORTEST, LONGEST = 20, 200

_ENDS_WELL = (Program.STORE, Program.KEEP, Program.RECALL, Program.ECHO)
_FAULTS = (Program.ILLEGAL, Program.MISALIGNED, Program.JUMP_TO_ZERO)
_TABLE_PROBLEMS = tuple(problem for problem in TableProblem if problem is not TableProblem.OUTSIDE_VRAM)
_WORDS = (0, 1, 2, 3, 4, 0xF, 0x10, 0xFFFF, 0x8000_0000, 0xFFFF_FFFF, 0x5555_5555)
_DIMS = (0, 1, 1, 2, 3, 4, 16, 17, 0x1_0000, 0xFFFF_FFFF)
_SIZES = (1, 1, 2, 3, 4, 5, 8, 31, 32, 63, 64, 65, 127, 128, 200)
_TOO_BIG = (BAR2_SIZE, 0xFFFF_FFFF)
_LONG_DMA = 0x4000
_TABLE = range(MSIX_TABLE, MSIX_PBA)
_DCRS = (0x000, 0x001, 0x002, 0x010, 0x016, 0x019, 0x023, 0x024, 0x02F, 0x030, 0x031, 0xFFF)


_T = TypeVar("_T")


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


class _Generator:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self._endless = False  # a launch that never ends may be running
        self._singles: list[tuple[int, Callable[[], Command]]] = [
            (9, self._good_dispatch),
            (5, self._bad_dispatch),
            (4, self._bad_table),
            (3, self._watchdog),
            (3, self._fault),
            (2, lambda: Dispatch(self.rng.choice(_ENDS_WELL), self._flip(), release=self._one(0, 1), args_fail=True)),
            (6, self._dma),
            (3, self._bad_dma),
            (3, self._doorbells),
            (2, lambda: PopDoorbells(self._one(1, 2, 70))),
            (4, self._vector),
            (3, lambda: Do(write_named("RAISE", self._one(0, 1, 2, 3, 4, 15, 16, WORD)))),
            (4, lambda: Do(write_named("IRQ_ENABLE", self._one(0, 0xF, self.rng.getrandbits(4))))),
            (3, lambda: Do(write_named("IRQ_ACK", self._one(0xF, self.rng.getrandbits(4))))),
            (3, lambda: Do(write_named("ERROR_STATUS", self._one(0xF, self.rng.getrandbits(4))))),
            (2, lambda: Do(SetFunction(self._flip(), self._flip()))),
            (2, lambda: Do(SetSink(self._flip()))),
            (4, self._dcr),
            (2, lambda: Reset(self.rng.random() < 0.8)),
            (6, self._touch_vram),
            (2, lambda: Do(WriteVram(layout.ARGS_OFFSET + 12, self.rng.randbytes(4)))),
            (3, lambda: Do(WriteHost(self._host_addr(100), self.rng.randbytes(self.rng.randint(1, 100))))),
            (3, lambda: Do(ReadHost(self._host_addr(100), self.rng.randint(1, 100)))),
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
        if self._endless or self._flip():
            yield Reset()
        self._endless = False
        for _ in range(self.rng.randint(2, 4)):
            yield Do(WriteVram(layout.ARGS_OFFSET + 12, self.rng.randbytes(4)))
            yield Dispatch(self._one(Program.ECHO, Program.ECHO, *_ENDS_WELL), grid=(self.rng.randint(1, 3), 1, 1))
            yield Do(AwaitLaunch())
            yield Do(ReadVram(layout.ARGS_OFFSET, layout.ARGS_SIZE))

    def _prepare(self) -> Iterator[Command]:
        """Bring the device into one of the states that coverage crosses."""
        errors = self._one(
            (), (ErrorBit.INVALID_CMD,), (ErrorBit.VRAM_FAULT,), (ErrorBit.KERNEL_FAULT,), (ErrorBit.DMA_FAULT,),
            (ErrorBit.VRAM_FAULT, ErrorBit.KERNEL_FAULT), tuple(ErrorBit),
        )  # fmt: skip
        launch, dma = self._flip(), self._flip()
        self._endless = launch
        yield Reset(enable=True)
        if self._flip():
            yield Do(SetFunction(True, False))
        if self.rng.random() < 0.9:
            yield Do(SetSink(True))
        yield from (ProgramVector(vector, 0xFEE0_0000, vector, self._flip()) for vector in range(self._one(0, 4)))
        yield Do(write_named("IRQ_ENABLE", self._one(0, 0xF)))
        for error in errors:
            yield self._provoke(error)
            yield Do(AwaitLaunch())
        if launch:
            yield Dispatch(Program.LOOP, vortex=self._flip())
        if dma:
            yield Dma(self._flip(), layout.HOST.start, layout.SCRATCH.start, _LONG_DMA)
        if not launch and not dma and self._flip():
            yield Do(write_named("GLOBAL_CTRL", 0))

    def _provoke(self, error: ErrorBit) -> Command:
        if error is ErrorBit.VRAM_FAULT:
            return Do(ReadVram(layout.VRAM_SIZE, 4))
        if error is ErrorBit.KERNEL_FAULT:
            return self._fault()
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
            offset = self._one(DOORBELL_OFFSET, DOORBELL_OFFSET, 0, 0x94, 0xFFFC)
            return self._access(4, offset, self._word())
        row = self._row()
        return self._access(0, row.offset, self._value(row))

    def _touch_unlisted(self) -> Command:
        word = self._one(0x20, 0x10C, 0x20C, 0x32C, 0x334, 0x364, 0x374, 0x398, 0x41C, 0x608, 0x628, 0x6FC, 0xFE100,
                         0xFF008, 0xFFFFC, 4 * self.rng.randrange(0x4_0000))  # fmt: skip
        known = word in {row.offset for row in REGISTERS}
        return self._access(0, 0x20 if known else word, self._word())

    def _access(self, bar: int, offset: int, value: int) -> Command:
        kind = self.rng.random()
        if kind < 0.4:
            return Do(ReadRegister(bar, offset))
        if kind < 0.8:
            return Do(WriteRegister(bar, offset, value))
        if kind < 0.9:
            size = self._one(1, 2)
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
            return self._one(0, 1, 1, 1, 1, 2) if self.rng.random() < 0.7 else 1
        if name in _VALUES:
            return self.rng.choice(_VALUES[name])
        if name.startswith(("GRID_DIM", "BLOCK_DIM", "CLUSTER_DIM")):
            return self.rng.choice(_DIMS)
        return self._word()

    # ------------------------------------------------------------------ launches

    def _good_dispatch(self) -> Command:
        release = self._one(0, 0, 0, self.rng.getrandbits(4))
        return Dispatch(
            program=self.rng.choice(_ENDS_WELL),
            vortex=self.rng.random() < 0.7,
            grid=(self.rng.randint(1, 4), self._one(1, 1, 2), 1),
            block=self._one((1, 1, 1), (4, 1, 1), (5, 1, 1), (16, 1, 1), (3, 2, 2), (1, 1, 16)),
            lmem=self._one(0, 0, 1, 64, 1 << 14),
            max_cycles=self._one(0, 0, 0, 1 << 40),
            release=release,
            release_addr=self._release_addr(bool(release & 8)),
        )

    def _release_addr(self, host: bool) -> int:
        places = layout.HOST_RELEASE if host else layout.RELEASE
        inside = self.rng.randrange(places.start, places.stop - 16)
        if host:
            return self._one(inside, layout.HOST_FAILS.start, (1 << 64) - 4, (1 << 64) - 16)
        fails = layout.VRAM_FAILS.start - self._one(0, 4, 8, 12)
        return self._one(inside, inside, inside, fails, layout.VRAM_SIZE - 4, layout.VRAM_SIZE - 16, 1 << 63)

    def _bad_dispatch(self) -> Command:
        vortex = self._flip()
        program = self.rng.choice(_ENDS_WELL)
        big, zero = self._one(0x1_0000, 0xFFFF_FFFF), self._one((0, 1, 1), (1, 0, 1), (1, 1, 0))
        return self.rng.choice(
            [
                Dispatch(program, vortex, grid=zero),
                Dispatch(program, vortex, block=zero),
                Dispatch(program, vortex, block=(17, 1, 1)),
                Dispatch(program, vortex, block=(big, big, 1)),
                Dispatch(program, vortex, block=(big, big, big)),
                Dispatch(program, vortex, block=(1, big, big)),
                Dispatch(program, vortex, lmem=self._one((1 << 14) + 1, WORD)),
                Dispatch(program, vortex, addr_bits=self._one(1, 2, 1 << 32, 1 << 62)),
                Dispatch(program, vortex, grid=(3, 1, 1), cluster=(2, 1, 1)),
                Dispatch(program, vortex, grid=(5, 1, 1), cluster=(5, 1, 1)),
                Dispatch(program, vortex, grid=(4, 1, 1), cluster=(2, 1, 1), lmem=0x2001),
            ]
        )

    def _bad_table(self) -> Command:
        return Dispatch(self.rng.choice(_ENDS_WELL), table=self.rng.choice(_TABLE_PROBLEMS))

    def _watchdog(self) -> Command:
        return Dispatch(Program.LOOP, self._flip(), max_cycles=self._one(1, 100, 1000))

    def _fault(self) -> Command:
        return Dispatch(self.rng.choice(_FAULTS), self._flip(), release=self._one(0, 1))

    # ------------------------------------------------------------------ everything else

    def _dma(self) -> Command:
        size = self.rng.choice(_SIZES)
        return Dma(self._flip(), self._host_addr(size), self._vram(size), size, self._flip())

    def _bad_dma(self) -> Command:
        to_host, size = self._flip(), self.rng.choice(_SIZES)
        host, vram = self._host_addr(size), self._vram(size)
        return self.rng.choice(
            [
                Dma(to_host, host, vram, 0),
                Dma(to_host, host, layout.VRAM_SIZE - size + 1, size),
                Dma(to_host, host, 1 << 63, size),
                Dma(to_host, host, (1 << 64) - 1, size + 1),
                Dma(to_host, host, vram, self.rng.choice(_TOO_BIG)),
                Dma(to_host, (1 << 64) - size, vram, size + 1),
                Dma(to_host, host, self._failing_vram(128), 128),
                Dma(to_host, layout.HOST_FAILS.start - self._one(0, 1, 64, 100), vram, 128),
            ]
        )

    def _doorbells(self) -> Command:
        return Doorbells(self._word(), self._one(1, 1, 1, 3, 64, 65))

    def _vector(self) -> Command:
        vector = self.rng.randrange(self._one(4, MSIX_VECTORS))
        return ProgramVector(vector, self.rng.getrandbits(62) << 2, self.rng.getrandbits(32), self.rng.random() < 0.4)

    def _dcr(self) -> Command:
        command = self._one(0, 1, 1, 2, 2, 2, 3)
        addr = self._one(0, 1) if command == 2 and self._flip() else self.rng.choice(_DCRS)
        data = self._one(12, 13, 16, 20) if addr == 0x030 else self._one(0, 0, 1, 2 << 16, 34 << 16, WORD)
        return Dcr(command, addr, data)

    def _touch_vram(self) -> Command:
        size = self.rng.choice(_SIZES)
        chosen = self.rng.random()
        if chosen < 0.1:
            offset = self._failing_vram(size)
        elif chosen < 0.3:
            offset = self._one(layout.VRAM_SIZE, layout.VRAM_SIZE - 1, layout.VRAM_SIZE - size + 1, BAR2_SIZE - size)
            offset = min(offset, BAR2_SIZE - size)
        else:
            offset = self._one(self._vram(size), self._vram(size), layout.ARGS_OFFSET, layout.RELEASE.start, TABLE_BASE)
        if self._flip() or offset == TABLE_BASE:
            return Do(ReadVram(offset, size))
        return Do(WriteVram(offset, self.rng.randbytes(size)))

    def _failing_vram(self, size: int) -> int:
        """Where a byte at least answers with a bus error."""
        fails = layout.VRAM_FAILS
        return self._one(fails.start - size + 1, fails.start, fails.start + 100, fails.stop - 1)

    def _vram(self, size: int) -> int:
        edges = (layout.SCRATCH.start, layout.SCRATCH.start + 1, layout.SCRATCH.stop - size)
        return self._one(*edges, self.rng.randrange(layout.SCRATCH.start, layout.SCRATCH.stop - size))

    def _host_addr(self, size: int) -> int:
        return self._one(layout.HOST.start, self.rng.randrange(layout.HOST.start, layout.HOST.stop - size))

    def _word(self) -> int:
        return self._one(self.rng.choice(_WORDS), self.rng.getrandbits(32))

    def _flip(self) -> bool:
        return self.rng.random() < 0.5

    def _one(self, *choices: _T) -> _T:
        return self.rng.choice(choices)


def _kernel_addresses() -> tuple[int, ...]:
    """Addresses that run a program, are refused, or fetch a zero word."""
    placed = [
        programs.place(program, base) for program in Program for base in (layout.CODE_VMA, layout.RAW_CODE_OFFSET)
    ]
    return (0, 2, 0x100, 0xC000_0000, *(kernel for _, kernel in placed))


_ARGUMENTS = (0, 2, layout.RAW_ARGS, layout.ARGS_VMA, 0x2_0000)
_SMALL_OR_TOO_BIG = (0, *_SIZES, 0x800, *_TOO_BIG)

_VALUES: dict[str, tuple[int, ...]] = {
    "KERNEL_ADDR_LO": _kernel_addresses(),
    "KERNEL_ADDR_HI": (0, 1, 0x8000_0000, 0x8000_0001),
    "STARTUP_ADDR_LO": (0, 2, *_kernel_addresses()),
    "STARTUP_ADDR_HI": (0, 0, 1),
    "KERNEL_ARGS_LO": _ARGUMENTS,
    "KERNEL_ARGS_HI": (0, 0, 1),
    "DMA_SRC_LO": (layout.SCRATCH.start, layout.SCRATCH.start + 1, layout.HOST.start & WORD),
    "DMA_SRC_HI": (0, layout.HOST.start >> 32),
    "DMA_DST_LO": (layout.SCRATCH.start, layout.SCRATCH.start + 1, layout.HOST.start & WORD),
    "DMA_DST_HI": (0, layout.HOST.start >> 32),
    "DMA_SIZE": _SMALL_OR_TOO_BIG,
    "RELEASE_ADDR_LO": (layout.RELEASE.start, layout.RELEASE.start + 3, layout.HOST_RELEASE.start & WORD, WORD),
    "RELEASE_ADDR_HI": (0, layout.HOST_RELEASE.start >> 32, WORD),
    "RAISE": (0, 1, 2, 3, 4, 15, 16, WORD),
    "DCR_ADDR": _DCRS,
    "DCR_DATA": (0, 1, 20),
}
assert set(_VALUES) <= set(BY_NAME)
