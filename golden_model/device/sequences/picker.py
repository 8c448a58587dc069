"""Random picks that scenes and launches share."""

from __future__ import annotations

import random
from typing import TypeVar

from golden_model.device.sequences import layout
from golden_model.device.sequences.values import WORDS

_T = TypeVar("_T")


class Picker:
    """Picks by one random generator."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def failing_vram(self, size: int) -> int:
        """Where a byte at least answers with a bus error."""
        fails = layout.VRAM_FAILS
        return self.one(fails.start - size + 1, fails.start, fails.start + 100, fails.stop - 1)

    def vram(self, size: int) -> int:
        """Where a copy of `size` bytes may be."""
        edges = (layout.SCRATCH.start, layout.SCRATCH.start + 1, layout.SCRATCH.stop - size)
        return self.one(*edges, self.rng.randrange(layout.SCRATCH.start, layout.SCRATCH.stop - size))

    def host_addr(self, size: int) -> int:
        """Where a transfer of `size` bytes may be in host memory."""
        return self.one(layout.HOST.start, self.rng.randrange(layout.HOST.start, layout.HOST.stop - size))

    def word(self) -> int:
        """An edge or any word."""
        return self.one(self.rng.choice(WORDS), self.rng.getrandbits(32))

    def flip(self) -> bool:
        """One of two."""
        return self.rng.random() < 0.5

    def one(self, *choices: _T) -> _T:
        """One of these."""
        return self.rng.choice(choices)
