"""Stack of a linked image: the deepest chain of calls must fit the stack of a lane (docs/reference/vortex.md §1.4).

A lane's stack has a few kilobytes and nothing below it that would stop an overflow: it silently overwrites the stack
of another lane. Frame sizes come from the compiler (`-fstack-usage`), calls from the linked code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from elftools.elf.elffile import ELFFile

from sw.kernel.elf_functions import function_symbols
from sw.kernel.vxcc.demangle import demangle
from sw.kernel.vxcc.errors import ImageError

_JAL, _JALR, _AUIPC, _LUI, _ADDI = 0x6F, 0x67, 0x17, 0x37, 0x13
_RA = 1
_EXECUTABLE, _IN_MEMORY = 0x4, 0x2  # section flags


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

    Recursion cannot be bounded here and counts once. A call through a pointer may reach every function whose address
    is in the image, so it counts as the deepest of them.

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
    """The chain of calls with the largest frames."""
    calls = _calls(image, frames)
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


def _calls(image: bytes, frames: Mapping[str, int]) -> dict[str, set[str]]:
    """Callees by function, both with linker names; only what the compiler made calls through pointers."""
    elf = ELFFile(BytesIO(image))
    functions = sorted((symbol.value, symbol.size, symbol.name, symbol.section) for symbol in function_symbols(elf))
    names = {start: name for start, _, name, _ in functions}
    result: dict[str, set[str]] = {}
    taken = _pointers(elf) & names.keys()
    through_pointers = set()
    for start, size, name, index in functions:
        section = elf.get_section(index)
        offset = start - int(section["sh_addr"])
        code = _words(section.data()[offset : offset + size])
        taken |= set(_addresses(start, code)) & names.keys()
        callees = result.setdefault(name, set())
        for target in _call_targets(start, code):
            if target in names:
                callees.add(names[target])
            elif target is None and name in frames:
                through_pointers.add(name)
    for name in through_pointers:
        result[name] |= {names[address] for address in taken}
    return result


def _words(data: bytes) -> list[int]:
    return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data) - 3, 4)]


def _pointers(elf: ELFFile) -> set[int]:
    """Every word of data, which may be the address of a function."""
    sections = [
        section.data()
        for section in elf.iter_sections("SHT_PROGBITS")
        if section["sh_flags"] & _IN_MEMORY and not section["sh_flags"] & _EXECUTABLE
    ]
    return {word for data in sections for word in _words(data)}


def _addresses(start: int, code: Sequence[int]) -> Iterable[int]:
    """Addresses that code makes of an upper part and an addition."""
    upper: dict[int, int] = {}
    for number, word in enumerate(code):
        opcode, rd, rs1 = word & 0x7F, word >> 7 & 31, word >> 15 & 31
        if opcode == _ADDI and word >> 12 & 7 == 0 and rs1 in upper:
            yield (upper[rs1] + _low(word)) & 0xFFFF_FFFF
        if opcode in (_LUI, _AUIPC):
            upper[rd] = (word & 0xFFFF_F000) + (start + 4 * number if opcode == _AUIPC else 0)


def _call_targets(start: int, code: Sequence[int]) -> Iterable[int | None]:
    """Where calls and jumps go; None: through a pointer."""
    before = 0
    for number, word in enumerate(code):
        place, opcode, rd, rs1 = start + 4 * number, word & 0x7F, word >> 7 & 31, word >> 15 & 31
        if opcode == _JAL:
            yield (place + _jump_offset(word)) & 0xFFFF_FFFF
        elif opcode == _JALR and before & 0x7F == _AUIPC and before >> 7 & 31 == rs1:
            yield (place - 4 + (before & 0xFFFF_F000) + _low(word)) & 0xFFFF_FFFF
        elif opcode == _JALR and rd == _RA:
            yield None
        before = word


def _low(word: int) -> int:
    """Signed immediate of the twelve upper bits."""
    return (word >> 20) - (0x1000 if word >> 31 else 0)


def _jump_offset(word: int) -> int:
    value = (word >> 31) << 20 | (word >> 12 & 0xFF) << 12 | (word >> 20 & 1) << 11 | (word >> 21 & 0x3FF) << 1
    return value - (1 << 21 if value >> 20 else 0)
