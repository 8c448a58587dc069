"""Comparison of arrays: exact for integers, units of the last place for floats, guard zones."""

from __future__ import annotations

import numpy as np
import pytest

from tests.regression.expectation import Comparison, Tolerance, compare

GUARD = np.full(8, 0xA5, np.uint8)


def _compare(expected: list[float], actual: list[float], ulp: int, dtype: type[np.floating] = np.float32) -> Comparison:
    return compare("dst", 0x1_0000, np.array(expected, dtype), np.array(actual, dtype), GUARD, 0xA5, Tolerance(ulp))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbouring_floats(dtype: type[np.floating]) -> None:
    above = float(np.nextafter(dtype(1), dtype(2)))
    assert _compare([1.0], [above], 1, dtype).ok
    assert not _compare([1.0], [above], 0, dtype).ok
    assert not _compare([1.0], [float(np.nextafter(dtype(above), dtype(2)))], 1, dtype).ok


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sign_change_at_zero_is_one_step(dtype: type[np.floating]) -> None:
    tiny = float(np.nextafter(dtype(0), dtype(1)))
    assert _compare([0.0], [-0.0], 1, dtype).ok
    assert not _compare([0.0], [-0.0], 0, dtype).ok
    assert _compare([tiny], [-tiny], 2, dtype).ok
    assert not _compare([1.0], [-1.0], 6, dtype).ok


def test_nan_is_not_near_a_number() -> None:
    assert not _compare([1.0], [float("nan")], 6).ok


def test_first_difference_is_named() -> None:
    found = compare("dst", 0x1_0000, np.arange(4, dtype=np.int32), np.array([0, 1, -2, 9], np.int32), GUARD, 0xA5)
    assert (found.wrong, found.address) == (2, 0x1_0008)
    assert found.message == "dst[2] at 0x10008: expected 2 (0x2), found -2 (0xfffffffe) (2 of 4 elements differ)"


def test_guard_zone() -> None:
    guard = GUARD.copy()
    guard[5] = 0
    found = compare("dst", 0x1_0000, np.zeros(4, np.int32), np.zeros(4, np.int32), guard, 0xA5)
    assert found.message == "dst was written 5 bytes behind its end, at 0x10015"
