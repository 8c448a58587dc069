"""Text of the command line: counts, memory dumps, listings."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping

from golden_model.diagnosis.screen import explain
from golden_model.isa.disasm import disassemble
from golden_model.machine import Machine
from golden_model.scheduler import RunSummary

_WORDS_PER_LINE = 8


def counts(kernel: str, summary: RunSummary, seconds: float) -> str:
    """One line about a run."""
    rate = summary.warp_instructions / seconds if seconds > 0 else 0.0
    return (
        f"{kernel}: {summary.ctas} CTAs, {summary.warps} warps, {summary.warp_instructions} warp instructions "
        f"({summary.thread_instructions} thread instructions), {summary.faults} faults, {rate:,.0f} warp instructions/s"
    )


def findings(machine: Machine) -> Iterator[str]:
    """Every finding with its instruction and, if the ELF file is known, its source line."""
    sources = None if machine.diagnosis is None else machine.diagnosis.sources
    return explain(machine.findings, machine.memory, machine.config.xlen, sources)


def dump(number: int, addr: int, content: bytes) -> str:
    """A buffer as unsigned 32-bit words, decimal; a last partial word is zero-extended."""
    padded = content + bytes(-len(content) % 4)
    words = struct.unpack(f"<{len(padded) // 4}I", padded)
    lines = [f"argument {number} at {addr:#x}, {len(content)} bytes:"]
    for start in range(0, len(words), _WORDS_PER_LINE):
        row = " ".join(f"{word:10d}" for word in words[start : start + _WORDS_PER_LINE])
        lines.append(f"  [{start:5d}] {row}")
    return "\n".join(lines)


def listing(
    code: bytes, base: int, labels: Mapping[str, int], start: int, count: int | None, xlen: int
) -> Iterator[str]:
    """Disassembly lines from address `start`, `count` words or to the end; labels stand before their address."""
    names: dict[int, list[str]] = {}
    for name, pc in labels.items():
        names.setdefault(pc, []).append(name)
    first = max(0, start - base) & ~3
    last = len(code) if count is None else min(len(code), first + 4 * count)
    for offset in range(first, last - 3, 4):
        pc = base + offset
        yield from (f"{name}:" for name in names.get(pc, ()))
        word = int.from_bytes(code[offset : offset + 4], "little")
        yield f"  {pc:#010x}: {word:08x}  {disassemble(word, pc, xlen)}"
