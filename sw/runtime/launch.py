"""From grid and block dimensions to the values of the KMU's registers, with everything refused that must not run.

Formulas: docs/reference/vortex.md §8.3; register numbers: §4.3; rejections: §4.6.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass

from config import HardwareConfig
from sw.runtime.errors import LaunchError
from sw.runtime.messages import DcrWrite, Launch

Dim3 = tuple[int, int, int]
Dims = int | Sequence[int]

DCR_REWIND = 0x030  # private to the in-tree core: bytes from the end of the dispatch window back to its start
DCR_STARTUP_ADDR0 = 0x010
_U32 = 0xFFFF_FFFF


@dataclass(frozen=True)
class Geometry:
    """Checked geometry of one launch, as the KMU takes it."""

    grid: Dim3
    block: Dim3
    block_size: int
    warp_step: Dim3
    lmem_size: int
    cluster: Dim3

    @property
    def ctas(self) -> int:
        return self.grid[0] * self.grid[1] * self.grid[2]

    def warps(self, num_threads: int) -> int:
        """Warps of the whole grid on lanes of `num_threads`."""
        return self.ctas * -(-self.block_size // num_threads)


def warp_step(block: Sequence[int], num_threads: int) -> Dim3:
    """Index increment from one warp of a block to the next; `len(block)` is ndim (axes beyond it step by 0)."""
    ndim = len(block)
    step_x = num_threads % block[0]
    step_y = (num_threads // block[0]) % block[1] if ndim >= 2 else 0
    step_z = (num_threads // (block[0] * block[1])) % block[2] if ndim >= 3 else 0
    return step_x, step_y, step_z


def make_geometry(hardware: HardwareConfig, grid: Dims, block: Dims, lmem_size: int = 0, cluster: Dims = 1) -> Geometry:
    """Check a launch against the hardware and derive the remaining register values.

    Args:
        grid: CTAs per axis; one to three dimensions, an int means one.
        block: threads per CTA per axis; axes missing in one of `grid` and `block` are 1.
        lmem_size: bytes of local memory per CTA.
        cluster: CTAs per cluster per axis; 0 means 1.

    Raises:
        LaunchError: one sentence that names the value and the limit.
    """
    grid_axes, block_axes, cluster_axes = _axes("grid", grid), _axes("block", block), _axes("cluster", cluster)
    ndim = max(len(grid_axes), len(block_axes))
    grid3, block3 = _three(grid_axes), _three(block_axes)
    cluster3 = _three([max(1, axis) for axis in cluster_axes])

    for name, dims in (("grid", grid3), ("block", block3)):
        for axis, value in zip("xyz", dims, strict=True):
            if value == 0:
                raise LaunchError(
                    f"{name} dimension {axis} is 0: a launch needs at least one {_UNIT[name]} on every axis"
                )
    block_size = block3[0] * block3[1] * block3[2]
    if block_size > hardware.core_threads:
        raise LaunchError(
            f"block {_shape(block3)} has {block_size} threads: a core holds at most {hardware.core_threads} "
            f"({hardware.num_warps} warps of {hardware.num_threads} threads)"
        )
    for axis, blocks, members in zip("xyz", grid3, cluster3, strict=True):
        if blocks % members:
            raise LaunchError(
                f"grid dimension {axis} is {blocks}: not a multiple of the cluster's {members} blocks on that axis"
            )
    if not 0 <= lmem_size <= hardware.lmem_size:
        raise LaunchError(f"local memory of {lmem_size} bytes per block: a core has {hardware.lmem_size} bytes")
    members = cluster3[0] * cluster3[1] * cluster3[2]
    slots = usable_slots(hardware, lmem_size)
    if members > slots:
        raise LaunchError(
            f"cluster {_shape(cluster3)} has {members} blocks: they must be resident on one core, "
            f"which has room for {slots} (with {lmem_size} bytes of local memory each)"
        )
    step = warp_step(block3[:ndim], hardware.num_threads)
    return Geometry(grid3, block3, block_size, step, lmem_size, cluster3)


def usable_slots(hardware: HardwareConfig, lmem_size: int) -> int:
    """CTA slots of a core that can be used at once with `lmem_size` bytes each (docs/reference/vortex.md §5.3)."""
    stride = (lmem_size + 63) // 64 * 64
    return hardware.num_warps if stride == 0 else max(1, min(hardware.num_warps, hardware.lmem_size // stride))


def max_occupancy(hardware: HardwareConfig, threads: Dims) -> tuple[Dim3, Dim3]:
    """Grid and block of the largest occupancy for a global size: (grid, block), docs/reference/vortex.md §8.2."""
    sizes = _axes("global size", threads)
    if len(sizes) == 1:
        block: Dim3 = (hardware.core_threads, 1, 1)
    else:
        block = (hardware.num_threads, hardware.num_warps, 1)
    total = _three(sizes)
    grid = tuple(-(-size // width) for size, width in zip(total, block, strict=True))
    return (grid[0], grid[1], grid[2]), block


def dcr_writes(launch: Launch, xlen: int = 32) -> list[DcrWrite]:
    """Register writes of one launch in the host's order (docs/reference/vortex.md §4.7); all precede `start`.

    The private rewind register comes first. Upper halves of addresses are 0 at XLEN 32.
    """
    values = [
        launch.startup_addr & _U32,
        launch.startup_addr >> 32,
        launch.kernel_entry & _U32,
        launch.kernel_entry >> 32,
        launch.arg_addr & _U32,
        launch.arg_addr >> 32,
        *launch.block,
        *launch.grid,
        launch.lmem_size,
        launch.block_size,
        *launch.warp_step,
        *launch.cluster,
    ]
    if xlen == 32 and any(values[index] for index in (1, 3, 5)):
        raise LaunchError(f"launch {launch.launch_id} of {launch.kernel}: an address is above 4 GiB at XLEN 32")
    writes = [DcrWrite(DCR_STARTUP_ADDR0 + offset, value) for offset, value in enumerate(values)]
    return [DcrWrite(DCR_REWIND, launch.rewind), *writes]


_UNIT = {"grid": "block", "block": "thread"}


def _axes(name: str, dims: Dims) -> list[int]:
    try:
        axes = [operator.index(axis) for axis in (dims if isinstance(dims, Sequence) else [dims])]
    except TypeError as error:
        raise LaunchError(f"{name} {dims!r}: dimensions must be whole numbers") from error
    if not 1 <= len(axes) <= 3:
        raise LaunchError(f"{name} has {len(axes)} dimensions: one to three are possible")
    for axis in axes:
        if not 0 <= axis <= _U32:
            raise LaunchError(f"{name} dimension {axis}: must be a whole number of 32 bits")
    return axes


def _three(axes: Sequence[int]) -> Dim3:
    padded = [*axes, 1, 1]
    return padded[0], padded[1], padded[2]


def _shape(dims: Dim3) -> str:
    return "x".join(str(axis) for axis in dims)
