"""The report of a whole campaign as Markdown."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tests.rtl.fpu.campaign import Part, flag_names
from tests.rtl.fpu.model import CAMPAIGN_LANES, FPU, Outcome


@dataclass(frozen=True)
class Row:
    """One part and its outcome."""

    name: str
    mode: str
    seed: int
    vectors: int
    differences: int
    flags: str
    stalled: int
    other: int  # disorder, violated assertions, hangs

    @classmethod
    def of(cls, part: Part, outcome: Outcome) -> Row:
        return cls(
            part.name,
            part.mode_name,
            part.seed,
            outcome.vectors,
            outcome.differences,
            flag_names(outcome.flags_seen),
            outcome.waited,
            outcome.disorder + outcome.violations + outcome.hung,
        )


def digest() -> str:
    """Of the unit's sources without comments: a report is about these."""
    texts = (path.name + re.sub(r"\s*//.*", "", path.read_text(encoding="utf-8")) for path in sorted(FPU.glob("*.sv")))
    return hashlib.sha256("".join(texts).encode()).hexdigest()[:16]


def text(rows: Sequence[Row], found: int, missed: int, seed: int, sources: str) -> str:
    """The whole report; `sources` is the digest of what was simulated."""
    total, differences = sum(row.vectors for row in rows), sum(row.differences for row in rows)
    lines = [
        "# Floating-point unit against SoftFloat",
        "",
        "Written by `make test-fpu` (`python -m tests.rtl.fpu`); do not edit. The loop is C++: it drives `vx_fpu_pipe` "
        "and `vx_fpu_divsqrt`",
        f"with {CAMPAIGN_LANES} lanes, gaps and stalls, and compares value and flags of every lane with SoftFloat's C "
        "functions, which it calls in the",
        "shared object of the pinned package `softfloatpy`. What SoftFloat does not have is computed from what it has "
        "(minimum, maximum) or by",
        "the C library (class) and bit operations (sign injection, moves). Operands are weighted to corners: "
        "`tests/rtl/fpu/operands.cpp`.",
        "",
        f"- seed {seed}; sources `{sources}` (SHA-256 over `hw/rtl/fpu/*.sv` without comments, 16 digits)",
        f"- {total:,} vectors, **{differences} differences**",
        f"- seeded faults: {found} of {found + missed} found by short runs of the same vectors",
        "",
        "| operation | mode | seed | vectors | differences | flags expected | responses stalled | other problems |",
        "|---|---|---:|---:|---:|---|---:|---:|",
    ]
    lines += [
        f"| {row.name} | {row.mode} | {row.seed} | {row.vectors:,} | {row.differences} | {row.flags} | {row.stalled:,} "
        f"| {row.other} |"
        for row in rows
    ]
    return "\n".join(lines) + "\n"
