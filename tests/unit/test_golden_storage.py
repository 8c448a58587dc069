"""Address ranges and sparse memory against sets and byte arrays; integers of a width."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden_model.isa.bits import Xlen, lanes_of, sign_extend
from golden_model.memory import PAGE_SIZE, Memory, Page, Parts, Segment
from golden_model.ranges import AddressRanges

# ------------------------------------------------------------------ ranges


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 24), st.integers(-1, 9)), max_size=12))
@settings(max_examples=150)
def test_ranges_are_a_set_of_addresses(commands: list[tuple[bool, int, int]]) -> None:
    """Adding replaces what it overlaps, removing takes the range that begins there; every question by counting."""
    ranges, model = AddressRanges(), dict[int, int]()
    for adds, start, size in commands:
        if adds:
            ranges.add(start, size)
            if size > 0:
                model = {s: e for s, e in model.items() if e <= start or start + size <= s} | {start: start + size}
        else:
            ranges.remove(start)
            model.pop(start, None)
        assert list(ranges) == sorted(model.items())
        assert len(ranges) == len(model)
    inside = {addr for start, end in model.items() for addr in range(start, end)}
    assert {addr for addr in range(-3, 40) if addr in ranges} == inside
    for start in range(-3, 36):
        for size in range(-1, 6):
            assert ranges.overlaps(start, size) == any(addr in inside for addr in range(start, start + size))
    ranges.clear()
    assert (list(ranges), len(ranges), ranges.overlaps(0, 99)) == ([], 0, False)


def test_ranges_that_touch_do_not_overlap() -> None:
    ranges = AddressRanges()
    for start in (8, 0, 4):
        ranges.add(start, 4)
    assert list(ranges) == [(0, 4), (4, 8), (8, 12)]
    ranges.remove(12)
    ranges.remove(4)
    assert list(ranges) == [(0, 4), (8, 12)]


# ------------------------------------------------------------------ memory

Command = tuple[str, int, int]


@given(
    st.lists(
        st.tuples(st.sampled_from(["write", "fill", "define", "undefine", "store", "bad"]), st.integers(0, 63),
                  st.integers(0, 20)),
        max_size=14,
    )
)  # fmt: skip
@settings(max_examples=100)
def test_memory_is_bytes_and_what_is_known_of_them(commands: list[Command]) -> None:
    """Around the border of two pages; one shadow byte per byte."""
    base = 7 * PAGE_SIZE - 32
    memory, data, unknown = Memory(1 << 32), bytearray(128), bytearray(b"\xff" * 128)
    for number, (what, at, size) in enumerate(commands):
        span, addr = slice(at, at + size), base + at
        match what:
            case "write":
                new = bytes((number + 3 * i) & 0xFF for i in range(size))
                memory.write(addr, new)
                data[span], unknown[span] = new, bytes(size)
            case "fill":
                memory.fill(addr, size, number + 1)
                data[span], unknown[span] = bytes([number + 1]) * size, bytes(size)
            case "define" | "undefine":
                memory.define(addr, size, what == "define")
                unknown[span] = (b"\0" if what == "define" else b"\xff") * size
            case _:
                width = 1 << size % 4
                at -= at % width
                value = 0x0123_4567_89AB_CDEF >> number & (1 << 8 * width) - 1
                memory.store(base + at, width, value, what == "bad")
                data[at : at + width] = value.to_bytes(width, "little")
                unknown[at : at + width] = (b"\xff" if what == "bad" else b"\0") * width
        assert memory.read(base, 96) == data[:96]
        assert memory.undefined(base, 96) == unknown[:96]
    for width in (1, 2, 4, 8):
        for at in range(0, 96, width):
            value = int.from_bytes(data[at : at + width], "little")
            assert memory.load(base + at, width) == (value, any(unknown[at : at + width]))


def test_fill_writes_zeros_if_nothing_is_said() -> None:
    memory = Memory(PAGE_SIZE)
    memory.write(0, b"abcd")
    memory.fill(1, 2)
    assert memory.read(0, 4) == b"a\0\0d"
    memory.define(0, 2, defined=False)
    memory.define(1, 1)
    assert memory.undefined(0, 3) == b"\xff\0\0"


def test_pages_are_made_on_first_use() -> None:
    made: list[tuple[int, Page]] = []
    memory = Memory(1 << 32)
    memory.on_page = lambda number, page: made.append((number, page))
    assert memory.pages() == [] and not memory.has_page(0x5000)
    memory.load(0x5FFF, 1)
    memory.write(0x2FFF, b"ab")
    memory.store(0x9000, 4, 1, False)
    memory.store(0x9004, 4, 1, False)
    assert [number for number, _ in made] == [5, 2, 3, 9], "once for each page"
    assert memory.pages() == [0x2000, 0x3000, 0x5000, 0x9000]
    assert memory.existing() == dict(made)
    assert [memory.has_page(addr) for addr in (0x1FFF, 0x2000, 0x3FFF, 0x4000, 0x5000)] == [
        False, True, True, False, True,
    ]  # fmt: skip


def test_zeroed_memory_is_defined() -> None:
    memory = Memory(PAGE_SIZE, zeroed=True)
    assert memory.load(8, 8) == (0, False)
    assert memory.undefined(0, PAGE_SIZE) == bytes(PAGE_SIZE)
    memory.store(8, 1, 3, True)
    assert memory.load(8, 2) == (3, True)


def test_who_else_may_change_the_bytes() -> None:
    class Other(Memory):
        pass

    backing = memoryview(bytearray(PAGE_SIZE))
    assert Memory(PAGE_SIZE).unshared
    assert not Memory(PAGE_SIZE, backing).unshared
    assert not Other(PAGE_SIZE).unshared
    assert Memory(PAGE_SIZE).parts is None


def test_a_store_to_come_makes_its_page_and_counts_as_change_of_code() -> None:
    """What `prepare` promises for the compiled tier."""
    memory, changes = Memory(1 << 32), []
    memory.on_code_write = lambda: changes.append(1)
    memory.prepare(0x3004)
    assert memory.pages() == [0x3000] and changes == []
    memory.fetch(0x3000)
    memory.fetch(0x4000)
    memory.prepare(0x3FFC)
    assert changes == [1]
    memory.prepare(0x3FFC)
    memory.prepare(0x4000)
    assert changes == [1], "all code counts as changed, until it is fetched again"
    memory.fetch(0x4000)
    memory.prepare(0x3FFC)
    assert changes == [1]
    memory.write(0x4FFF, b"a")
    assert changes == [1, 1]


def test_changes_of_code_that_nobody_wants_to_know() -> None:
    memory = Memory(1 << 32)
    memory.fetch(0x1000)
    memory.store(0x1000, 4, 5, False)
    assert memory.fetch(0x1000) == 5


def test_fetch_takes_the_word_at_its_address() -> None:
    memory = Memory(1 << 32)
    for addr in (0x1000, 0x1004, 0x1FFC):
        memory.write(addr, (addr * 3).to_bytes(4, "little"))
    assert [memory.fetch(addr) for addr in (0x1000, 0x1004, 0x1FFC)] == [0x3000, 0x300C, 0x5FF4]


def test_the_last_byte_is_in_memory_and_the_next_is_not() -> None:
    memory = Memory(PAGE_SIZE)
    memory.write(PAGE_SIZE - 1, b"z")
    memory.write(PAGE_SIZE, b"")
    assert memory.read(PAGE_SIZE - 1, 1) == b"z"
    assert memory.read(0, 0) == b""
    for addr, size in ((PAGE_SIZE, 1), (-1, 1), (-1, 0), (0, -1), (PAGE_SIZE - 1, 2)):
        for question in (memory.read, memory.undefined, memory.define, memory.fill):
            if question == memory.fill and size < 0:
                continue
            with pytest.raises(ValueError, match="outside memory"):
                question(addr, size)


def test_a_buffer_of_just_the_size_will_do() -> None:
    backing = bytearray(range(256)) * 32
    memory = Memory(2 * PAGE_SIZE, memoryview(backing).cast("H"))
    assert memory.read(PAGE_SIZE + 5, 2) == bytes([5, 6])
    assert memory.load(2 * PAGE_SIZE - 8, 8) == (int.from_bytes(bytes(range(248, 256)), "little"), True)
    with pytest.raises(ValueError, match="must be writable"):
        Memory(2 * PAGE_SIZE + 1, memoryview(backing))
    with pytest.raises(ValueError, match="must be writable"):
        Memory(PAGE_SIZE, memoryview(bytes(PAGE_SIZE)))


def test_segments_and_parts_are_plain_values() -> None:
    memory = Memory(PAGE_SIZE)
    parts = Parts(memory, memory, (Segment(0, 16, 32),))
    assert (parts.segments[0].start, parts.segments[0].end, parts.segments[0].offset) == (0, 16, 32)
    assert parts.obstacle == ""


# ------------------------------------------------------------------ integers of a width


@given(st.integers(1, 66), st.integers(-(1 << 70), 1 << 70))
def test_sign_extension(bits: int, value: int) -> None:
    low = value % (1 << bits)
    assert sign_extend(value, bits) == (low - (1 << bits) if low >= 1 << bits - 1 else low)


@pytest.mark.parametrize("bits", [32, 64])
def test_width_of_registers(bits: int) -> None:
    x = Xlen.of(bits)
    assert (x.bits, x.mask, x.sign, x.shift_mask) == (bits, 2**bits - 1, 2 ** (bits - 1), bits - 1)
    for value in (0, 1, 2 ** (bits - 1) - 1, 2 ** (bits - 1), 2**bits - 1):
        assert x.signed(value) == sign_extend(value, bits)


@given(st.sets(st.integers(0, 40)))
def test_lanes_of_a_mask(lanes: set[int]) -> None:
    assert lanes_of(sum(1 << lane for lane in lanes)) == tuple(sorted(lanes))
