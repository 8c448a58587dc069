"""The third leg: what memory holds against what the host computed itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]
Judge = Callable[[Array], str]  # of contents that nobody can predict: what is wrong with them, empty if nothing


@dataclass(frozen=True)
class Tolerance:
    """How far floats may be off: `ulp` units of the last place, or `absolute`, whichever allows more."""

    ulp: int = 0
    absolute: float = 0.0


_EXACT = Tolerance()


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
    name: str,
    address: int,
    expected: Array,
    actual: Array,
    guard: NDArray[np.uint8],
    poison: int,
    tolerance: Tolerance = _EXACT,
    judge: Judge | None = None,
) -> Comparison:
    """Compare a buffer of the same dtype and shape element by element, and the guard zone behind it byte by byte.

    Integers must be equal; floats may differ by the tolerance, bit patterns ordered as numbers. With `judge` it
    decides instead, and `expected` gives the shape only.
    """
    flat, seen = expected.reshape(-1), actual.reshape(-1)
    if judge is not None and (wrong := judge(seen)):
        return Comparison(name, flat.size, 1, f"{name} at {address:#x}: {wrong}", address)
    differing = np.flatnonzero(_distance(flat, seen, tolerance)) if judge is None else np.empty(0, np.intp)
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


def _distance(expected: Array, actual: Array, tolerance: Tolerance) -> NDArray[np.bool_]:
    """True where two elements differ by more than is allowed."""
    bits = np.dtype(f"i{expected.itemsize}")
    left, right = expected.view(bits), actual.view(bits)
    if expected.dtype.kind != "f" or tolerance == _EXACT:
        return np.asarray(left != right)
    # Negative floats order backwards as integers; mirrored, neighbouring floats are neighbouring numbers.
    wide = np.dtype(np.int64 if expected.itemsize < 8 else object)
    lowest = np.array(np.iinfo(bits).min, wide)
    ordered = [np.where(side < 0, lowest - side.astype(wide), side.astype(wide)) for side in (left, right)]
    far = np.asarray(abs(ordered[0] - ordered[1]) > tolerance.ulp, dtype=np.bool_)
    with np.errstate(invalid="ignore", over="ignore"):
        near = np.asarray(abs(actual.astype(np.float64) - expected.astype(np.float64)) <= tolerance.absolute)
    return far & ~near


def _show(value: np.generic) -> str:
    number = value.item()
    if isinstance(number, int):
        return f"{number} ({number & ((1 << 8 * value.itemsize) - 1):#x})"
    return repr(number)
