"""What the golden model says of one lane of an operation."""

from __future__ import annotations

from collections.abc import Callable

from golden_model.isa.table import INSTRUCTIONS
from tests.rtl.fpu.operations import Operation

_ROWS = {row.name: row for row in INSTRUCTIONS}


def golden_lane(operation: Operation) -> Callable[[int, int, int, int], tuple[int, int]]:
    """From three operands and a rounding mode to the bits of the result and the flags."""
    lane = _ROWS[operation.name].float_lane
    if lane is not None:
        return lane
    assert operation.name.startswith("fmv."), f"{operation.name} has no arithmetic in the golden model"
    return _move


def _move(bits: int, second: int, third: int, mode: int) -> tuple[int, int]:
    return bits, 0
