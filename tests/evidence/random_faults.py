"""Faults drawn at random from the core's files: one operator or constant of one line, whatever it means.

The draw follows from its seed and the text of the design; `drawn.py` holds the one that was run. What a screen must
name is in `random_expected.py`, written before any of them ran. A fault that the test does not notice is no failure
that could be explained: it is listed as that, and the next one of the order is run, until twelve have failed.
"""

from __future__ import annotations

import random
import re

from hw.tb.build.spec import RTL
from tests.evidence.drawn import DRAWN, Drawn
from tests.evidence.patched import Patched
from tests.evidence.random_expected import EXPECTED, Expected

_TEST = "isa_programs"
_CHANGES = (
    (" && ", " || "), (" || ", " && "), (" == ", " != "), (" != ", " == "), (" + ", " - "), (" - ", " + "),
    (" < ", " <= "), (" >= ", " > "), (" & ", " | "), (" | ", " & "), ("1'b0", "1'b1"), ("1'b1", "1'b0"),
)  # fmt: skip
# Text that describes shapes or checks the design is no behaviour of it.
_SKIPPED = re.compile(
    r"localparam|parameter|typedef|assert|\$error|trace|perf|^\s*//|^\s*(input|output)|genvar|\bfor \("
)


def draw(seed: int, count: int) -> list[Drawn]:
    """`count` changes of different lines of today's design."""
    return random.Random(seed).sample(_places(), count)


def _fault(number: int, drawn: Drawn, expected: Expected) -> Patched:
    says = f"line {drawn.line}: `{drawn.old}` becomes `{drawn.new}`"
    # With the line's beginning and end, because other lines may hold it.
    path = RTL / drawn.file
    indents = [line for line in path.read_text(encoding="utf-8").split("\n") if line.strip() == drawn.old]
    old = indents[0] if indents else drawn.old
    new = old.replace(drawn.old, drawn.new)
    return Patched(f"random{number:02d}", says, drawn.file, old, new, _TEST, expected.names)


def _places() -> list[Drawn]:
    """Every change of a whole line that its file has once."""
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
                    found.append(Drawn(f"core/{path.name}", number, line.strip(), line.replace(old, new).strip()))
    return found


RANDOM = tuple(_fault(number, *pair) for number, pair in enumerate(zip(DRAWN, EXPECTED, strict=True), 1))
