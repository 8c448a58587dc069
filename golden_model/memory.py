"""Sparse byte-addressed memory with a shadow that says which bytes were ever written.

Pages are made on first use. A page holds its bytes and one shadow byte per byte (0 = defined, 0xFF = undefined), each
seen as arrays of 1, 2, 4 and 8-byte little-endian words so that an aligned access is one index.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass

PAGE_BITS = 12
PAGE_SIZE = 1 << PAGE_BITS
_OFFSET = PAGE_SIZE - 1
_UNDEFINED = b"\xff" * PAGE_SIZE
_ALL_ONES = {1: 0xFF, 2: 0xFFFF, 4: 0xFFFF_FFFF, 8: 0xFFFF_FFFF_FFFF_FFFF}

assert sys.byteorder == "little", "words are seen through memoryviews in host byte order"


class Page:
    """Bytes and shadow bytes of one page."""

    __slots__ = ("data", "is_code", "shadow", "shadow_words", "words")

    def __init__(self, data: memoryview, shadow: bytearray) -> None:
        self.data = data
        self.shadow = shadow
        view = memoryview(shadow)
        self.words = {1: data, 2: data.cast("H"), 4: data.cast("I"), 8: data.cast("Q")}
        self.shadow_words = {1: view, 2: view.cast("H"), 4: view.cast("I"), 8: view.cast("Q")}
        self.is_code = False


@dataclass(frozen=True, slots=True)
class Segment:
    """Addresses [start, end) are bytes from `offset` on of another memory."""

    start: int
    end: int
    offset: int


@dataclass(frozen=True, slots=True)
class Parts:
    """What a memory is made of: segments, in ascending order, lie in `other`, the rest at the same address in `own`.

    With an `obstacle` (a sentence) there is more to it than that.
    """

    own: Memory
    other: Memory
    segments: tuple[Segment, ...]
    obstacle: str = ""


class Memory:
    """Memory of `size` bytes from address 0.

    With a `buffer` of at least `size` bytes (a mapped file, say) the bytes live there and its content counts as
    undefined until written through this object or declared by `define`. With `zeroed`, bytes never written are zeros
    that count as defined.

    `on_code_write` is called before a byte of a page from which `fetch` has read changes.
    """

    def __init__(self, size: int, buffer: memoryview | None = None, zeroed: bool = False) -> None:
        if buffer is not None and (buffer.nbytes < size or buffer.readonly):
            raise ValueError(f"the buffer behind the memory must be writable and hold {size:#x} bytes")
        self.size = size
        self.on_code_write: Callable[[], None] | None = None
        self.on_page: Callable[[int, Page], None] | None = None  # called with every page that is made
        self._buffer = None if buffer is None else buffer.cast("B")
        self._new_shadow = bytes(PAGE_SIZE) if zeroed else _UNDEFINED
        self._pages: dict[int, Page] = {}

    @property
    def unshared(self) -> bool:
        """Whether bytes change through this object only, so that nothing of the code changes unseen."""
        return self._buffer is None and type(self) is Memory

    @property
    def parts(self) -> Parts | None:
        """None if the bytes are this object's own."""
        return None

    # ------------------------------------------------------------------ device side: aligned words

    def load(self, addr: int, size: int) -> tuple[int, bool]:
        """(value, undefined) of an aligned word of 1, 2, 4 or 8 bytes; undefined if one byte of it is."""
        page = self._pages.get(addr >> PAGE_BITS)
        if page is None:
            page = self._page(addr)
        index = (addr & _OFFSET) // size
        return page.words[size][index], page.shadow_words[size][index] != 0

    def store(self, addr: int, size: int, value: int, undefined: bool) -> None:
        """Write an aligned word; `undefined` marks its bytes as holding no meaning."""
        page = self._pages.get(addr >> PAGE_BITS)
        if page is None:
            page = self._page(addr)
        if page.is_code:
            self._code_changes()
        index = (addr & _OFFSET) // size
        page.words[size][index] = value
        page.shadow_words[size][index] = _ALL_ONES[size] if undefined else 0

    def prepare(self, addr: int) -> None:
        """What a store at `addr` does beside storing: its page exists, and its code counts as changed."""
        if self._page(addr).is_code:
            self._code_changes()

    def has_page(self, addr: int) -> bool:
        """Whether the page that holds the byte exists."""
        return addr >> PAGE_BITS in self._pages

    # ------------------------------------------------------------------ host side: any range

    def read(self, addr: int, size: int) -> bytes:
        """Bytes of a range; bytes never written read as whatever is there (0 without a buffer)."""
        self._check(addr, size)
        out = bytearray()
        for page, start, stop in self._spans(addr, size):
            out += page.data[start:stop]
        return bytes(out)

    def write(self, addr: int, data: bytes | bytearray | memoryview) -> None:
        """Write a range; it is defined afterwards."""
        source = memoryview(data).cast("B")
        self._check(addr, len(source))
        done = 0
        for page, start, stop in self._spans(addr, len(source)):
            if page.is_code:
                self._code_changes()
            length = stop - start
            page.data[start:stop] = source[done : done + length]
            page.shadow[start:stop] = bytes(length)
            done += length

    def fill(self, addr: int, size: int, value: int = 0) -> None:
        """Write `size` equal bytes."""
        self.write(addr, bytes([value]) * size)

    def define(self, addr: int, size: int, defined: bool = True) -> None:
        """Declare the bytes of a range defined (or undefined) without changing them."""
        self._check(addr, size)
        for page, start, stop in self._spans(addr, size):
            page.shadow[start:stop] = bytes(stop - start) if defined else _UNDEFINED[start:stop]

    def undefined(self, addr: int, size: int) -> bytes:
        """One byte per byte of the range: 0 = defined, 0xFF = undefined."""
        self._check(addr, size)
        out = bytearray()
        for page, start, stop in self._spans(addr, size):
            out += page.shadow[start:stop]
        return bytes(out)

    def pages(self) -> list[int]:
        """Start addresses of all pages in use, ascending."""
        return sorted(number << PAGE_BITS for number in self._pages)

    def existing(self) -> dict[int, Page]:
        """Pages in use by number (address >> PAGE_BITS); not a copy."""
        return self._pages

    # ------------------------------------------------------------------ code

    def fetch(self, addr: int) -> int:
        """Instruction word at a multiple of 4; its page is watched from now on."""
        page = self._page(addr)
        page.is_code = True
        return page.words[4][(addr & _OFFSET) >> 2]

    def _code_changes(self) -> None:
        for page in self._pages.values():
            page.is_code = False
        if self.on_code_write is not None:
            self.on_code_write()

    # ------------------------------------------------------------------ pages

    def _page(self, addr: int) -> Page:
        number = addr >> PAGE_BITS
        page = self._pages.get(number)
        if page is None:
            if self._buffer is None:
                data = memoryview(bytearray(PAGE_SIZE))
            else:
                data = self._buffer[number << PAGE_BITS : (number + 1) << PAGE_BITS]
            page = self._pages[number] = Page(data, bytearray(self._new_shadow))
            if self.on_page is not None:
                self.on_page(number, page)
        return page

    def _spans(self, addr: int, size: int) -> list[tuple[Page, int, int]]:
        spans = []
        while size > 0:
            start = addr & _OFFSET
            stop = min(PAGE_SIZE, start + size)
            spans.append((self._page(addr), start, stop))
            addr += stop - start
            size -= stop - start
        return spans

    def _check(self, addr: int, size: int) -> None:
        if addr < 0 or size < 0 or addr + size > self.size:
            raise ValueError(f"address range {addr:#x} … {addr + size:#x} is outside memory of {self.size:#x} bytes")
