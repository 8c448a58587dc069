"""Compares the conditional branches of an object file with those that the pass saw.

The back end may make a branch out of a select, a rounding or a count after every pass has run. If lanes decide it
differently it is wrong silently, so a branch that the pass has not seen fails the build.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.elffile import ELFFile

from sw.kernel.divergence.report import FunctionReport
from sw.kernel.elf_functions import function_symbols

_BRANCH_OPCODE = 0x63


@dataclass(frozen=True)
class BranchDifference:
    """A function with more conditional branches in the object file than in the last IR.

    Attributes:
        function: linker name.
        seen: branches that the pass left.
        found: branches in the object file.
        offsets: of all of them, in bytes from the start of the function.
    """

    function: str
    seen: int
    found: int
    offsets: tuple[int, ...]


def unexplained_branches(path: Path, reports: Sequence[FunctionReport]) -> list[BranchDifference]:
    """Functions of the object file `path` that have more conditional branches than their report allows."""
    allowed = {report.name: report.branches_left for report in reports}
    differences = []
    with path.open("rb") as handle:
        elf = ELFFile(handle)
        for symbol in function_symbols(elf):
            if symbol.name not in allowed:
                continue
            section = elf.get_section(symbol.section).data()
            code = section[symbol.value : symbol.value + symbol.size]
            offsets = tuple(at for at in range(0, len(code) - 3, 4) if code[at] & 0x7F == _BRANCH_OPCODE)
            if len(offsets) > allowed[symbol.name]:
                differences.append(BranchDifference(symbol.name, allowed[symbol.name], len(offsets), offsets))
    return differences
