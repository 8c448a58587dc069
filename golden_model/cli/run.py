"""`run`: one launch of a kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from golden_model.arguments import Placed
from golden_model.cli import options as o
from golden_model.cli.app import app, refuse
from golden_model.cli.execution import conclude, execute, print_console
from golden_model.diagnosis import EXTRA, attach, sources_of
from golden_model.report import dump

CHECK_HELP = f"look for more: all, or some of {', '.join(sorted(check.value for check in EXTRA))} (docs/diagnosis.md)"


@app.command()
def run(
    image: o.ImagePath,
    kernel: o.Kernel = "main",
    grid: o.Grid = "1",
    block: o.Block = "1",
    cluster: o.Cluster = "1",
    lmem: o.Lmem = 0,
    arg: o.Arg = None,
    out: Annotated[list[str] | None, typer.Option(help="N:FILE, write buffer argument N to a file afterwards")] = None,
    dump_buffer: Annotated[list[int] | None, typer.Option("--dump", help="print buffer argument N as words")] = None,
    entry: o.Entry = None,
    clusters: o.Clusters = 1,
    cores: o.Cores = 1,
    warps: o.Warps = 4,
    threads: o.Threads = 4,
    seed: o.Seed = None,
    max_instructions: o.MaxInstructions = 1_000_000_000,
    tier: o.Tier = "fast",
    full: o.Full = False,
    check: Annotated[list[str] | None, typer.Option(help=CHECK_HELP)] = None,
    no_check: Annotated[list[str] | None, typer.Option(help="checks to leave out")] = None,
    allow: Annotated[list[str] | None, typer.Option(help="KIND[@FUNCTION|@FILE:LINE|@ADDRESS] is intended")] = None,
    strict_lanes: Annotated[bool, typer.Option(help="lanes that store one value to one place race, too")] = False,
    elf: Annotated[Path | None, typer.Option(help="symbols and lines (default: the .elf beside the image)")] = None,
) -> None:
    """Run one launch of a kernel and print counts, findings and results."""
    wish = o.Wish(
        image, kernel, grid, block, cluster, lmem, arg or [], entry, clusters, cores, warps, threads, tier, full
    )
    prepared = o.prepare(wish)
    machine, placed = prepared.machine, prepared.placed
    try:
        attach(machine, sources_of(image, elf), check or [], no_check or [], allow or [], strict_lanes)
    except ValueError as error:
        refuse(error)
    outputs = _outputs(out or [], placed)
    for number in dump_buffer or []:
        _check_buffer("--dump", number, placed)
    failure = execute(prepared, kernel, max_instructions, seed)
    print_console(prepared)
    for number in dump_buffer or []:
        typer.echo(dump(number, placed.buffers[number][0], machine.read(*placed.buffers[number])))
    for number, path in outputs:
        try:
            path.write_bytes(machine.read(*placed.buffers[number]))
        except OSError as error:
            refuse(f"--out {number}:{path}: the file cannot be written: {error.strerror}")
    conclude(prepared, failure)


def _outputs(texts: list[str], placed: Placed) -> list[tuple[int, Path]]:
    outputs = []
    for text in texts:
        number, separator, name = text.partition(":")
        if not separator or not name or not number.isdecimal():
            refuse(f"--out {text}: write N:FILE, where N is the number of a buffer argument, counted from 0")
        _check_buffer("--out", int(number), placed)
        outputs.append((int(number), Path(name)))
    return outputs


def _check_buffer(option: str, number: int, placed: Placed) -> None:
    if number not in placed.buffers:
        known = ", ".join(map(str, placed.buffers)) or "none"
        refuse(f"{option} {number}: argument {number} is no buffer (buffers: {known})")
