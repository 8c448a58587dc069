"""Kernel diagnosis: what a kernel does wrong although it can be executed (docs/diagnosis.md)."""

from golden_model.diagnosis.allow import Allowance, AllowanceError, declared, parse_allowance
from golden_model.diagnosis.checks import ALWAYS, EXTRA, Check, CheckError, parse_checks, selected
from golden_model.diagnosis.diagnosis import Diagnosis
from golden_model.diagnosis.screen import explain
from golden_model.diagnosis.setup import attach, sources_of
from golden_model.diagnosis.sources import Place, SourceError, SourceMap, find_elf

__all__ = [
    "ALWAYS",
    "EXTRA",
    "Allowance",
    "AllowanceError",
    "Check",
    "CheckError",
    "Diagnosis",
    "Place",
    "SourceError",
    "SourceMap",
    "attach",
    "declared",
    "explain",
    "find_elf",
    "parse_allowance",
    "parse_checks",
    "selected",
    "sources_of",
]
