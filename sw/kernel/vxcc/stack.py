"""Stack of a linked image: the deepest chain of calls must fit the stack of a lane (docs/reference/vortex.md §1.4).

A lane's stack has a few kilobytes and nothing below it that would stop an overflow: it silently overwrites the stack
of another lane. Frame sizes come from the compiler (`-fstack-usage`), calls from the linked code.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from elftools.elf.elffile import ELFFile

from sw.kernel.elf_functions import function_symbols
from sw.kernel.vxcc.demangle import demangle
from sw.kernel.vxcc.errors import ImageError

_JAL, _JALR, _AUIPC = 0x6F, 0x67, 0x17


@dataclass(frozen=True)
class Chain:
    """A chain of calls and the bytes of all its frames."""

    functions: tuple[str, ...]
    size: int


def read_frames(reports: Iterable[Path]) -> dict[str, int]:
    """Largest frame in bytes by linker name, from the compiler's `.su` files; names of static functions may repeat."""
    frames: dict[str, int] = {}
    for report in reports:
        for line in report.read_text(encoding="utf-8").splitlines():
            place, size, _ = line.split("\t")
            name = place.rsplit(":", 1)[1]
            frames[name] = max(frames.get(name, 0), int(size))
    return frames


def check_stack(image: bytes, frames: Mapping[str, int], stack_size: int) -> None:
    """Refuse an image whose calls need more stack than a lane has.

    Recursion and calls through pointers cannot be bounded here and count once, or not at all.

    Raises:
        ImageError: names the chain with the size of each frame.
    """
    chain = deepest_chain(image, frames)
    if chain.size <= stack_size:
        return
    listed = " → ".join(f"{demangle(name)} ({frames.get(name, 0)} bytes)" for name in chain.functions)
    raise ImageError(
        f"calls need {chain.size} bytes of stack and a lane has {stack_size}: {listed}; make arrays smaller, optimise "
        "more, or raise stack_log2_size in the configuration"
    )


def deepest_chain(image: bytes, frames: Mapping[str, int]) -> Chain:
    """The chain of direct calls with the largest frames."""
    calls = _calls(image)
    best: dict[str, Chain] = {}

    def deepest(name: str, above: tuple[str, ...]) -> Chain:
        if name in best:
            return best[name]
        below = [deepest(callee, (*above, name)) for callee in calls.get(name, ()) if callee not in (*above, name)]
        rest = max(below, key=lambda chain: chain.size, default=Chain((), 0))
        found = Chain((name, *rest.functions), frames.get(name, 0) + rest.size)
        if not above:
            best[name] = found
        return found

    return max((deepest(name, ()) for name in calls), key=lambda chain: chain.size, default=Chain((), 0))


def _calls(image: bytes) -> dict[str, set[str]]:
    """Callees by function, both with linker names."""
    elf = ELFFile(BytesIO(image))
    functions = sorted((symbol.value, symbol.size, symbol.name, symbol.section) for symbol in function_symbols(elf))
    starts = [start for start, *_ in functions]
    result: dict[str, set[str]] = {}
    for start, size, name, index in functions:
        section = elf.get_section(index)
        offset = start - int(section["sh_addr"])
        code = section.data()[offset : offset + size]
        callees = result.setdefault(name, set())
        for target in _call_targets(start, code):
            at = bisect_right(starts, target) - 1
            if at >= 0 and functions[at][0] == target:
                callees.add(functions[at][2])
    return result


def _call_targets(start: int, code: bytes) -> Iterable[int]:
    before = 0
    for offset in range(0, len(code) - 3, 4):
        word = int.from_bytes(code[offset : offset + 4], "little")
        opcode = word & 0x7F
        if opcode == _JAL:
            yield (start + offset + _jump_offset(word)) & 0xFFFF_FFFF
        elif opcode == _JALR and before & 0x7F == _AUIPC and before >> 7 & 31 == word >> 15 & 31:
            low = (word >> 20) - (0x1000 if word >> 31 else 0)
            yield (start + offset - 4 + (before & 0xFFFF_F000) + low) & 0xFFFF_FFFF
        before = word


def _jump_offset(word: int) -> int:
    value = (word >> 31) << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
    return value - (1 << 21 if value >> 20 else 0)
