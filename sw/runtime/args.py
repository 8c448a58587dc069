"""Argument blocks: typed fields laid out like a C struct for the device (docs/reference/vortex.md §8.3, §11.1).

Every field is aligned to its own size and the block is padded to its largest alignment, so a u32 followed by a u64 has
four bytes of padding between them. Device pointers are u64 for both XLEN.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from sw.runtime.errors import InvalidValueError


@runtime_checkable
class HasAddress(Protocol):
    """Anything that stands for a device pointer in an argument block, such as a `Buffer`."""

    @property
    def address(self) -> int: ...


@dataclass(frozen=True)
class Field:
    """One scalar field: struct code (little-endian) and value."""

    code: str
    value: int | float

    @property
    def size(self) -> int:
        return struct.calcsize("<" + self.code)

    def encode(self) -> bytes:
        """Raises InvalidValueError when the value does not fit the field."""
        try:
            return struct.pack("<" + self.code, self.value)
        except (struct.error, OverflowError) as error:
            raise InvalidValueError(
                f"argument {self.value!r} does not fit a field of {self.size} bytes ({_NAMES[self.code]})"
            ) from error


_NAMES = {
    "B": "u8",
    "H": "u16",
    "I": "u32",
    "Q": "u64",
    "b": "i8",
    "h": "i16",
    "i": "i32",
    "q": "i64",
    "f": "f32",
    "d": "f64",
}


def u8(value: int) -> Field:
    """Make a 8-bit unsigned field."""
    return Field("B", value)


def u16(value: int) -> Field:
    """Make a 16-bit unsigned field."""
    return Field("H", value)


def u32(value: int) -> Field:
    """Make a 32-bit unsigned field."""
    return Field("I", value)


def u64(value: int) -> Field:
    """Make a 64-bit unsigned field."""
    return Field("Q", value)


def i32(value: int) -> Field:
    """Make a 32-bit signed field."""
    return Field("i", value)


def i64(value: int) -> Field:
    """Make a 64-bit signed field."""
    return Field("q", value)


def f32(value: float) -> Field:
    """Make a single-precision field."""
    return Field("f", value)


def f64(value: float) -> Field:
    """Make a double-precision field."""
    return Field("d", value)


def pointer(target: HasAddress) -> Field:
    """Device pointer as stored in every argument structure: u64."""
    return u64(target.address)


Argument = Field | HasAddress


def pack(arguments: Sequence[Argument]) -> bytes:
    """Lay the fields out in order with natural C alignment; no arguments give an empty block.

    Raises:
        InvalidValueError: a value does not fit its field, or an argument is not a field or buffer.
    """
    block = bytearray()
    largest = 1
    for position, argument in enumerate(arguments):
        if isinstance(argument, Field):
            field = argument
        elif isinstance(argument, HasAddress):
            field = pointer(argument)
        else:
            raise InvalidValueError(
                f"argument {position} is a {type(argument).__name__}; "
                "say its width with u32(…), u64(…), i32(…), f32(…) or pass a buffer"
            )
        block.extend(bytes(-len(block) % field.size))
        block.extend(field.encode())
        largest = max(largest, field.size)
    block.extend(bytes(-len(block) % largest))
    return bytes(block)
