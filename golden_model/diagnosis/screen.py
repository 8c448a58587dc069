"""Findings as a person reads them: both places with function, source line and instruction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from golden_model.diagnosis.sources import SourceMap
from golden_model.findings import Finding, Site
from golden_model.isa.disasm import disassemble
from golden_model.memory import Memory

SHOWN = 20


def explain(
    findings: Iterable[Finding], memory: Memory, xlen: int, sources: SourceMap | None = None, shown: int = SHOWN
) -> Iterator[str]:
    """Lines of a report; at most `shown` findings, since the first ones matter."""
    known = sources or SourceMap()
    listed = list(findings)
    for finding in listed[:shown]:
        yield f"finding: {finding}"
        yield f"         {_place(finding.pc, memory, xlen, known)}"
        if finding.other is not None:
            yield f"   with: {finding.other}"
            yield f"         {_place(finding.other.pc, memory, xlen, known)}"
    if len(listed) > shown:
        yield f"… and {len(listed) - shown} more findings"


def lanes_text(mask: int) -> str:
    """Lane numbers of a mask."""
    return ", ".join(str(lane) for lane in range(mask.bit_length()) if mask >> lane & 1)


def _place(pc: int, memory: Memory, xlen: int, sources: SourceMap) -> str:
    word = memory.load(pc & ~3, 4)[0] if pc + 4 <= memory.size else 0
    source = str(sources.locate(pc))
    return f"{pc:#010x}: {disassemble(word, pc, xlen)}" + (f"   {source}" if source else "")


def one_line(site: Finding | Site, sources: SourceMap) -> str:
    """`kernel.cpp:12 <k+0x4>`, or the bare address without an ELF file."""
    return str(sources.locate(site.pc)) or f"{site.pc:#010x}"
