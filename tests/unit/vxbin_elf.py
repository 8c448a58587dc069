"""Small ELF files made by hand, for tests of the `.vxbin` writer: every field can be right or wrong."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

UNDEFINED = 0
ABSOLUTE = 0xFFF1
LOCAL, GLOBAL, WEAK = 0, 1, 2
NOTYPE, OBJECT, FUNC = 0, 1, 2
PROGBITS, NOBITS = 1, 8
ALLOC = 2

BASE = 0x8000_0000


@dataclass(frozen=True)
class ElfSection:
    """A section; NOBITS sections have a size and no data. `load` is the physical address of its LOAD segment."""

    address: int
    data: bytes = b""
    size: int | None = None
    kind: int = PROGBITS
    flags: int = ALLOC
    load: int | None = None
    segment: bool = True

    @property
    def memory_size(self) -> int:
        return len(self.data) if self.size is None else self.size


@dataclass(frozen=True)
class ElfSymbol:
    """A symbol of `.symtab`."""

    name: str
    value: int = 0
    section: int = 1
    binding: int = GLOBAL
    kind: int = NOTYPE


@dataclass
class ElfFile:
    """Sections, each with a LOAD segment of its own, and symbols in table order; `to_bytes` lays the file out."""

    sections: list[ElfSection]
    symbols: list[ElfSymbol] = field(default_factory=list)
    dynamic_symbols: list[ElfSymbol] = field(default_factory=list)  # `.dynsym`, behind `.symtab` in the file
    machine: int = 243
    wide: bool = False  # ELF64
    strip_sections: bool = False

    def to_bytes(self) -> bytes:
        header_size, segment_size, section_size = (64, 56, 64) if self.wide else (52, 32, 40)
        loads = [section for section in self.sections if section.segment]
        body = bytearray(header_size + segment_size * len(loads))
        offsets = []
        for section in self.sections:
            body += bytes(-len(body) % 16)
            offsets.append(len(body))
            body += section.data
        names = b"\0.symtab\0.strtab\0.shstrtab\0.s\0"
        strings = bytearray(b"\0")
        tables = []
        for symbols in (self.symbols, self.dynamic_symbols):
            table = bytearray(self._symbol(0, ElfSymbol("", section=UNDEFINED, binding=LOCAL)))
            for symbol in symbols:
                table += self._symbol(len(strings), symbol)
                strings += symbol.name.encode("utf-8", "surrogateescape") + b"\0"
            tables.append(bytes(table))
        first = len(self.sections) + 1
        tail = []
        for content in (tables[0], bytes(strings), names, tables[1]):
            body += bytes(-len(body) % 16)
            tail.append((len(body), len(content)))
            body += content
        headers = [self._section(0, 0, 0, 0, 0, 0)]
        for section, offset in zip(self.sections, offsets, strict=True):
            name = names.index(b".s\0", 20)
            headers.append(
                self._section(name, section.kind, section.flags, section.address, offset, section.memory_size)
            )
        entry = 24 if self.wide else 16
        headers.append(self._section(1, 2, 0, 0, *tail[0], link=first + 1, info=1, entry=entry))
        headers.append(self._section(9, 3, 0, 0, *tail[1]))
        headers.append(self._section(17, 3, 0, 0, *tail[2]))
        if self.dynamic_symbols:
            headers.append(self._section(27, 11, 0, 0, *tail[3], link=first + 1, info=1, entry=entry))
        body += bytes(-len(body) % 16)
        sections_at = len(body)
        if not self.strip_sections:
            body += b"".join(headers)
        count = 0 if self.strip_sections else len(headers)
        identity = b"\x7fELF" + bytes([2 if self.wide else 1, 1, 1]) + bytes(9)
        head = struct.pack(
            "<HHIQQQIHHHHHH" if self.wide else "<HHIIIIIHHHHHH",
            2,
            self.machine,
            1,
            self.sections[0].address if self.sections else 0,
            header_size if loads else 0,
            sections_at if count else 0,
            0,
            header_size,
            segment_size,
            len(loads),
            section_size,
            count,
            first + 2 if count else 0,
        )
        body[:header_size] = identity + head
        at = header_size
        for section, offset in zip(self.sections, offsets, strict=True):
            if section.segment:
                body[at : at + segment_size] = self._segment(section, offset)
                at += segment_size
        return bytes(body)

    def _symbol(self, name: int, symbol: ElfSymbol) -> bytes:
        info = symbol.binding << 4 | symbol.kind
        if self.wide:
            return struct.pack("<IBBHQQ", name, info, 0, symbol.section, symbol.value, 0)
        return struct.pack("<IIIBBH", name, symbol.value, 0, info, 0, symbol.section)

    def _section(
        self, name: int, kind: int, flags: int, address: int, offset: int, size: int, link: int = 0, info: int = 0,
        entry: int = 0,
    ) -> bytes:  # fmt: skip
        layout = "<IIQQQQIIQQ" if self.wide else "<IIIIIIIIII"
        return struct.pack(layout, name, kind, flags, address, offset, size, link, info, 4, entry)

    def _segment(self, section: ElfSection, offset: int) -> bytes:
        physical = section.address if section.load is None else section.load
        file_size, memory = len(section.data), section.memory_size
        if self.wide:
            return struct.pack("<IIQQQQQQ", 1, 7, offset, section.address, physical, file_size, memory, 16)
        return struct.pack("<IIIIIIII", 1, offset, section.address, physical, file_size, memory, 7, 16)


def program(
    symbols: list[ElfSymbol],
    code: bytes = bytes(range(1, 65)),
    edata: int = BASE + 64,
    end: int = BASE + 128,
) -> ElfFile:
    """One section of code at BASE, with `_edata` and `_end` after the given symbols."""
    return ElfFile(
        [ElfSection(BASE, code)],
        [*symbols, ElfSymbol("_edata", edata), ElfSymbol("_end", end)],
    )
