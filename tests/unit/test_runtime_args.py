"""Argument blocks have C layout (docs/reference/vortex.md §11.1)."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sw.runtime.args import Field, f32, f64, i32, i64, pack, u8, u16, u32, u64
from sw.runtime.errors import InvalidValueError


@dataclass(frozen=True)
class _Pointer:
    address: int


def test_u32_before_u64_is_padded() -> None:
    block = pack([u32(7), u64(0x1122_3344_5566_7788)])
    assert block == bytes.fromhex("07000000 00000000 8877665544332211".replace(" ", ""))


def test_buffers_are_u64_addresses() -> None:
    assert pack([u32(1), _Pointer(0x1_0040)])[8:] == (0x1_0040).to_bytes(8, "little")


def test_block_is_padded_to_its_alignment() -> None:
    assert len(pack([u64(1), u8(2)])) == 16
    assert len(pack([u32(1), u8(2)])) == 8


def test_no_arguments_make_no_block() -> None:
    assert pack([]) == b""


@pytest.mark.parametrize("field", [u32(-1), u32(1 << 32), u8(256), i32(1 << 31), u16(-1), u64(1 << 64)])
def test_values_that_do_not_fit_are_refused(field: Field) -> None:
    with pytest.raises(InvalidValueError, match="does not fit"):
        pack([field])


def test_bare_numbers_are_refused() -> None:
    with pytest.raises(InvalidValueError, match="say its width"):
        pack([3])  # type: ignore[list-item]


_MAKERS = {
    "u8": (u8, ctypes.c_uint8),
    "u16": (u16, ctypes.c_uint16),
    "u32": (u32, ctypes.c_uint32),
    "u64": (u64, ctypes.c_uint64),
    "i32": (i32, ctypes.c_int32),
    "i64": (i64, ctypes.c_int64),
    "f32": (f32, ctypes.c_float),
    "f64": (f64, ctypes.c_double),
}


@given(st.lists(st.sampled_from(sorted(_MAKERS)), min_size=1, max_size=12))
def test_layout_equals_that_of_the_c_compiler(names: list[str]) -> None:
    class Block(ctypes.Structure):
        _fields_ = [(f"field{index}", _MAKERS[name][1]) for index, name in enumerate(names)]  # type: ignore[misc]

    expected = Block(*range(1, len(names) + 1))
    assert pack([_MAKERS[name][0](index + 1) for index, name in enumerate(names)]) == bytes(expected)
