"""Mutants that change no behaviour, each with the argument; keys as in `Mutant.key`."""

from __future__ import annotations

EQUIVALENT: dict[str, str] = {}
