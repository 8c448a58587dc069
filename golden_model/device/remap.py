"""The address remapper: the cores' memory, made of VRAM ranges and private bytes (docs/reference/pcie_bar.md).

```
 cores: 0 ─────────[vma0, size0)──────────[vma1, size1)───────── 2^XLEN
                        │                      │            elsewhere
                        ▼                      ▼               ▼
 VRAM:   [vram_offset1 …)   [vram_offset0 …)          private memory, same address
```

Nothing is copied: every access goes to the bytes themselves, so aliases and DMA during a launch are seen.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence

from golden_model.device.config import MEMORY_BLOCK
from golden_model.device.image_table import TableEntry
from golden_model.memory import PAGE_BITS, PAGE_SIZE, Memory, Parts, Segment
from golden_model.ranges import AddressRanges

Piece = tuple[Memory | None, int, int]  # memory (None: nobody answers), offset in it, bytes


class RemappedMemory(Memory):
    """The memory that a `Machine` sees: `size` bytes of address space over VRAM and private memory.

    Private memory is zero at first and belongs to the device: launches, maps and resets keep it. In a strict map there
    is none: bytes outside every entry read as 0 and swallow writes, and `answers` says which accesses are bus errors.
    The same holds for bytes of VRAM in `failing` (offsets), which device memory answers with bus errors.
    """

    def __init__(self, size: int, vram: Memory, strict: bool = False, failing: AddressRanges | None = None) -> None:
        super().__init__(size)
        self.vram = vram
        self.failing = AddressRanges() if failing is None else failing
        self.private = Memory(size, zeroed=True)
        self.strict = strict
        self._entries: list[TableEntry] = []
        self._starts: list[int] = []
        # Page number -> (memory, what to add to an address) of pages that lie in one memory, congruent modulo 8.
        self._direct: dict[int, tuple[Memory, int] | None] = {}
        vram.on_code_write = self.private.on_code_write = self._report_code_write

    def map(self, entries: Sequence[TableEntry]) -> None:
        """From now on these ranges, sorted by vma and disjoint, are VRAM."""
        self._entries = list(entries)
        self._starts = [entry.vma for entry in entries]
        self._direct.clear()

    @property
    def entries(self) -> tuple[TableEntry, ...]:
        return tuple(self._entries)

    # ------------------------------------------------------------------ where a byte is

    def pieces(self, addr: int, size: int) -> Iterator[Piece]:
        """The bytes of a range in ascending order, split where the memory behind them changes."""
        end = addr + size
        elsewhere = None if self.strict else self.private
        index = max(0, bisect.bisect_right(self._starts, addr) - 1)
        while addr < end:
            while index < len(self._entries) and self._entries[index].vma_end <= addr:
                index += 1
            entry = self._entries[index] if index < len(self._entries) else None
            if entry is not None and entry.vma <= addr:
                stop = min(end, entry.vma_end)
                yield from self._vram_pieces(entry.vram_offset + (addr - entry.vma), stop - addr)
            else:
                stop = end if entry is None else min(end, entry.vma)
                yield elsewhere, addr, stop - addr
            addr = stop

    def _vram_pieces(self, offset: int, size: int) -> Iterator[Piece]:
        end = offset + size
        for start, stop in self.failing:
            if start < end and offset < stop:
                if offset < start:
                    yield self.vram, offset, start - offset
                yield None, max(offset, start), min(end, stop) - max(offset, start)
                offset = min(end, stop)
        if offset < end:
            yield self.vram, offset, end - offset

    @property
    def refuses(self) -> bool:
        """Whether there are accesses of the cores that memory answers with bus errors."""
        return self.strict or len(self.failing) > 0

    def answers(self, addr: int, size: int, write: bool) -> bool:
        """Whether memory answers an access of the cores without a bus error.

        A write fails if one of its bytes fails or, in a strict map, is not mapped. Cores read whole blocks, so a read
        fails if a byte of its block fails or, in a strict map, nothing of its block is mapped.
        """
        if not self.refuses:
            return True
        if write:
            return all(memory is not None for memory, _, _ in self.pieces(addr, size))
        block = addr // MEMORY_BLOCK * MEMORY_BLOCK
        pieces = list(self.pieces(block, MEMORY_BLOCK))
        if self.strict:
            return any(memory is not None for memory, _, _ in pieces) and not self._fails(block)
        return all(memory is not None for memory, _, _ in pieces)

    def _fails(self, block: int) -> bool:
        """Whether a byte of the block is in failing VRAM."""
        for entry in self._entries:
            first, end = max(block, entry.vma), min(block + MEMORY_BLOCK, entry.vma_end)
            if first < end and self.failing.overlaps(entry.vram_offset + first - entry.vma, end - first):
                return True
        return False

    # ------------------------------------------------------------------ device side

    def load(self, addr: int, size: int) -> tuple[int, bool]:
        direct = self._direct_of(addr)
        if direct is not None:
            memory, delta = direct
            return memory.load(addr + delta, size)
        return int.from_bytes(self.read(addr, size), "little"), any(self.undefined(addr, size))

    def store(self, addr: int, size: int, value: int, undefined: bool) -> None:
        direct = self._direct_of(addr)
        if direct is not None:
            memory, delta = direct
            memory.store(addr + delta, size, value, undefined)
            return
        self.write(addr, value.to_bytes(size, "little"))
        if undefined:
            self.define(addr, size, False)

    def fetch(self, addr: int) -> int:
        direct = self._direct_of(addr)
        if direct is not None:
            return direct[0].fetch(addr + direct[1])
        for memory, offset, size in self.pieces(addr, 4):
            if memory is not None:  # the word that is fetched there does not matter, its page is watched from now on
                memory.fetch(offset & ~3)
                memory.fetch((offset + size - 1) & ~3)
        return int.from_bytes(self.read(addr, 4), "little")

    def prepare(self, addr: int) -> None:
        for memory, offset, _ in self.pieces(addr, 1):
            if memory is not None:
                memory.prepare(offset)

    def has_page(self, addr: int) -> bool:
        return all(memory is None or memory.has_page(offset) for memory, offset, _ in self.pieces(addr, 1))

    @property
    def parts(self) -> Parts:
        obstacle = ""
        if self.refuses:
            obstacle = "memory answers some accesses with bus errors"
        elif any((entry.vma | entry.vram_offset | entry.size) % 8 for entry in self._entries):
            obstacle = "an entry of the image table is no multiple of 8 bytes, so a word may lie in two memories"
        segments = tuple(Segment(entry.vma, entry.vma_end, entry.vram_offset) for entry in self._entries)
        return Parts(self.private, self.vram, segments, obstacle)

    # ------------------------------------------------------------------ ranges

    def read(self, addr: int, size: int) -> bytes:
        self._check(addr, size)
        return b"".join(
            bytes(length) if memory is None else memory.read(offset, length)
            for memory, offset, length in self.pieces(addr, size)
        )

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        source = memoryview(data).cast("B")
        self._check(addr, len(source))
        done = 0
        for memory, offset, length in self.pieces(addr, len(source)):
            if memory is not None:
                memory.write(offset, source[done : done + length])
            done += length

    def define(self, addr: int, size: int, defined: bool = True) -> None:
        self._check(addr, size)
        for memory, offset, length in self.pieces(addr, size):
            if memory is not None:
                memory.define(offset, length, defined)

    def undefined(self, addr: int, size: int) -> bytes:
        self._check(addr, size)
        return b"".join(
            bytes(length) if memory is None else memory.undefined(offset, length)
            for memory, offset, length in self.pieces(addr, size)
        )

    def pages(self) -> list[int]:
        """Pages of the cores' address space that hold a byte in use, ascending."""
        used = set(self.private.pages())
        for entry in self._entries:
            for start in self.vram.pages():
                first, last = max(start, entry.vram_offset), min(start + PAGE_SIZE, entry.vram_end) - 1
                if first <= last:
                    vma = entry.vma - entry.vram_offset
                    used.update((first + vma & -PAGE_SIZE, last + vma & -PAGE_SIZE))
        return sorted(used)

    # ------------------------------------------------------------------ inside

    def _direct_of(self, addr: int) -> tuple[Memory, int] | None:
        page = addr >> PAGE_BITS
        try:
            return self._direct[page]
        except KeyError:
            (memory, offset, _), *others = self.pieces(page << PAGE_BITS, PAGE_SIZE)
            delta = offset - (page << PAGE_BITS)
            direct = self._direct[page] = None if others or memory is None or delta % 8 else (memory, delta)
            return direct

    def _report_code_write(self) -> None:
        if self.on_code_write is not None:
            self.on_code_write()
