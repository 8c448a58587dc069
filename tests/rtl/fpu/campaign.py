"""Runs of the C++ loop, one for each operation and rounding mode, and what they found."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

from tests.rtl.fpu import model
from tests.rtl.fpu.operations import ANY, MODES, OPERATIONS, name_of

FLAGS = ("nx", "uf", "of", "dz", "nv")


@dataclass(frozen=True)
class Part:
    """One run: an operation (or ANY, interleaved) in a rounding mode (or ANY)."""

    op: int
    mode: int
    seed: int

    @property
    def name(self) -> str:
        return "all, interleaved" if self.op == ANY else name_of(self.op)

    @property
    def mode_name(self) -> str:
        return "any" if self.mode == ANY else MODES[self.mode]


def parts(seed: int, wide: bool = False) -> Iterator[Part]:
    """Every operation in every mode that matters to it, then all in one stream; each has a seed of its own."""
    number = 0
    for operation in OPERATIONS:
        if operation.wide and not wide:
            continue
        for mode in range(len(MODES)) if operation.rounds else (ANY,):
            yield Part(operation.number, mode, seed * 1000 + number)
            number += 1
    yield Part(ANY, ANY, seed * 1000 + number)


def run_part(library: ctypes.CDLL, part: Part, vectors: int) -> model.Outcome:
    """Gaps between requests and stalls of responses in one cycle of sixteen, in half of them for the stream of all."""
    often = 128 if part.op == ANY else 16
    return model.run(library, model.Job(part.op, part.mode, vectors, part.seed, often, often))


def describe(difference: model.Difference) -> str:
    """One line for people."""
    return (
        f"{name_of(difference.op)} {MODES[difference.mode]}: a {difference.a:#010x} b {difference.b:#010x} "
        f"c {difference.c:#010x}: expected {difference.expected:#010x} ({flag_names(difference.expected_flags)}), "
        f"got {difference.found:#010x} ({flag_names(difference.found_flags)})"
    )


def flag_names(flags: int) -> str:
    """Names of the set bits, such as `of nx`."""
    return " ".join(name for bit, name in enumerate(FLAGS) if flags >> bit & 1) or "no flag"


def problems(part: Part, outcome: model.Outcome) -> list[str]:
    """What is wrong, as sentences; empty if nothing is."""
    found = [describe(outcome.first[i]) for i in range(min(outcome.differences, len(outcome.first)))]
    if outcome.differences > len(found):
        found.append(f"… {outcome.differences} differences in all")
    if outcome.disorder:
        found.append(f"{outcome.disorder} responses came out of order, twice, or changed while they waited")
    if outcome.violations:
        found.append(f"{outcome.violations} assertions of the design were violated")
    if outcome.hung:
        found.append("a response never came")
    return [f"{part.name} {part.mode_name}, seed {part.seed}: {text}" for text in found]
