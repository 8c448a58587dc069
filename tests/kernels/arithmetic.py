"""Single-precision arithmetic of host programs, in the order and with the roundings of the kernels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def fma(a: Floats, b: Floats, c: Floats) -> Floats:
    """a * b + c with one rounding, up to a double rounding in rare cases: the product is exact in double precision."""
    return (a.astype(np.float64) * b + c).astype(np.float32)


def matrix_product(a: Floats, b: Floats, start: Floats | None = None) -> Floats:
    """a @ b (shapes (m, k) and (k, n)), summed over ascending k by fused multiply-adds from `start` or 0."""
    total = np.zeros((a.shape[0], b.shape[1]), np.float32) if start is None else start
    for k in range(a.shape[1]):
        total = fma(a[:, k : k + 1], b[k : k + 1, :], total)
    return total
