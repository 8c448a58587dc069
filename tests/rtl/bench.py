"""What every block test needs inside the simulator: clock, reset, packed structs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

PERIOD_NS = 10


async def start_clock_and_reset(dut: Any, cycles: int = 8) -> None:
    """Start `clk` and hold `reset` for `cycles` edges; the caller has driven the inputs. Returns just after an edge."""
    Clock(dut.clk, PERIOD_NS, unit="ns").start()
    dut.reset.value = 1
    for _ in range(cycles):
        await RisingEdge(dut.clk)
    dut.reset.value = 0
    await RisingEdge(dut.clk)


@dataclass(frozen=True)
class Struct:
    """A packed struct: fields as (name, bits), the most significant first like in the declaration."""

    fields: Sequence[tuple[str, int]]

    @property
    def width(self) -> int:
        return sum(width for _, width in self.fields)

    def pack(self, values: Mapping[str, int]) -> int:
        """Value of the whole struct; a field without a value is zero.

        Raises:
            ValueError: a value does not fit or has no field.
        """
        unknown = set(values) - {name for name, _ in self.fields}
        if unknown:
            raise ValueError(f"no such field: {', '.join(sorted(unknown))}")
        packed = 0
        for name, width in self.fields:
            value = values.get(name, 0)
            if not 0 <= value < 1 << width:
                raise ValueError(f"{name}={value:#x} does not fit into {width} bits")
            packed = packed << width | value
        return packed

    def unpack(self, packed: int) -> dict[str, int]:
        values: dict[str, int] = {}
        for name, width in reversed(self.fields):
            values[name] = packed & (1 << width) - 1
            packed >>= width
        return values


def elements(packed: int, width: int, count: int) -> list[int]:
    """Elements of a packed array, index 0 first."""
    return [packed >> width * index & (1 << width) - 1 for index in range(count)]


def joined(values: Sequence[int], width: int) -> int:
    """A packed array from its elements, index 0 first."""
    packed = 0
    for index, value in enumerate(values):
        if not 0 <= value < 1 << width:
            raise ValueError(f"element {index}: {value:#x} does not fit into {width} bits")
        packed |= value << width * index
    return packed
