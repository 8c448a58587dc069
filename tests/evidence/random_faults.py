"""Faults drawn at random from the core's files: one operator or constant of one line, whatever it means.

The draw follows from its seed and the text of the design. What a screen must name is in `random_expected.py`, written
before any of them ran. A fault that the test does not notice is no failure that could be explained: it is listed as
that, and the next one of the seeded order is run, until twelve have failed.
"""

from __future__ import annotations

import random
import re

from hw.tb.build.spec import RTL
from tests.evidence.patched import Patched
from tests.evidence.random_expected import EXPECTED

SEED = 20
COUNT = len(EXPECTED)
_TEST = "isa_programs"
_CHANGES = (
    (" && ", " || "), (" || ", " && "), (" == ", " != "), (" != ", " == "), (" + ", " - "), (" - ", " + "),
    (" < ", " <= "), (" >= ", " > "), (" & ", " | "), (" | ", " & "), ("1'b0", "1'b1"), ("1'b1", "1'b0"),
)  # fmt: skip
# Text that describes shapes or checks the design is no behaviour of it.
_SKIPPED = re.compile(
    r"localparam|parameter|typedef|assert|\$error|trace|perf|^\s*//|^\s*(input|output)|genvar|\bfor \("
)


def draw(seed: int = SEED, count: int = COUNT) -> tuple[Patched, ...]:
    """`count` faults of different lines."""
    places = _places()
    chosen = random.Random(seed).sample(places, count)
    return tuple(
        Patched(f"random{number:02d}", _says(line, old, new), file, old, new, _TEST, EXPECTED[number - 1].names)
        for number, (file, line, old, new) in enumerate(chosen, 1)
    )


def _says(line: int, old: str, new: str) -> str:
    return f"line {line}: `{old.strip()}` becomes `{new.strip()}`"


def _places() -> list[tuple[str, int, str, str]]:
    """Every change of a whole line that its file has once: file, line number, old and new text."""
    found = []
    for path in sorted((RTL / "core").glob("*.sv")):
        text = path.read_text(encoding="utf-8")
        checked = False  # inside of `ifndef SYNTHESIS
        for number, line in enumerate(text.split("\n"), 1):
            checked = line.startswith("`ifndef SYNTHESIS") or (checked and not line.startswith("`endif"))
            if checked or _SKIPPED.search(line) or path.stem.endswith(("_pkg", "_trace")) or text.count(line) != 1:
                continue
            for old, new in _CHANGES:
                if line.count(old) == 1 and "//" not in line:
                    found.append((f"core/{path.name}", number, line, line.replace(old, new)))
    return found


RANDOM = draw()
