"""Launches of every kind, as one command each."""

from __future__ import annotations

from golden_model.device.image_table import TableProblem
from golden_model.device.registers import WORD
from golden_model.device.sequences import layout
from golden_model.device.sequences.commands import Command, Dispatch
from golden_model.device.sequences.picker import Picker
from golden_model.device.sequences.programs import Program

ENDS_WELL = (Program.STORE, Program.KEEP, Program.RECALL, Program.ECHO)
_FAULTS = (Program.ILLEGAL, Program.MISALIGNED, Program.JUMP_TO_ZERO)
_TABLE_PROBLEMS = tuple(problem for problem in TableProblem if problem is not TableProblem.OUTSIDE_VRAM)


class Launches(Picker):
    """Picks launches."""

    def good(self) -> Command:
        """A launch that ends well."""
        release = self.one(0, 0, 0, self.rng.getrandbits(4))
        return Dispatch(
            program=self.rng.choice(ENDS_WELL),
            vortex=self.rng.random() < 0.7,
            grid=(self.rng.randint(1, 4), self.one(1, 1, 2), 1),
            block=self.one((1, 1, 1), (4, 1, 1), (5, 1, 1), (16, 1, 1), (3, 2, 2), (1, 1, 16)),
            lmem=self.one(0, 0, 1, 64, 1 << 14),
            max_cycles=self.one(0, 0, 0, 1 << 40),
            release=release,
            release_addr=self._release_addr(bool(release & 8)),
        )

    def _release_addr(self, host: bool) -> int:
        places = layout.HOST_RELEASE if host else layout.RELEASE
        inside = self.rng.randrange(places.start, places.stop - 16)
        if host:
            return self.one(inside, layout.HOST_FAILS.start, (1 << 64) - 4, (1 << 64) - 16)
        fails = layout.VRAM_FAILS.start - self.one(0, 4, 8, 12)
        return self.one(inside, inside, inside, fails, layout.VRAM_SIZE - 4, layout.VRAM_SIZE - 16, 1 << 63)

    def bad(self) -> Command:
        """One that DISPATCH refuses."""
        vortex = self.flip()
        program = self.rng.choice(ENDS_WELL)
        big, zero = self.one(0x1_0000, 0xFFFF_FFFF), self.one((0, 1, 1), (1, 0, 1), (1, 1, 0))
        return self.rng.choice(
            [
                Dispatch(program, vortex, grid=zero),
                Dispatch(program, vortex, block=zero),
                Dispatch(program, vortex, block=(17, 1, 1)),
                Dispatch(program, vortex, block=(big, big, 1)),
                Dispatch(program, vortex, block=(big, big, big)),
                Dispatch(program, vortex, block=(1, big, big)),
                Dispatch(program, vortex, lmem=self.one((1 << 14) + 1, WORD)),
                Dispatch(program, vortex, addr_bits=self.one(1, 2, 1 << 32, 1 << 62)),
                Dispatch(program, vortex, grid=(3, 1, 1), cluster=(2, 1, 1)),
                Dispatch(program, vortex, grid=(5, 1, 1), cluster=(5, 1, 1)),
                Dispatch(program, vortex, grid=(4, 1, 1), cluster=(2, 1, 1), lmem=0x2001),
            ]
        )

    def bad_table(self) -> Command:
        """One whose table breaks one rule."""
        return Dispatch(self.rng.choice(ENDS_WELL), table=self.rng.choice(_TABLE_PROBLEMS))

    def watchdog(self) -> Command:
        """One that never ends and has a watchdog."""
        return Dispatch(Program.LOOP, self.flip(), max_cycles=self.one(1, 100, 1000))

    def fault(self) -> Command:
        """One that faults."""
        return Dispatch(self.rng.choice(_FAULTS), self.flip(), release=self.one(0, 1))
