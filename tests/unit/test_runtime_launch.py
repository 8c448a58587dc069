"""Geometry of launches: the worked examples of docs/reference/vortex.md appendix B and every rejection of §4.6."""

from __future__ import annotations

import itertools

import pytest

from config import HardwareConfig
from sw.runtime.errors import LaunchError, ResultCode
from sw.runtime.launch import Dims, dcr_writes, make_geometry, max_occupancy, usable_slots, warp_step
from sw.runtime.messages import Launch

DEFAULT = HardwareConfig()


def _launch(block: Dims, grid: Dims = 4) -> Launch:
    geometry = make_geometry(DEFAULT, grid, block)
    return Launch(
        launch_id=1,
        kernel="vecadd",
        startup_addr=0x8000_0000,
        kernel_entry=0x8000_0100,
        arg_addr=0x2_0000,
        grid=geometry.grid,
        block=geometry.block,
        block_size=geometry.block_size,
        warp_step=geometry.warp_step,
        lmem_size=geometry.lmem_size,
        cluster=geometry.cluster,
        rewind=20,
    )


def test_example_b6_thread_indices() -> None:
    geometry = make_geometry(DEFAULT, 1, (3, 2, 2))
    assert (geometry.block_size, geometry.warp_step) == (12, (1, 1, 0))
    assert geometry.warps(4) == 3


def test_example_b8_register_writes() -> None:
    expected = {
        0x010: 0x8000_0000, 0x011: 0, 0x012: 0x8000_0100, 0x013: 0, 0x014: 0x2_0000, 0x015: 0,
        0x016: 16, 0x017: 1, 0x018: 1, 0x019: 4, 0x01A: 1, 0x01B: 1, 0x01C: 0, 0x01D: 16,
        0x01E: 4, 0x01F: 0, 0x020: 0, 0x021: 1, 0x022: 1, 0x023: 1,
    }  # fmt: skip
    writes = dcr_writes(_launch(16))
    assert (writes[0].address, writes[0].value) == (0x030, 20)
    assert [(write.address, write.value) for write in writes[1:]] == list(expected.items())


@pytest.mark.parametrize("num_threads", [1, 2, 4, 8, 32])
def test_warp_steps_walk_every_block_in_linear_order(num_threads: int) -> None:
    """Steps with single-subtract wraps (§5.5) give each warp the base of its first thread."""
    for block in itertools.product((1, 2, 3, 5, 8), (1, 2, 3, 4), (1, 2, 3)):
        step = warp_step(block, num_threads)
        size = block[0] * block[1] * block[2]
        base = (0, 0, 0)
        for first in range(0, size, num_threads):
            linear = (first % block[0], first // block[0] % block[1], first // (block[0] * block[1]))
            assert base == linear, (block, first)
            x = base[0] + step[0]
            carry_x = x >= block[0]
            y = base[1] + step[1] + carry_x
            carry_y = y >= block[1]
            z = base[2] + step[2] + carry_y
            base = (x - block[0] * carry_x, y - block[1] * carry_y, z - block[2] * (z >= block[2]))


@pytest.mark.parametrize(
    ("grid", "block", "lmem", "cluster", "message"),
    [
        (0, 16, 0, 1, "grid dimension x is 0"),
        ((1, 0), 16, 0, 1, "grid dimension y is 0"),
        (1, 0, 0, 1, "block dimension x is 0"),
        (1, (4, 4, 0), 0, 1, "block dimension z is 0"),
        (1, 17, 0, 1, "17 threads: a core holds at most 16"),
        (1, (4, 4, 2), 0, 1, "block 4x4x2 has 32 threads"),
        (5, 4, 0, 2, "grid dimension x is 5: not a multiple of the cluster's 2"),
        (1, 4, 16385, 1, "local memory of 16385 bytes"),
        (1, 4, -1, 1, "local memory of -1 bytes"),
        (8, 4, 0, 8, "cluster 8x1x1 has 8 blocks"),
        (4, 4, 8192, 4, "has room for 2"),
        ((), 4, 0, 1, "grid has 0 dimensions"),
        ((1, 1, 1, 1), 4, 0, 1, "grid has 4 dimensions"),
        (1 << 32, 4, 0, 1, "whole number of 32 bits"),
        (-1, 4, 0, 1, "whole number of 32 bits"),
    ],
)
def test_rejections(grid: Dims, block: Dims, lmem: int, cluster: Dims, message: str) -> None:
    with pytest.raises(LaunchError, match=message) as caught:
        make_geometry(DEFAULT, grid, block, lmem, cluster)
    assert caught.value.code is ResultCode.INVALID_VALUE
    assert "\n" not in str(caught.value)


def test_fractions_are_no_dimensions() -> None:
    with pytest.raises(LaunchError, match="whole numbers"):
        make_geometry(DEFAULT, 1.5, 4)  # type: ignore[arg-type]


def test_cluster_of_zero_means_one() -> None:
    assert make_geometry(DEFAULT, 3, 4, cluster=(0, 0, 0)).cluster == (1, 1, 1)


def test_largest_legal_launches() -> None:
    assert make_geometry(DEFAULT, (0xFFFF_FFFF, 1, 1), 16, 16384).block_size == 16
    assert make_geometry(DEFAULT, 8, 4, cluster=4).cluster == (4, 1, 1)


def test_example_b7_slots() -> None:
    assert usable_slots(DEFAULT, 5000) == 3
    assert usable_slots(DEFAULT, 0) == 4
    assert usable_slots(DEFAULT, 16384) == 1


def test_max_occupancy() -> None:
    assert max_occupancy(DEFAULT, 256) == ((16, 1, 1), (16, 1, 1))
    assert max_occupancy(DEFAULT, 250) == ((16, 1, 1), (16, 1, 1))
    assert max_occupancy(DEFAULT, (10, 9)) == ((3, 3, 1), (4, 4, 1))


def test_addresses_above_4_gib_need_xlen_64() -> None:
    launch = _launch(16)
    high = Launch(**{**launch.__dict__, "kernel_entry": 1 << 32})
    with pytest.raises(LaunchError, match="above 4 GiB"):
        dcr_writes(high)
    assert dcr_writes(high, xlen=64)[4].value == 1
