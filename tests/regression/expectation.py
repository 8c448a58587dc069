"""The third leg: what memory holds against what the host computed itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]


@dataclass(frozen=True)
class Comparison:
    """Outcome of one buffer: elements compared, how many differ, and the first of them."""

    buffer: str
    elements: int
    wrong: int
    message: str = ""
    address: int = 0
    expected: str = ""
    actual: str = ""

    @property
    def ok(self) -> bool:
        return self.wrong == 0


def compare(
    name: str, address: int, expected: Array, actual: Array, guard: NDArray[np.uint8], poison: int, ulp: int = 0
) -> Comparison:
    """Compare a buffer of the same dtype and shape element by element, and the guard zone behind it byte by byte.

    Integers must be equal; floats may differ by `ulp` units of the last place, bit patterns ordered as numbers.
    """
    flat, seen = expected.reshape(-1), actual.reshape(-1)
    differing = np.flatnonzero(_distance(flat, seen, ulp))
    if differing.size:
        first = int(differing[0])
        place = address + first * flat.itemsize
        message = (
            f"{name}[{first}] at {place:#x}: expected {_show(flat[first])}, found {_show(seen[first])} "
            f"({differing.size} of {flat.size} elements differ)"
        )
        return Comparison(name, flat.size, int(differing.size), message, place, _show(flat[first]), _show(seen[first]))
    overrun = np.flatnonzero(guard != poison)
    if overrun.size:
        first = int(overrun[0])
        place = address + flat.nbytes + first
        message = f"{name} was written {first} bytes behind its end, at {place:#x}"
        return Comparison(
            name, flat.size, int(overrun.size), message, place, f"{poison:#04x}", f"{int(guard[first]):#04x}"
        )
    return Comparison(name, flat.size, 0)


def _distance(expected: Array, actual: Array, ulp: int) -> NDArray[np.bool_]:
    """True where two elements differ by more than is allowed."""
    bits = np.dtype(f"i{expected.itemsize}")
    left, right = expected.view(bits), actual.view(bits)
    if expected.dtype.kind != "f" or ulp == 0:
        return np.asarray(left != right)
    # Negative floats order backwards as integers; mirrored, neighbouring floats are neighbouring numbers.
    wide = np.dtype(np.int64 if expected.itemsize < 8 else object)
    lowest = np.array(np.iinfo(bits).min, wide)
    ordered = [np.where(side < 0, lowest - side.astype(wide), side.astype(wide)) for side in (left, right)]
    return np.asarray(abs(ordered[0] - ordered[1]) > ulp, dtype=np.bool_)


def _show(value: np.generic) -> str:
    number = value.item()
    if isinstance(number, int):
        return f"{number} ({number & ((1 << 8 * value.itemsize) - 1):#x})"
    return repr(number)
