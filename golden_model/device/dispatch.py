"""From the launch registers to a launch: every refusal, derived values, DCR writes (docs/reference/pcie_bar.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum

from config import HardwareConfig
from golden_model import kmu
from golden_model.cta import Dim3
from golden_model.device.config import VORTEX_MODE_FLAG
from golden_model.device.registers import WORD
from golden_model.device.release import Release
from golden_model.launch import usable_slots, warp_step


class DispatchProblem(Enum):
    """Why DISPATCH is refused before the device is BUSY; the value is the sentence."""

    DISABLED = "ENABLE is 0"
    BUSY = "a launch is running"
    ZERO_GRID = "a grid dimension is 0"
    ZERO_BLOCK = "a block dimension is 0"
    TOO_MANY_THREADS = "the block has more threads than a core"
    TOO_MUCH_LMEM = "the block wants more local memory than a core has"
    ENTRY_MISALIGNED = "KERNEL_ADDR is no multiple of 4"
    STARTUP_MISALIGNED = "STARTUP_ADDR is no multiple of 4"
    ARGS_MISALIGNED = "KERNEL_ARGS is no multiple of 4"
    ADDRESS_TOO_WIDE = "an address has bits above XLEN set"
    GRID_NOT_WHOLE_CLUSTERS = "a grid dimension is no multiple of the cluster's"
    CLUSTER_TOO_LARGE = "a core has no room for all blocks of a cluster at a time"


@dataclass(frozen=True, slots=True)
class LaunchRequest:
    """The launch registers as DISPATCH samples them. Dims in blocks (grid, cluster; 0 is 1) and threads (block)."""

    vortex_mode: bool
    kernel: int
    startup: int
    args: int
    grid: Dim3
    block: Dim3
    cluster: Dim3
    lmem: int
    max_cycles: int
    release: Release | None

    @classmethod
    def sample(cls, values: Mapping[str, int]) -> LaunchRequest:
        """From register values by name."""

        def wide(name: str) -> int:
            return values[f"{name}_HI"] << 32 | values[f"{name}_LO"]

        def dims(name: str) -> Dim3:
            return values[f"{name}_X"], values[f"{name}_Y"], values[f"{name}_Z"]

        address = wide("KERNEL_ADDR")
        kernel = address & ~VORTEX_MODE_FLAG
        x, y, z = dims("CLUSTER_DIM")
        return cls(
            vortex_mode=bool(address & VORTEX_MODE_FLAG),
            kernel=kernel,
            startup=wide("STARTUP_ADDR") or kernel,
            args=wide("KERNEL_ARGS"),
            grid=dims("GRID_DIM"),
            block=dims("BLOCK_DIM"),
            cluster=(x or 1, y or 1, z or 1),
            lmem=values["SHARED_MEM_SIZE"],
            max_cycles=wide("MAX_CYCLES"),
            release=Release.sample(wide("RELEASE_ADDR"), wide("RELEASE_PAYLOAD"), values["RELEASE_CTRL"]),
        )

    def problems(self, hardware: HardwareConfig) -> Iterator[DispatchProblem]:
        """Every reason, in a fixed order, why no core may see this launch. Products are taken at full width."""
        addresses = (self.kernel, self.startup, self.args)
        rules = (
            (DispatchProblem.ZERO_GRID, 0 in self.grid),
            (DispatchProblem.ZERO_BLOCK, 0 in self.block),
            (DispatchProblem.TOO_MANY_THREADS, math.prod(self.block) > hardware.core_threads),
            (DispatchProblem.TOO_MUCH_LMEM, self.lmem > hardware.lmem_size),
            (DispatchProblem.ENTRY_MISALIGNED, self.kernel % 4 != 0),
            (DispatchProblem.STARTUP_MISALIGNED, self.startup % 4 != 0),
            (DispatchProblem.ARGS_MISALIGNED, self.args % 4 != 0),
            (DispatchProblem.ADDRESS_TOO_WIDE, any(address >> hardware.xlen for address in addresses)),
            (
                DispatchProblem.GRID_NOT_WHOLE_CLUSTERS,
                any(blocks % step for blocks, step in zip(self.grid, self.cluster, strict=True)),
            ),
            (
                DispatchProblem.CLUSTER_TOO_LARGE,
                self.lmem <= hardware.lmem_size and math.prod(self.cluster) > usable_slots(self.lmem, hardware),
            ),
        )
        return (problem for problem, broken in rules if broken)

    def dcr_writes(self, hardware: HardwareConfig) -> list[tuple[int, int]]:
        """(address, value) of every DCR that the device writes before `start`; the window size is the host's."""
        step = warp_step(self.block, hardware.num_threads)
        halves = ((kmu.STARTUP_ADDR, self.startup), (kmu.KERNEL_ENTRY, self.kernel), (kmu.STARTUP_ARG, self.args))
        dims = (
            (kmu.BLOCK_DIM, self.block),
            (kmu.GRID_DIM, self.grid),
            (kmu.WARP_STEP, step),
            (kmu.CLUSTER_DIM, self.cluster),
        )
        return [
            *((base + half, address >> 32 * half & WORD) for base, address in halves for half in range(2)),
            *((base + axis, value) for base, values in dims for axis, value in enumerate(values)),
            (kmu.LMEM_SIZE, self.lmem),
            (kmu.BLOCK_SIZE, math.prod(self.block)),
        ]
