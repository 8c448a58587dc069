"""The kernel management unit: launch registers and the walk over the grid (docs/reference/vortex.md §4.3, §5.1)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice

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
        self._walk: Iterator[tuple[Dim3, int]] = iter(())  # block index, number in its cluster
        self._head: tuple[Dim3, int] | None = None  # the block that is offered
        self._ahead: list[tuple[Dim3, int]] = []  # blocks that were taken and given back; they come before the walk
        self._ahead_at = 0
        self._steps: Dim3 = (1, 1, 1)  # cluster dimensions of the launch
        self._offered: CtaDescriptor | None = None  # its descriptor, made when somebody looks
        self._taken = 0
        self.shape: CtaDescriptor | None = None  # what all CTAs of the launch have in common

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
        self.shape = self._common()
        self._walk = walk(grid, cluster) if all(grid) and block_size else iter(())
        self._ahead, self._ahead_at, self._steps = [], 0, cluster
        self._head, self._offered, self._taken = next(self._walk, None), None, 0

    def peek(self) -> CtaDescriptor | None:
        """The CTA offered to the cores; None when all have been taken."""
        if self._offered is None and self._head is not None:
            self._offered = self._descriptor(*self._head, self._taken)
        return self._offered

    def take(self) -> CtaDescriptor:
        """Remove the offered CTA. Raises LookupError if there is none."""
        taken = self.peek()
        if taken is None:
            raise LookupError("no CTA is left in the grid")
        self._head, self._offered = self._next(), None
        self._taken += 1
        return taken

    def _next(self) -> tuple[Dim3, int] | None:
        if self._ahead_at < len(self._ahead):
            self._ahead_at += 1
            return self._ahead[self._ahead_at - 1]
        return next(self._walk, None)

    def take_blocks(self, count: int) -> list[tuple[Dim3, int]]:
        """Remove up to `count` CTAs at once: block index and number in its cluster of each."""
        if self._head is None:
            return []
        again = self._ahead[self._ahead_at : self._ahead_at + count - 1]
        self._ahead_at += len(again)
        taken = [self._head, *again, *islice(self._walk, count - 1 - len(again))]
        self._head, self._offered = self._next(), None
        self._taken += len(taken)
        return taken

    def give_back(self, blocks: Sequence[tuple[Dim3, int]]) -> None:
        """Undo the last `take_blocks` for its last blocks."""
        if not blocks:
            return
        behind = [] if self._head is None else [self._head]
        self._ahead = [*blocks[1:], *behind, *self._ahead[self._ahead_at :]]
        self._ahead_at = 0
        self._head, self._offered = blocks[0], None
        self._taken -= len(blocks)

    @property
    def taken(self) -> int:
        """CTAs taken since the start."""
        return self._taken

    def block_at(self, position: int) -> Dim3:
        """The block of which `position` says how many come before it."""
        shape = self.shape
        assert shape is not None
        count = [size // step for size, step in zip(shape.grid_dim, self._steps, strict=True)]
        cluster, member = divmod(position, shape.cluster_size)
        outer = (cluster % count[0], cluster // count[0] % count[1], cluster // count[0] // count[1])
        x, y, _ = self._steps
        inner = (member % x, member // x % y, member // x // y)
        at = [o * step + i for o, step, i in zip(outer, self._steps, inner, strict=True)]
        return at[0], at[1], at[2]

    def position(self, block: Dim3) -> int | None:
        """How many CTAs of the running grid come before this one; None if the grid has no such block."""
        shape = self.shape
        if shape is None or any(index >= size for index, size in zip(block, shape.grid_dim, strict=True)):
            return None
        cluster, size = self._steps, shape.cluster_size
        outer = [index // step for index, step in zip(block, cluster, strict=True)]
        count = [size // step for size, step in zip(shape.grid_dim, cluster, strict=True)]
        inner = [index % step for index, step in zip(block, cluster, strict=True)]
        clusters = (outer[2] * count[1] + outer[1]) * count[0] + outer[0]
        return clusters * size + (inner[2] * cluster[1] + inner[1]) * cluster[0] + inner[0]

    # ------------------------------------------------------------------ descriptors

    def _common(self) -> CtaDescriptor:
        """Descriptor of the launch, as the registers are at its start; the place in the grid is that of CTA 0."""
        cluster = self._cluster()
        cluster_size = cluster[0] * cluster[1] * cluster[2]
        startup, entry, param = (self._address(base) for base in (STARTUP_ADDR, KERNEL_ENTRY, STARTUP_ARG))
        return CtaDescriptor(
            pc=startup,
            entry=entry,
            param=param,
            block_idx=(0, 0, 0),
            block_dim=self._dims(BLOCK_DIM),
            grid_dim=self._dims(GRID_DIM),
            block_size=self._registers[BLOCK_SIZE],
            warp_step=self._dims(WARP_STEP),
            lmem_stride=(self._registers[LMEM_SIZE] + 63) & ~63,
            cluster_size=cluster_size,
            first_of_cluster=True,
            last_of_cluster=cluster_size == 1,
            cta_id=0,
        )

    def _descriptor(self, block_idx: Dim3, member: int, cta_id: int) -> CtaDescriptor:
        shape = self.shape
        assert shape is not None
        last = member == shape.cluster_size - 1
        return replace(
            shape, block_idx=block_idx, first_of_cluster=member == 0, last_of_cluster=last, cta_id=cta_id
        )  # fmt: skip

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
