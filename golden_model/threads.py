"""Thread indices of the lanes of a warp (docs/reference/vortex.md §5.5)."""

from __future__ import annotations

from functools import lru_cache

from golden_model.cta import Dim3


def next_base(base: Dim3, block: Dim3, step: Dim3) -> Dim3:
    """Index of lane 0 of the next warp: one warp step further, each axis wrapping once into the next."""
    x = base[0] + step[0]
    carry_x = int(x >= block[0])
    y = base[1] + step[1] + carry_x
    carry_y = int(y >= block[1])
    z = base[2] + step[2] + carry_y
    return x - carry_x * block[0], y - carry_y * block[1], z - int(z >= block[2]) * block[2]


@lru_cache(1024)
def lane_indices(base: Dim3, block: Dim3, lanes: int) -> list[Dim3]:
    """Index of each lane: lane numbers carried through the block from the warp's base, x fastest. Not to be changed."""
    indices = []
    for lane in range(lanes):
        carry_y, x = divmod(base[0] + lane, block[0] or 1)
        carry_z, y = divmod(base[1] + carry_y, block[1] or 1)
        indices.append((x, y, (base[2] + carry_z) % (block[2] or 1)))
    return indices
