"""Sparse memory with its shadow, address ranges, and loads and stores of a warp."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden_model import FindingKind
from golden_model.memory import PAGE_SIZE, Memory
from golden_model.ranges import AddressRanges
from golden_model.records.layout import FaultKind, MemoryOp, MemorySpace
from tests.unit.golden_program import BASE, OUT, bare_warp

LMEM = 0xFFFF0000


def test_words_of_every_size_are_little_endian() -> None:
    memory = Memory(1 << 32)
    memory.write(0x1000, bytes(range(1, 9)))
    assert [memory.load(0x1000, size)[0] for size in (1, 2, 4, 8)] == [1, 0x201, 0x4030201, 0x807060504030201]
    memory.store(0x1002, 2, 0xBEEF, False)
    memory.store(0x1007, 1, 0x99, False)
    assert memory.read(0x1000, 8) == bytes([1, 2, 0xEF, 0xBE, 5, 6, 7, 0x99])


def test_shadow_follows_every_byte() -> None:
    memory = Memory(1 << 32)
    assert memory.load(0x2000, 4) == (0, True)
    memory.store(0x2001, 1, 5, False)
    assert memory.load(0x2001, 1) == (5, False)
    assert memory.load(0x2000, 2) == (0x500, True), "one undefined byte is enough"
    memory.store(0x2000, 1, 1, False)
    assert memory.load(0x2000, 2) == (0x501, False)
    memory.store(0x2000, 2, 0x1234, True)
    assert memory.undefined(0x1FFF, 4) == bytes([0xFF, 0xFF, 0xFF, 0xFF])
    memory.write(0x2000, b"ab")
    assert memory.undefined(0x2000, 3) == bytes([0, 0, 0xFF])
    memory.define(0x2000, 1, defined=False)
    assert memory.undefined(0x2000, 2) == bytes([0xFF, 0])


@given(st.lists(st.tuples(st.integers(0, 3 * PAGE_SIZE), st.binary(max_size=2 * PAGE_SIZE)), max_size=6))
def test_host_ranges_over_page_borders(writes: list[tuple[int, bytes]]) -> None:
    memory, model = Memory(1 << 32), bytearray(6 * PAGE_SIZE)
    for addr, data in writes:
        memory.write(addr, data)
        model[addr : addr + len(data)] = data
    assert memory.read(0, len(model)) == bytes(model)


def test_buffer_behind_the_memory() -> None:
    backing = bytearray(4 * PAGE_SIZE)
    backing[PAGE_SIZE] = 42
    memory = Memory(len(backing), memoryview(backing))
    assert memory.load(PAGE_SIZE, 1) == (42, True)
    memory.store(PAGE_SIZE + 4, 4, 0xAABBCCDD, False)
    memory.write(8, b"xyz")
    assert backing[PAGE_SIZE + 4 : PAGE_SIZE + 8] == b"\xdd\xcc\xbb\xaa"
    assert backing[8:11] == b"xyz"
    with pytest.raises(ValueError, match="must be writable and hold"):
        Memory(len(backing) + 1, memoryview(backing))
    with pytest.raises(ValueError, match="must be writable"):
        Memory(2, memoryview(b"ab"))


def test_ranges_outside_memory_are_refused() -> None:
    memory = Memory(1 << 32)
    for addr, size in ((-1, 1), ((1 << 32) - 1, 2), (0, -1)):
        with pytest.raises(ValueError, match="outside memory"):
            memory.read(addr, size)
    with pytest.raises(ValueError, match="outside memory"):
        memory.write(1 << 32, b"a")


def test_code_pages_are_watched() -> None:
    memory, changes = Memory(1 << 32), []
    memory.on_code_write = lambda: changes.append(1)
    memory.write(0x1000, b"\x13\x00\x00\x00")
    assert memory.fetch(0x1000) == 0x13
    memory.store(0x5000, 4, 1, False)
    assert not changes
    memory.store(0x1FFC, 4, 1, False)
    memory.store(0x1FFC, 4, 2, False)
    assert len(changes) == 1, "once per fetched page"
    memory.fetch(0x1000)
    memory.write(0x1000, b"abcd")
    assert len(changes) == 2


def test_address_ranges() -> None:
    ranges = AddressRanges()
    ranges.add(100, 50)
    ranges.add(10, 5)
    ranges.add(500, 0)
    assert [addr in ranges for addr in (9, 10, 14, 15, 99, 100, 149, 150, 500)] == [
        False, True, True, False, False, True, True, False, False,
    ]  # fmt: skip
    ranges.add(120, 10)
    assert list(ranges) == [(10, 15), (120, 130)], "an overlapped range is replaced"
    ranges.remove(10)
    ranges.remove(11)
    assert len(ranges) == 1
    ranges.clear()
    assert 120 not in ranges


# ------------------------------------------------------------------ loads and stores


@pytest.mark.parametrize(
    ("name", "expected"),
    [("lb", 0xFFFFFFF8), ("lbu", 0xF8), ("lh", 0xFFFF87F8), ("lhu", 0x87F8), ("lw", 0xDEAD87F8)],
)
def test_loads_extend(name: str, expected: int) -> None:
    machine, warp = bare_warp(f"{name} a0, -8(a1)", mask=0b0110)
    machine.write(OUT, (0xDEAD87F8).to_bytes(4, "little") * 4)
    warp.regs[11] = [1, OUT + 8, OUT + 16, 3]
    step = warp.step()
    assert step.result[1:3] == [expected] * 2
    assert step.memory is not None
    assert (step.memory.op, step.memory.space, step.memory.size) == (
        MemoryOp.LOAD,
        MemorySpace.GLOBAL,
        int({"b": 1, "h": 2, "w": 4}[name[1]]),
    )
    assert (step.memory.mask, step.memory.addr[1:3]) == (0b0110, [OUT, OUT + 8])
    assert step.undefined == 0


@pytest.mark.parametrize(("name", "size"), [("sb", 1), ("sh", 2), ("sw", 4)])
def test_stores_write_their_bytes_only(name: str, size: int) -> None:
    machine, warp = bare_warp(f"{name} a0, 4(a1)", mask=0b1001)
    machine.write(OUT, b"\xff" * 64)
    warp.regs[10] = [0x11223344, 0, 0, 0x55667788]
    warp.regs[11] = [OUT, OUT, OUT, OUT + 16]
    step = warp.step()
    for lane, offset in ((0, 4), (3, 20)):
        value = warp.regs[10][lane].to_bytes(4, "little")[:size]
        assert machine.read(OUT + offset, 4) == value + b"\xff" * (4 - size)
        assert step.memory is not None
        assert step.memory.data[lane] == int.from_bytes(value, "little")
    assert step.wmask == 0


def test_highest_active_lane_wins() -> None:
    machine, warp = bare_warp("sw a0, 0(a1)", mask=0b0111)
    warp.regs[10], warp.regs[11] = [1, 2, 3, 4], [OUT] * 4
    warp.step()
    assert machine.memory.load(OUT, 4) == (3, False)


def test_addresses_wrap_at_xlen() -> None:
    machine, warp = bare_warp("lw a0, 8(a1)")
    machine.write(0, (99).to_bytes(4, "little"))
    warp.regs[11] = [0xFFFFFFF8] * 4
    assert warp.step().result == [99] * 4


@pytest.mark.parametrize(("name", "offset"), [("lh", 1), ("lhu", 3), ("lw", 2), ("sw", 1), ("sh", 1)])
def test_misaligned_access_stops_the_warp(name: str, offset: int) -> None:
    for base in (OUT, LMEM):
        machine, warp = bare_warp(f"{name} a0, 0(a1)\nnop")
        machine.write(OUT, b"\x77" * 32)
        warp.regs[10] = [5] * 4
        warp.regs[11] = [base, base + 8 + offset, base + 16, base + 24 + offset]
        step = warp.step()
        assert step.fault is not None
        assert (step.fault.kind, step.fault.addr) == (FaultKind.MISALIGNED, base + 8 + offset)
        assert (step.memory, step.wmask, step.next_mask) == (None, 0, 0)
        assert step.warp_ended
        assert warp.pc == BASE + 4
        assert warp.regs[10] == [5] * 4
        assert machine.read(OUT, 32) == b"\x77" * 32, "no lane accesses memory"
        assert machine.findings.kinds() == {FindingKind.MISALIGNED_ACCESS}


def test_spaces() -> None:
    """The aperture is 16 KiB from the stack base: one word below and the first word above are ordinary memory."""
    for addr, space in (
        (0x3C, MemorySpace.GLOBAL),
        (0x40, MemorySpace.IO),
        (0xFFFC, MemorySpace.IO),
        (0x10000, MemorySpace.GLOBAL),
        (LMEM - 4, MemorySpace.GLOBAL),
        (LMEM, MemorySpace.LMEM),
        (LMEM + 16380, MemorySpace.LMEM),
        (LMEM + 16384, MemorySpace.GLOBAL),
    ):
        machine, warp = bare_warp("sw a0, 0(a1)")
        warp.regs[10], warp.regs[11] = [6] * 4, [addr] * 4
        step = warp.step()
        assert step.memory is not None
        assert step.memory.space is space, hex(addr)
        assert machine.read(addr, 4) == (b"\0\0\0\0" if space is MemorySpace.LMEM else b"\6\0\0\0")


def test_lanes_may_lie_in_different_spaces() -> None:
    machine, warp = bare_warp("sw a0, 0(a1)\nlw a2, 0(a1)")
    warp.regs[10], warp.regs[11] = [1, 2, 3, 4], [OUT, LMEM, OUT + 4, LMEM + 4]
    warp.step()
    assert warp.step().result == [1, 2, 3, 4]
    assert machine.read(OUT, 8) == bytes([1, 0, 0, 0, 3, 0, 0, 0])
    assert machine.cores[0].lmem.read(LMEM, 8) == bytes([2, 0, 0, 0, 4, 0, 0, 0])


def test_lmem_belongs_to_its_core() -> None:
    from config import HardwareConfig

    machine, warp = bare_warp("sw a0, 0(a1)", config=HardwareConfig(num_cores=2))
    warp.regs[10], warp.regs[11] = [1] * 4, [LMEM] * 4
    warp.step()
    assert machine.cores[0].lmem.load(LMEM, 4) == (1, False)
    assert machine.cores[1].lmem.load(LMEM, 4) == (0, True)


def test_fence_is_seen() -> None:
    _, warp = bare_warp("fence\nfence.i")
    for _ in range(2):
        step = warp.step()
        assert step.memory is not None
        assert (step.memory.op, step.memory.size) == (MemoryOp.FENCE, 0)
