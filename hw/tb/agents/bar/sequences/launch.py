"""Launches of tiny kernels, in raw mode and in Vortex mode."""

from __future__ import annotations

from dataclasses import dataclass

from golden_model.device import TABLE_BASE, VORTEX_MODE_FLAG, encode_table
from golden_model.device.sequences import layout
from golden_model.device.sequences.programs import Program, code, place
from hw.tb.agents.bar.agent import BarAgent
from hw.tb.agents.bar.sequences.base import BarSequence


@dataclass(frozen=True)
class TinyLaunch:
    """One launch of one of the programs for command sequences, one thread a block."""

    program: Program
    vortex: bool = True
    grid: tuple[int, int, int] = (1, 1, 1)
    block: tuple[int, int, int] = (1, 1, 1)
    max_cycles: int = 0
    broken_table: bytes = b""  # instead of the good one

    @property
    def kernel(self) -> int:
        """KERNEL_ADDR without the flag."""
        return place(self.program, layout.CODE_VMA if self.vortex else layout.RAW_CODE_OFFSET)[1]

    @property
    def args(self) -> int:
        """KERNEL_ARGS."""
        return layout.ARGS_VMA if self.vortex else layout.RAW_ARGS

    @property
    def args_offset(self) -> int:
        """Where the argument block is in VRAM."""
        return layout.ARGS_OFFSET if self.vortex else layout.RAW_ARGS


class Stage(BarSequence):
    """Code, table and every launch register; DISPATCH is left to the caller."""

    def __init__(self, agent: BarAgent, launch: TinyLaunch) -> None:
        super().__init__(agent, name="stage")
        self._launch = launch

    async def body(self) -> None:
        launch, image = self._launch, code()
        await self.vram_write(layout.CODE_OFFSET if launch.vortex else layout.RAW_CODE_OFFSET, image)
        if launch.vortex:
            await self.vram_write(TABLE_BASE, launch.broken_table or encode_table(layout.good_table(len(image))))
        base = layout.CODE_VMA if launch.vortex else layout.RAW_CODE_OFFSET
        startup, kernel = place(launch.program, base)
        await self.write_wide("KERNEL_ADDR", kernel | (VORTEX_MODE_FLAG if launch.vortex else 0))
        await self.write_wide("STARTUP_ADDR", startup)
        await self.write_wide("KERNEL_ARGS", launch.args)
        await self.write_wide("MAX_CYCLES", launch.max_cycles)
        await self.write("SHARED_MEM_SIZE", 0)
        for axis, grid, block in zip("XYZ", launch.grid, launch.block, strict=True):
            await self.write(f"GRID_DIM_{axis}", grid)
            await self.write(f"BLOCK_DIM_{axis}", block)
            await self.write(f"CLUSTER_DIM_{axis}", 0)


class Launch(BarSequence):
    """Stage, DISPATCH, and (unless `wait` is off) poll until BUSY clears; `status` is GLOBAL_STATUS then."""

    def __init__(self, agent: BarAgent, launch: TinyLaunch, wait: bool = True) -> None:
        super().__init__(agent, name="launch")
        self.launch, self._wait = launch, wait
        self.status = 0

    async def body(self) -> None:
        await self.run(Stage(self.agent, self.launch))
        await self.write("DISPATCH", 1)
        if self._wait:
            self.status = await self.until_idle()
