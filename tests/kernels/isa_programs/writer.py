"""Collects the lines of one assembly program."""

from __future__ import annotations

import random

OPERANDS = 64  # 32-bit words of the operand table of one lane


class Writer:
    """Collects lines and gives out unique labels."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self._labels = 0

    def __call__(self, text: str) -> None:
        self.lines.append("    " + text)

    def label(self) -> str:
        self._labels += 1
        return f".Lp{self._labels}"

    def place(self, label: str) -> None:
        self.lines.append(f"{label}:")

    def operand(self, register: str) -> None:
        """Load a per-lane random operand; lanes differ."""
        self(f"lw {register}, {4 * self.random.randrange(OPERANDS)}(s6)")
