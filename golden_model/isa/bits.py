"""Integers of a fixed width. Register values are kept unsigned, 0 … 2**XLEN - 1."""

from __future__ import annotations

from dataclasses import dataclass


def sign_extend(value: int, bits: int) -> int:
    """Value of the low `bits` bits read as a two's complement number."""
    sign = 1 << (bits - 1)
    return ((value & ((1 << bits) - 1)) ^ sign) - sign


@dataclass(frozen=True, slots=True)
class Xlen:
    """Width of the integer registers, as the lane functions need it."""

    bits: int
    mask: int
    sign: int
    shift_mask: int  # bits of a shift amount that count

    @classmethod
    def of(cls, bits: int) -> Xlen:
        return cls(bits=bits, mask=(1 << bits) - 1, sign=1 << (bits - 1), shift_mask=bits - 1)

    def signed(self, value: int) -> int:
        """Two's complement reading of an unsigned register value."""
        return (value ^ self.sign) - self.sign


def lanes_of(mask: int) -> tuple[int, ...]:
    """Indices of the set bits, ascending."""
    return tuple(lane for lane in range(mask.bit_length()) if mask >> lane & 1)
