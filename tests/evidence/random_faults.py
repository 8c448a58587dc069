"""Faults drawn at random from the files of the core, with the reporter as it is."""

from __future__ import annotations

from tests.evidence.patched import Patched

RANDOM: tuple[Patched, ...] = ()
