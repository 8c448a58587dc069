"""Options that commands share, and the machine that they describe."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from config import ConfigError, EntryGeneration, HardwareConfig
from golden_model.arguments import ARGUMENT_HELP, ArgumentError, Buffer, Placed, Value, parse, place
from golden_model.cli.app import refuse
from golden_model.console import Console
from golden_model.errors import LaunchError
from golden_model.launch import Launch, entry_points, legacy_launch
from golden_model.machine import Machine
from sw.kernel.vxbin import Generation, MemoryLayout, Vxbin, VxbinError, detect_generation, load

ImagePath = Annotated[Path, typer.Argument(help="kernel image (.vxbin)")]
Kernel = Annotated[str, typer.Option(help="name of the kernel")]
Grid = Annotated[str, typer.Option(help="blocks: X or X,Y,Z")]
Block = Annotated[str, typer.Option(help="threads of a block: X or X,Y,Z")]
Cluster = Annotated[str, typer.Option(help="blocks of a cluster: X or X,Y,Z")]
Lmem = Annotated[int, typer.Option(help="bytes of local memory of a block")]
Arg = Annotated[list[str] | None, typer.Option(help=ARGUMENT_HELP)]
Entry = Annotated[EntryGeneration | None, typer.Option(help="entry generation (default: as the code says)")]
Clusters = Annotated[int, typer.Option(help="clusters of the processor")]
Cores = Annotated[int, typer.Option(help="cores of a cluster")]
Warps = Annotated[int, typer.Option(help="warps of a core")]
Threads = Annotated[int, typer.Option(help="lanes of a warp")]
Seed = Annotated[int | None, typer.Option(help="order of warps and cores at random, from this seed")]
MaxInstructions = Annotated[int, typer.Option(help="give up after this many warp instructions")]
Tier = Annotated[str, typer.Option(help="fast (compiled) or readable; results are the same")]
Full = Annotated[bool, typer.Option(help="a processor with A and the whole Vortex extension")]


@dataclass(frozen=True)
class Wish:
    """A launch as the command line states it."""

    image: Path
    kernel: str
    grid: str
    block: str
    cluster: str
    lmem: int
    arg: list[str]
    entry: EntryGeneration | None
    clusters: int
    cores: int
    warps: int
    threads: int
    tier: str
    full: bool


@dataclass
class Prepared:
    """A machine with everything loaded, not yet launched."""

    machine: Machine
    launch: Launch
    placed: Placed
    console: Console

    @property
    def blocks(self) -> int:
        x, y, z = self.launch.grid
        return x * y * z


def prepare(wish: Wish) -> Prepared:
    """Load and place everything; refuses bad input with a sentence."""
    if wish.tier not in ("fast", "readable"):
        refuse(f"--tier {wish.tier}: must be fast or readable")
    config = config_of(wish)
    try:
        arguments: list[Value | Buffer] = [parse(text) for text in wish.arg]
    except ArgumentError as error:
        refuse(error)
    module = load_image(wish.image, config)
    if wish.kernel not in module.kernels:
        refuse(f"{wish.image} has no kernel {wish.kernel!r}; it has: {', '.join(module.kernels) or 'none'}")
    generation = wish.entry or generation_of(module)
    machine = Machine(config, generation, tier="fast" if wish.tier == "fast" else "readable")
    machine.load_image(module)
    console = Console(machine.read, machine.write)
    console.open()
    placed = place(machine, arguments)
    return Prepared(machine, _launch(wish, module, generation, placed.args_addr, config), placed, console)


def _launch(wish: Wish, module: Vxbin, generation: EntryGeneration, args_addr: int, config: HardwareConfig) -> Launch:
    grid, block, cluster = (
        dims(f"--{name}", getattr(wish, name)) for name in ("grid", "block", "cluster")
    )  # fmt: skip
    if wish.entry is None and detect_generation(module) is Generation.LEGACY:
        if (grid, block, cluster, wish.lmem) != ((1, 1, 1),) * 3 + (0,):
            refuse(f"{wish.image} divides its work itself (legacy library): leave out the shape of the launch")
        try:
            return legacy_launch(module, args_addr, config)
        except LaunchError as error:
            refuse(f"{wish.image}: {error}")
    startup_pc, kernel_pc = entry_points(module, wish.kernel, generation)
    return Launch(kernel_pc, startup_pc, args_addr, grid, block, wish.lmem, cluster)


def config_of(wish: Wish) -> HardwareConfig:
    """The processor that the options describe; refuses one that cannot be."""
    try:
        return HardwareConfig(
            num_clusters=wish.clusters,
            num_cores=wish.cores,
            num_warps=wish.warps,
            num_threads=wish.threads,
            ext_a=wish.full,
            ext_simt_full=wish.full,
            ext_packed=wish.full,
        )
    except ConfigError as error:
        refuse(error)


def load_image(path: Path, config: HardwareConfig) -> Vxbin:
    """Read a .vxbin; refuses a bad one."""
    layout = MemoryLayout(
        xlen=config.xlen,
        harts=config.total_harts,
        stack_base=config.stack_base_addr,
        stack_log2_size=config.stack_log2_size,
        lmem_log_size=config.lmem_log_size,
    )
    try:
        return load(path, layout=layout)
    except VxbinError as error:
        refuse(f"{path}: {error}")


def generation_of(module: Vxbin) -> EntryGeneration:
    """The entry generation that the code of an image shows; any for a legacy image, which has no dispatch window."""
    found = detect_generation(module)
    no_window = (Generation.UNKNOWN, Generation.LEGACY)
    return EntryGeneration.CTA_ENTRY if found in no_window else EntryGeneration(found.value)


def dims(option: str, text: str) -> tuple[int, int, int]:
    """Up to three whole numbers; those left out are 1."""
    try:
        values = [int(part, 0) for part in text.replace("x", ",").split(",")]
    except ValueError:
        values = []
    if not 1 <= len(values) <= 3:
        refuse(f"{option} {text}: write one to three whole numbers, as in 16 or 4,2 or 4x2x1")
    x, y, z = [*values, 1, 1][:3]
    return x, y, z
