"""The address remapper against a byte-by-byte model: any entries, any accesses, blocks with bytes of several places."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden_model.device import TableEntry
from golden_model.device.remap import RemappedMemory
from golden_model.memory import Memory

SPAN = 0x2100  # addresses 0 … SPAN are used: a little more than two pages
VRAM = 0x4000


@dataclass
class Naive:
    """One dict entry per byte."""

    entries: list[TableEntry] = field(default_factory=list)
    vram: dict[int, int] = field(default_factory=dict)
    private: dict[int, int] = field(default_factory=dict)

    def place(self, addr: int) -> tuple[dict[int, int], int]:
        for entry in self.entries:
            if entry.vma <= addr < entry.vma + entry.size:
                return self.vram, entry.vram_offset + (addr - entry.vma)
        return self.private, addr

    def read(self, addr: int, size: int) -> bytes:
        found = (self.place(addr + i) for i in range(size))
        return bytes(memory.get(at, 0) for memory, at in found)

    def write(self, addr: int, data: bytes) -> None:
        for i, value in enumerate(data):
            memory, at = self.place(addr + i)
            memory[at] = value


@st.composite
def tables(draw: st.DrawFn) -> list[TableEntry]:
    """Good tables: cut address space and VRAM at random points and pair the pieces in any order."""
    count = draw(st.integers(0, 5))
    vmas = sorted(draw(st.sets(st.integers(0, SPAN), min_size=2 * count, max_size=2 * count)))
    ranges = [(vmas[2 * i], vmas[2 * i + 1] - vmas[2 * i]) for i in range(count)]
    offsets: dict[int, int] = {}
    at = 0
    for index in draw(st.permutations(range(count))):
        at += draw(st.integers(0, 9))
        offsets[index] = at
        at += ranges[index][1]
    return [TableEntry(vma, offsets[index], size) for index, (vma, size) in enumerate(ranges)]


_WORD = st.sampled_from([1, 2, 4, 8])
_OPS = st.one_of(
    st.tuples(st.just("load"), st.integers(0, SPAN // 8), _WORD),
    st.tuples(st.just("store"), st.integers(0, SPAN // 8), _WORD, st.integers(0, (1 << 64) - 1)),
    st.tuples(st.just("fetch"), st.integers(0, SPAN // 4)),
    st.tuples(st.just("read"), st.integers(0, SPAN), st.integers(1, 200)),
    st.tuples(st.just("write"), st.integers(0, SPAN), st.binary(min_size=1, max_size=200)),
    st.tuples(st.just("host"), st.integers(0, SPAN), st.binary(min_size=1, max_size=64)),
    st.tuples(st.just("map"), tables()),
)


@settings(max_examples=200, deadline=None)
@given(tables(), st.lists(_OPS, max_size=30))
def test_equals_the_naive_model(table: list[TableEntry], operations: list[tuple]) -> None:  # type: ignore[type-arg]
    vram = Memory(VRAM)
    memory = RemappedMemory(1 << 32, vram)
    naive = Naive()
    memory.map(table)
    naive.entries = table
    for operation in operations:
        match operation:
            case ("load", index, size):
                assert memory.load(index * 8, size)[0] == int.from_bytes(naive.read(index * 8, size), "little")
            case ("store", index, size, value):
                value &= (1 << 8 * size) - 1
                memory.store(index * 8, size, value, False)
                naive.write(index * 8, value.to_bytes(size, "little"))
            case ("fetch", index):
                assert memory.fetch(index * 4) == int.from_bytes(naive.read(index * 4, 4), "little")
            case ("read", addr, size):
                assert memory.read(addr, size) == naive.read(addr, size)
            case ("write", addr, data):
                memory.write(addr, data)
                naive.write(addr, data)
            case ("host", offset, data):
                vram.write(offset, data)
                naive.vram.update({offset + i: value for i, value in enumerate(data)})
            case ("map", entries):
                memory.map(entries)
                naive.entries = entries
    assert memory.read(0, SPAN + 300) == naive.read(0, SPAN + 300)
    assert vram.read(0, VRAM) == bytes(naive.vram.get(at, 0) for at in range(VRAM))


@pytest.mark.parametrize("delta", [1, 2, 3, 4, 7, 8, 0x1000])
def test_whole_pages_that_are_not_congruent(delta: int) -> None:
    """Pages inside one range, where a word of the cores is at any alignment in VRAM."""
    vram = Memory(0x1_0000)
    memory = RemappedMemory(1 << 32, vram)
    memory.map([TableEntry(0x8000_0000, delta, 0x4000)])
    vram.write(0, bytes(index * 37 % 251 for index in range(0x8000)))
    for addr, size in ((0x1000, 4), (0x1FF8, 8), (0x1FFE, 2), (0x2001, 1), (0x2004, 4)):
        expected = int.from_bytes(vram.read(addr + delta, size), "little")
        assert memory.load(0x8000_0000 + addr, size) == (expected, False)
        memory.store(0x8000_0000 + addr, size, expected ^ 1, False)
        assert vram.read(addr + delta, size) == (expected ^ 1).to_bytes(size, "little")
    assert memory.fetch(0x8000_2010) == int.from_bytes(vram.read(0x2010 + delta, 4), "little")


def test_one_block_with_bytes_of_two_ranges_and_private_ones() -> None:
    vram = Memory(VRAM)
    memory = RemappedMemory(1 << 32, vram)
    memory.map([TableEntry(0x1003, 0x100, 10), TableEntry(0x1015, 0x3F7, 7)])
    memory.write(0x1000, bytes(range(1, 65)))
    assert vram.read(0x100, 10) == bytes(range(4, 14))
    assert vram.read(0x3F7, 7) == bytes(range(22, 29))
    assert vram.read(0xFF, 1) == vram.read(0x10A, 1) == b"\0"
    assert memory.private.read(0x1000, 3) == bytes([1, 2, 3])
    assert memory.private.read(0x1003, 10) == bytes(10)
    memory.map([])
    assert memory.read(0x1000, 4) == bytes([1, 2, 3, 0])


def test_definedness_travels_with_the_bytes() -> None:
    vram = Memory(VRAM)
    memory = RemappedMemory(1 << 32, vram)
    memory.map([TableEntry(0x1001, 0x100, 4)])
    assert memory.load(0x1004, 4) == (0, True)  # one byte of VRAM that nobody wrote
    assert memory.load(0x1008, 4) == (0, False)  # private memory is zero at power-on
    memory.store(0x1004, 4, 5, False)
    assert memory.load(0x1004, 4) == (5, False)
    memory.store(0x1004, 4, 6, True)
    assert memory.load(0x1004, 4) == (6, True) and vram.undefined(0x103, 1) == b"\xff"


@pytest.mark.parametrize("delta", [0, 8, 1, 2])
def test_code_that_changes_is_noticed(delta: int) -> None:
    """Writes by the host or through another alias reach decoded instructions."""
    vram = Memory(VRAM)
    memory = RemappedMemory(1 << 32, vram)
    memory.map([TableEntry(0x1000, 0x100 + delta, 0x100)])
    changes: list[str] = []
    memory.on_code_write = lambda: changes.append("changed")
    memory.fetch(0x1010)
    vram.write(0x110 + delta + 3, b"x")
    assert changes == ["changed"]
    memory.fetch(0x1100 if delta else 0x1200)
    memory.write(0x1100 if delta else 0x1200, b"y")
    assert len(changes) == 2


def test_change_in_the_second_vram_page_of_a_word_is_noticed() -> None:
    vram = Memory(VRAM)
    memory = RemappedMemory(1 << 32, vram)
    memory.map([TableEntry(0x1000, 0xFFE, 0x100)])
    changes: list[str] = []
    memory.on_code_write = lambda: changes.append("changed")
    memory.fetch(0x1000)
    vram.write(0x1001, b"x")
    assert changes == ["changed"]


def test_strict_map() -> None:
    vram = Memory(VRAM)
    memory = RemappedMemory(1 << 32, vram, strict=True)
    memory.map([TableEntry(0x1010, 0, 0x10)])
    assert memory.answers(0x1000, 4, write=False)  # its block is partly mapped
    assert not memory.answers(0x1000, 4, write=True)
    assert memory.answers(0x101C, 4, write=True) and not memory.answers(0x101E, 4, write=True)
    assert not memory.answers(0x1040, 4, write=False)
    memory.write(0x1000, b"z" * 64)
    assert memory.read(0x1000, 64) == bytes(16) + b"z" * 16 + bytes(32)
    assert RemappedMemory(1 << 32, vram).answers(0x1040, 4, write=True)


def test_pages_in_use() -> None:
    vram = Memory(VRAM)
    memory = RemappedMemory(1 << 32, vram)
    memory.map([TableEntry(0x8000_0F00, 0x100, 0x300)])
    assert memory.pages() == []
    memory.write(0x8000_1100, b"a")
    memory.write(0x5000, b"b")
    assert memory.pages() == [0x5000, 0x8000_0000, 0x8000_1000]
