"""Placement of buffers (docs/reference/vortex.md §8.5)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config import HardwareConfig
from sw.runtime.allocator import USER_BASE_ADDR, Allocator
from sw.runtime.errors import InvalidValueError, OutOfDeviceMemoryError, ResultCode


@pytest.fixture
def allocator() -> Allocator:
    return Allocator(HardwareConfig())


def test_first_buffer_is_at_user_base(allocator: Allocator) -> None:
    assert allocator.alloc(1).start == USER_BASE_ADDR


def test_buffers_start_at_multiples_of_64(allocator: Allocator) -> None:
    assert [allocator.alloc(size).start - USER_BASE_ADDR for size in (1, 64, 65, 4)] == [0, 64, 128, 256]


def test_freed_room_is_used_again(allocator: Allocator) -> None:
    first = allocator.alloc(100)
    allocator.alloc(100)
    allocator.free(first.start)
    assert allocator.alloc(128).start == first.start
    assert allocator.used == 228


def test_size_zero_is_refused(allocator: Allocator) -> None:
    with pytest.raises(InvalidValueError, match="at least 1"):
        allocator.alloc(0)
    with pytest.raises(InvalidValueError, match="at least 1"):
        allocator.reserve(0x2_0000, 0)


def test_freeing_twice_is_refused(allocator: Allocator) -> None:
    start = allocator.alloc(8).start
    allocator.free(start)
    with pytest.raises(InvalidValueError, match="no allocation starts there"):
        allocator.free(start)


def test_reservation_takes_whole_pages(allocator: Allocator) -> None:
    taken = allocator.reserve(0x8000_0123, 10)
    assert (taken.start, taken.end) == (0x8000_0000, 0x8000_1000)
    with pytest.raises(InvalidValueError, match="overlaps image"):
        allocator.reserve(0x9000_0000, 0x2000, "image")
        allocator.reserve(0x9000_1FFF, 1)


def test_io_window_may_be_reserved(allocator: Allocator) -> None:
    assert allocator.reserve(0x40, 64).start == 0


def test_stacks_and_local_memory_are_never_handed_out(allocator: Allocator) -> None:
    # one core of 4 warps of 4 lanes: 16 stacks of 8192 bytes below 0xFFFF0000
    assert allocator.limit == 0xFFFF_0000 - 16 * 8192
    with pytest.raises(InvalidValueError, match="stacks and local memory"):
        allocator.reserve(allocator.limit, 4096)
    allocator.reserve(allocator.limit - 4096, 4096)


def test_reservation_beyond_memory_is_refused(allocator: Allocator) -> None:
    with pytest.raises(InvalidValueError, match="device memory ends at 0x100000000"):
        allocator.reserve(0xFFFF_F000, 0x2000)


def test_out_of_memory_has_its_own_code(allocator: Allocator) -> None:
    with pytest.raises(OutOfDeviceMemoryError) as caught:
        allocator.alloc(1 << 32)
    assert caught.value.code is ResultCode.OUT_OF_DEVICE_MEMORY


def test_allocation_jumps_over_a_reservation(allocator: Allocator) -> None:
    allocator.reserve(USER_BASE_ADDR + 4096, 4096)
    assert allocator.alloc(4096).start == USER_BASE_ADDR
    assert allocator.alloc(4096).start == USER_BASE_ADDR + 8192


@given(st.lists(st.tuples(st.integers(1, 5000), st.booleans()), max_size=40))
def test_ranges_never_overlap(steps: list[tuple[int, bool]]) -> None:
    allocator = Allocator(HardwareConfig())
    live: list[int] = []
    for size, free_one in steps:
        live.append(allocator.alloc(size).start)
        if free_one:
            allocator.free(live.pop(len(live) // 2))
    ranges = allocator.ranges
    assert sorted(live) == [taken.start for taken in ranges]
    assert all(left.end <= right.start for left, right in itertools.pairwise(ranges))
