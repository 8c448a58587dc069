"""The kernel management unit: launch registers and the walk over the grid (docs/reference/vortex.md §4.3, §5.1)."""

from __future__ import annotations

from collections.abc import Iterator

from config import HardwareConfig
from golden_model.cta import CtaDescriptor, Dim3
from golden_model.errors import LaunchError

STARTUP_ADDR = 0x010
KERNEL_ENTRY = 0x012
STARTUP_ARG = 0x014
BLOCK_DIM = 0x016
GRID_DIM = 0x019
LMEM_SIZE = 0x01C
BLOCK_SIZE = 0x01D
WARP_STEP = 0x01E
CLUSTER_DIM = 0x021
END = 0x024
REWIND = 0x030  # private: size of the dispatch window

REWINDS = (12, 16, 20)


class Kmu:
    """Launch registers, stored at the hardware's widths, and the CTA that is offered next.

    Registers have no reset value: `start` refuses geometry that was never written. Entry and argument may be left
    unwritten by images that do not read them; they count as 0.
    """

    def __init__(self, config: HardwareConfig) -> None:
        self._config = config
        self._widths = _stored_widths(config)
        self._registers: dict[int, int] = {}
        self.rewind = 20
        self._walk: Iterator[CtaDescriptor] = iter(())
        self._next: CtaDescriptor | None = None

    def write(self, addr: int, value: int) -> None:
        """Write a register; bits above its width are dropped, unknown addresses ignored.

        Raises LaunchError if the dispatch window is set to a size that no entry generation has.
        """
        if addr == REWIND:
            if value not in REWINDS:
                raise LaunchError(f"DCR {REWIND:#05x} (dispatch window size) must be 12, 16 or 20, got {value}")
            self.rewind = value
        elif addr in self._widths:
            self._registers[addr] = value & ((1 << self._widths[addr]) - 1)

    def read(self, addr: int) -> int | None:
        """Stored value of a launch register, None if it was never written."""
        return self._registers.get(addr)

    def start(self) -> None:
        """Begin the walk. A grid with a zero dimension, or an empty block, completes at once.

        Raises LaunchError for registers never written and for walks that would never end.
        """
        missing = [addr for addr in (STARTUP_ADDR, *range(BLOCK_DIM, END)) if addr not in self._registers]
        if missing:
            names = ", ".join(f"{addr:#05x}" for addr in missing)
            raise LaunchError(f"start without having written the launch registers {names}: they have no reset value")
        grid, cluster = self._dims(GRID_DIM), self._cluster()
        block_size, capacity = self._registers[BLOCK_SIZE], self._config.core_threads
        if block_size > capacity:
            raise LaunchError(f"a block of {block_size} threads never starts: a core has {capacity} lanes in all")
        for axis, size, step in zip("xyz", grid, cluster, strict=True):
            if size % step:
                raise LaunchError(f"the walk never ends: grid {axis}={size} is no multiple of cluster {axis}={step}")
        self._walk = self._descriptors() if all(grid) and block_size else iter(())
        self._next = next(self._walk, None)

    def peek(self) -> CtaDescriptor | None:
        """The CTA offered to the cores; None when all have been taken."""
        return self._next

    def take(self) -> CtaDescriptor:
        """Remove the offered CTA. Raises LookupError if there is none."""
        taken = self._next
        if taken is None:
            raise LookupError("no CTA is left in the grid")
        self._next = next(self._walk, None)
        return taken

    # ------------------------------------------------------------------ the walk

    def _descriptors(self) -> Iterator[CtaDescriptor]:
        """CTA descriptors in order: clusters x fastest, inside a cluster x fastest."""
        grid, cluster = self._dims(GRID_DIM), self._cluster()
        cluster_size = cluster[0] * cluster[1] * cluster[2]
        startup, entry, param = (self._address(base) for base in (STARTUP_ADDR, KERNEL_ENTRY, STARTUP_ARG))
        block_dim, warp_step = self._dims(BLOCK_DIM), self._dims(WARP_STEP)
        block_size = self._registers[BLOCK_SIZE]
        lmem_stride = (self._registers[LMEM_SIZE] + 63) & ~63
        for cta_id, (block_idx, member) in enumerate(walk(grid, cluster)):
            yield CtaDescriptor(
                pc=startup,
                entry=entry,
                param=param,
                block_idx=block_idx,
                block_dim=block_dim,
                grid_dim=grid,
                block_size=block_size,
                warp_step=warp_step,
                lmem_stride=lmem_stride,
                cluster_size=cluster_size,
                first_of_cluster=member == 0,
                last_of_cluster=member == cluster_size - 1,
                cta_id=cta_id,
            )

    def _dims(self, base: int) -> Dim3:
        return self._registers[base], self._registers[base + 1], self._registers[base + 2]

    def _cluster(self) -> Dim3:
        x, y, z = self._dims(CLUSTER_DIM)
        return max(1, x), max(1, y), max(1, z)

    def _address(self, base: int) -> int:
        low, high = self._registers.get(base, 0), self._registers.get(base + 1, 0)
        return low if self._config.xlen == 32 else high << 32 | low


def walk(grid: Dim3, cluster: Dim3) -> Iterator[tuple[Dim3, int]]:
    """Block indices in launch order, each with its number inside its cluster."""
    for oz in range(0, grid[2], cluster[2]):
        for oy in range(0, grid[1], cluster[1]):
            for ox in range(0, grid[0], cluster[0]):
                member = 0
                for iz in range(cluster[2]):
                    for iy in range(cluster[1]):
                        for ix in range(cluster[0]):
                            yield (ox + ix, oy + iy, oz + iz), member
                            member += 1


def _stored_widths(config: HardwareConfig) -> dict[int, int]:
    """Bits that each launch register keeps."""
    tid = config.cta_tid_width
    warps = max(1, config.num_warps.bit_length() - 1)
    widths = dict.fromkeys(range(STARTUP_ADDR, BLOCK_DIM), 32)
    widths |= dict.fromkeys(range(BLOCK_DIM, GRID_DIM), tid + 1)
    widths |= dict.fromkeys(range(GRID_DIM, LMEM_SIZE), 32)
    widths[LMEM_SIZE] = config.lmem_log_size + 1
    widths[BLOCK_SIZE] = tid + 1
    widths |= dict.fromkeys(range(WARP_STEP, CLUSTER_DIM), tid)
    return widths | dict.fromkeys(range(CLUSTER_DIM, END), warps + 1)
