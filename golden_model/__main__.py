"""`python -m golden_model run|disasm`: run a kernel image on the golden model alone, or show its code.

Exit status: 0 clean, 1 findings, faults or a hang, 2 bad input.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from config import ConfigError, EntryGeneration, HardwareConfig
from golden_model.arguments import ARGUMENT_HELP, ArgumentError, Placed, parse, place
from golden_model.bench import compare_tiers
from golden_model.console import Console
from golden_model.errors import HangError, LaunchError, LimitError
from golden_model.launch import Launch, entry_points
from golden_model.machine import Machine
from golden_model.report import counts, dump, findings, listing
from sw.kernel.vxbin import Generation, MemoryLayout, Vxbin, VxbinError, detect_generation, load

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False)


def _refuse(sentence: object) -> NoReturn:
    typer.echo(f"golden_model: {sentence}", err=True)
    raise typer.Exit(2)


def _load(path: Path, config: HardwareConfig) -> Vxbin:
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
        _refuse(f"{path}: {error}")


def _generation(module: Vxbin, path: Path) -> EntryGeneration:
    found = detect_generation(module)
    if found is Generation.LEGACY:
        _refuse(f"{path} starts its warps with WSPAWN (legacy library), which the model does not implement")
    return EntryGeneration.CTA_ENTRY if found is Generation.UNKNOWN else EntryGeneration(found.value)


def _dims(option: str, text: str) -> tuple[int, int, int]:
    try:
        values = [int(part, 0) for part in text.replace("x", ",").split(",")]
    except ValueError:
        values = []
    if not 1 <= len(values) <= 3:
        _refuse(f"{option} {text}: write one to three whole numbers, as in 16 or 4,2 or 4x2x1")
    x, y, z = [*values, 1, 1][:3]
    return x, y, z


def _outputs(texts: list[str], placed: Placed) -> list[tuple[int, Path]]:
    outputs = []
    for text in texts:
        number, separator, name = text.partition(":")
        if not separator or not name or not number.isdecimal():
            _refuse(f"--out {text}: write N:FILE, where N is the number of a buffer argument, counted from 0")
        _check_buffer("--out", int(number), placed)
        outputs.append((int(number), Path(name)))
    return outputs


def _check_buffer(option: str, number: int, placed: Placed) -> None:
    if number not in placed.buffers:
        known = ", ".join(map(str, placed.buffers)) or "none"
        _refuse(f"{option} {number}: argument {number} is no buffer (buffers: {known})")


@app.command()
def run(
    image: Annotated[Path, typer.Argument(help="kernel image (.vxbin)")],
    kernel: Annotated[str, typer.Option(help="name of the kernel")] = "main",
    grid: Annotated[str, typer.Option(help="blocks: X or X,Y,Z")] = "1",
    block: Annotated[str, typer.Option(help="threads of a block: X or X,Y,Z")] = "1",
    cluster: Annotated[str, typer.Option(help="blocks of a cluster: X or X,Y,Z")] = "1",
    lmem: Annotated[int, typer.Option(help="bytes of local memory of a block")] = 0,
    arg: Annotated[list[str] | None, typer.Option(help=ARGUMENT_HELP)] = None,
    out: Annotated[list[str] | None, typer.Option(help="N:FILE, write buffer argument N to a file afterwards")] = None,
    dump_buffer: Annotated[list[int] | None, typer.Option("--dump", help="print buffer argument N as words")] = None,
    entry: Annotated[EntryGeneration | None, typer.Option(help="entry generation (default: as the code says)")] = None,
    clusters: Annotated[int, typer.Option(help="clusters of the processor")] = 1,
    cores: Annotated[int, typer.Option(help="cores of a cluster")] = 1,
    warps: Annotated[int, typer.Option(help="warps of a core")] = 4,
    threads: Annotated[int, typer.Option(help="lanes of a warp")] = 4,
    seed: Annotated[int | None, typer.Option(help="order of warps and cores at random, from this seed")] = None,
    max_instructions: Annotated[int, typer.Option(help="give up after this many warp instructions")] = 1_000_000_000,
    tier: Annotated[str, typer.Option(help="fast (compiled) or readable; results are the same")] = "fast",
    full: Annotated[bool, typer.Option(help="a processor with A, F and the whole Vortex extension")] = False,
) -> None:
    """Run one launch of a kernel and print counts, findings and results."""
    if tier not in ("fast", "readable"):
        _refuse(f"--tier {tier}: must be fast or readable")
    try:
        config = HardwareConfig(
            num_clusters=clusters,
            num_cores=cores,
            num_warps=warps,
            num_threads=threads,
            ext_a=full,
            ext_f=full,
            ext_simt_full=full,
        )
        arguments = [parse(text) for text in arg or []]
    except (ConfigError, ArgumentError) as error:
        _refuse(error)
    module = _load(image, config)
    if kernel not in module.kernels:
        _refuse(f"{image} has no kernel {kernel!r}; it has: {', '.join(module.kernels) or 'none'}")
    generation = entry or _generation(module, image)
    machine = Machine(config, generation, tier="fast" if tier == "fast" else "readable")
    machine.load_image(module)
    console = Console(machine.read, machine.write)
    console.open()
    placed = place(machine, arguments)
    outputs = _outputs(out or [], placed)
    for number in dump_buffer or []:
        _check_buffer("--dump", number, placed)
    startup_pc, kernel_pc = entry_points(module, kernel, generation)
    launch = Launch(
        kernel_pc=kernel_pc,
        startup_pc=startup_pc,
        args_addr=placed.args_addr,
        grid=_dims("--grid", grid),
        block=_dims("--block", block),
        lmem=lmem,
        cluster=_dims("--cluster", cluster),
    )
    began = time.perf_counter()
    failure = ""
    try:
        machine.launch(launch)
        typer.echo(counts(kernel, machine.run(max_instructions, seed), time.perf_counter() - began))
    except LaunchError as error:
        _refuse(error)
    except (HangError, LimitError) as error:
        failure = str(error)
    if machine.tier_note:
        typer.echo(f"note: {machine.tier_note}", err=True)
    for line in [*console.drain(), *console.unfinished()]:
        typer.echo(line)
    for number in dump_buffer or []:
        typer.echo(dump(number, placed.buffers[number][0], machine.read(*placed.buffers[number])))
    for number, path in outputs:
        try:
            path.write_bytes(machine.read(*placed.buffers[number]))
        except OSError as error:
            _refuse(f"--out {number}:{path}: the file cannot be written: {error.strerror}")
    for line in findings(machine):
        typer.echo(line)
    if failure:
        typer.echo(f"hang: {failure}")
    if failure or machine.findings:
        raise typer.Exit(1)


@app.command()
def bench(
    lanes: Annotated[list[int] | None, typer.Option(help="lanes of a warp")] = None,
    seconds: Annotated[float, typer.Option(help="aim at about this long per figure")] = 1.0,
) -> None:
    """Warp instructions a second of both tiers on small kernels, and their ratio.

    `python -m tests.unit.golden_bench` does the same with the compiled test kernels and their host programs.
    """
    for line in compare_tiers(lanes or [4, 32], seconds):
        typer.echo(line)


@app.command()
def disasm(
    image: Annotated[Path, typer.Argument(help="kernel image (.vxbin)")],
    kernel: Annotated[str | None, typer.Option(help="begin at this kernel")] = None,
    count: Annotated[int | None, typer.Option(help="number of words")] = None,
    xlen: Annotated[int, typer.Option(help="32 or 64")] = 32,
) -> None:
    """Disassemble an image; kernels are labelled. Data among the code shows as `.word`."""
    try:
        config = HardwareConfig(xlen=xlen)
    except ConfigError as error:
        _refuse(error)
    module = _load(image, config)
    if kernel is not None and kernel not in module.kernels:
        _refuse(f"{image} has no kernel {kernel!r}; it has: {', '.join(module.kernels) or 'none'}")
    start = module.kernels[kernel] if kernel is not None else module.min_vma
    for line in listing(module.image, module.min_vma, module.kernels, start, count, xlen):
        typer.echo(line)


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]
    app()
