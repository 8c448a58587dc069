"""What an expression is to the translator: an integer of known range, an array over the lanes, a known Python object,
or a piece of the machine's state.

Ranges make the translation exact: Python's integers never overflow, so every intermediate value gets a C type that
holds its whole range. What fits no C type is refused.
"""

from __future__ import annotations

from dataclasses import dataclass


class Untranslatable(Exception):
    """A definition uses something that the translator cannot express; the message says where and what."""


@dataclass(frozen=True, slots=True)
class Range:
    """All values that an integer can have, lo … hi."""

    lo: int
    hi: int

    def join(self, other: Range) -> Range:
        return Range(min(self.lo, other.lo), max(self.hi, other.hi))

    @property
    def bits(self) -> int:
        """Magnitude bits of the widest value; for negative ones, without the sign."""
        return max(self.hi.bit_length(), (~self.lo if self.lo < 0 else self.lo).bit_length())


BOOL = Range(0, 1)
BIT64 = 1 << 64
BIT128 = 1 << 128


def ctype(values: Range) -> str:
    """C type of arithmetic on these values. Raises Untranslatable if there is none."""
    for name, lo, hi in (
        ("i64", -BIT64 // 2, BIT64 // 2),
        ("u64", 0, BIT64),
        ("i128", -BIT128 // 2, BIT128 // 2),
        ("u128", 0, BIT128),
    ):
        if lo <= values.lo and values.hi < hi:
            return name
    raise Untranslatable(f"values between {values.lo:#x} and {values.hi:#x} fit no C type")


def width(name: str) -> int:
    """Bits of a C type."""
    return int(name[1:])


@dataclass(frozen=True, slots=True)
class Int:
    """An integer expression."""

    text: str
    range: Range


@dataclass(frozen=True, slots=True)
class Const:
    """A Python object that is known while translating."""

    value: object


@dataclass(frozen=True, slots=True)
class Lanes:
    """A C array with one element per lane."""

    text: str
    range: Range
    element: str  # C type


@dataclass(frozen=True, slots=True)
class Obj:
    """Part of the machine's state; `kind` selects its row in golden_model/fast/state.py, `text` is a C pointer."""

    kind: str
    text: str
    info: object = None  # kind "op": the instruction's row of the table


@dataclass(frozen=True, slots=True)
class Record:
    """Several values: a tuple (names "0", "1" …) or a dataclass."""

    names: tuple[str, ...]
    items: tuple[Value, ...]


Value = Int | Const | Lanes | Obj | Record


def constant(value: int) -> Int:
    """A C literal."""
    if -(1 << 63) < value < 1 << 63:
        return Int(f"({value}LL)" if value < 0 else f"{value}LL", Range(value, value))
    if 0 <= value < BIT64:
        return Int(f"{value}ULL", Range(value, value))
    high, low = value >> 64, value & BIT64 - 1
    return Int(f"(((i128){high}LL << 64) | {low}ULL)", Range(value, value))
