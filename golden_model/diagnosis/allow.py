"""Allowances: findings that a kernel or a user declares to be intended.

    race-cta                     everywhere
    race-cta@count_k             in one function
    race-cta@kernel.cpp:12       on one source line
    race-cta@0x80000120          at one address
    races@count_k                a whole check

`VX_ALLOW(race_cta)` in a kernel's source (sw/kernel/include/vx_allow.h) allows a kind in the function that contains it.
A finding with two places is allowed if one of them is.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from golden_model.diagnosis.checks import Check
from golden_model.diagnosis.sources import SourceMap
from golden_model.findings import Finding, FindingKind

_KINDS = {kind.value: frozenset({kind}) for kind in FindingKind}
_CHECKS = {check.value: check.kinds for check in Check}


class AllowanceError(ValueError):
    """An allowance that cannot be understood; one sentence."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """Kinds, and where: a function, a `file:line`, an address; all empty = everywhere."""

    kinds: frozenset[FindingKind]
    function: str = ""
    file: str = ""
    line: int = 0
    address: int | None = None

    def covers(self, kind: FindingKind, pc: int, sources: SourceMap) -> bool:
        """Whether a finding of that kind may be at `pc`."""
        if kind not in self.kinds:
            return False
        if self.address is not None:
            return pc == self.address
        place = sources.locate(pc) if self.function or self.file else None
        if place is None:
            return True
        return place.function == self.function if self.function else (place.file, place.line) == (self.file, self.line)


def parse_allowance(text: str, sources: SourceMap) -> Allowance:
    """Understand one allowance. Raises AllowanceError."""
    name, separator, where = text.partition("@")
    kinds = _KINDS.get(name) or _CHECKS.get(name)
    if not kinds:
        raise AllowanceError(f"--allow {text}: {name!r} is no finding and no check")
    if not separator:
        return Allowance(kinds)
    try:
        return Allowance(kinds, address=int(where, 0))
    except ValueError:
        pass
    file, colon, line = where.rpartition(":")
    if colon and line.isdecimal() and file:
        if not sources.lines:
            raise AllowanceError(f"--allow {text}: no ELF file with line numbers is known; give one with --elf")
        return Allowance(kinds, file=file, line=int(line))
    if not any(known == where for _, _, known in sources.functions):
        raise AllowanceError(f"--allow {text}: no function {where!r} is known" + _no_elf(sources))
    return Allowance(kinds, function=where)


def declared(sources: SourceMap) -> list[Allowance]:
    """What the kernels of an image allow by VX_ALLOW. Raises AllowanceError for a kind that does not exist."""
    found = []
    for address, name in sources.marks:
        kinds = _KINDS.get(name) or _CHECKS.get(name)
        if not kinds:
            raise AllowanceError(f"VX_ALLOW at {address:#x} names {name!r}, which is no finding and no check")
        function = sources.locate(address).function
        found.append(Allowance(kinds, function=function) if function else Allowance(kinds, address=address))
    return found


def allows(allowances: Iterable[Allowance], finding: Finding, sources: SourceMap) -> bool:
    """Whether a finding is declared."""
    places = [finding.pc] if finding.other is None else [finding.pc, finding.other.pc]
    return any(allowance.covers(finding.kind, pc, sources) for allowance in allowances for pc in places)


def _no_elf(sources: SourceMap) -> str:
    return "" if sources.functions else "; give the image's ELF file with --elf"
