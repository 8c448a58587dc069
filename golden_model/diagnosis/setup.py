"""From the options of a command line to the checks of a machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from golden_model.diagnosis.allow import declared, parse_allowance
from golden_model.diagnosis.checks import selected
from golden_model.diagnosis.diagnosis import Diagnosis
from golden_model.diagnosis.sources import SourceMap, find_elf
from golden_model.machine import Machine


def sources_of(image: Path, elf: Path | None = None) -> SourceMap:
    """Names of an image: from the given ELF file, from one beside it, or none. Raises SourceError."""
    found = elf or find_elf(image)
    return SourceMap() if found is None else SourceMap.from_elf(found)


def attach(
    machine: Machine,
    sources: SourceMap,
    check: Sequence[str] = (),
    no_check: Sequence[str] = (),
    allow: Sequence[str] = (),
    strict_lanes: bool = False,
) -> Diagnosis:
    """Give the machine the checks that were asked for: those always on, `check`, without `no_check`.

    Raises CheckError and AllowanceError, both ValueErrors with one sentence.
    """
    allowances = [*declared(sources), *(parse_allowance(text, sources) for text in allow)]
    diagnosis = Diagnosis(machine, selected(check, no_check), allowances, sources, strict_lanes)
    machine.diagnosis = diagnosis
    return diagnosis
