"""Many faults in one copy of the design, of which a number in a file turns on one: one model serves all of them.

A fault is the change of one line. Here that line holds both texts, and the number chooses between them (mutant
schemata), so that the model with no fault chosen is the design as it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from hw.tb.build.spec import RTL
from tests.evidence.patched import Patched, PatchError

_OPEN, _CLOSE = "([{", ")]}"
_CHOICE = """
    // Which fault is in: a number in a file, 0 for none.
    function automatic int chosen_fault();
        int file, number;
        file = $fopen("{path}", "r");
        number = 0;
        if (file == 0) $error("the number of the fault cannot be read");
        else if ($fscanf(file, "%d", number) != 1) $error("the number of the fault cannot be read");
        return number;
    endfunction

    int fault_number = chosen_fault();

endpackage
"""


def write_design(faults: Sequence[Patched], folder: Path, number: Path) -> None:
    """A copy of the design in `folder` with all faults that fit it, the n-th on while the file `number` holds n (from 1
    on).

    Raises:
        PatchError: a fault changes more than one line.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(RTL, folder)
    for at, fault in enumerate(faults, 1):
        path = folder / fault.file
        text = path.read_text(encoding="utf-8")
        if text.count(fault.old) != 1:
            continue
        path.write_text(text.replace(fault.old, with_switch(fault, at)), encoding="utf-8")
    package = folder / "vx_pkg.sv"
    text = package.read_text(encoding="utf-8")
    package.write_text(text.replace("\nendpackage\n", _CHOICE.replace("{path}", str(number))), encoding="utf-8")


def choose(number: Path, fault: int) -> None:
    """Turn on one fault for the runs that start from now on."""
    number.parent.mkdir(parents=True, exist_ok=True)
    number.write_text(f"{fault}\n", encoding="utf-8")


def with_switch(fault: Patched, number: int) -> str:
    """The changed line, with the smallest whole expression around the change in both texts. Raises PatchError."""
    old, new = fault.old, fault.new
    if "\n" in old or "\n" in new:
        raise PatchError(f"{fault.name}: only changes of one line can be switched")
    start = _same(old, new)
    tail = min(_same(old[::-1], new[::-1]), len(old) - start, len(new) - start)
    left, right = _left(old, start), _right(old, len(old) - tail)
    both = f"(vx_pkg::fault_number == {number} ? {new[left : len(new) - len(old) + right]} : {old[left:right]})"
    return old[:left] + both + old[right:]


def _same(one: str, other: str) -> int:
    """Characters that both begin with."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _left(line: str, at: int) -> int:
    """Where the expression begins: behind an open bracket, a comma or an assignment."""
    depth = 0
    for place in range(at - 1, -1, -1):
        char = line[place]
        if char in _CLOSE:
            depth += 1
        elif char in _OPEN:
            if depth == 0:
                return place + 1
            depth -= 1
        elif depth == 0 and (char == "," or line[: place + 1].endswith((" = ", " <= "))):
            return place + 1
    return len(line) - len(line.lstrip())


def _right(line: str, at: int) -> int:
    """Where it ends: before a closing bracket, a comma or a semicolon."""
    depth = 0
    for place in range(at, len(line)):
        char = line[place]
        if char in _OPEN:
            depth += 1
        elif char in _CLOSE:
            if depth == 0:
                return place
            depth -= 1
        elif depth == 0 and char in ",;":
            return place
    return len(line)
