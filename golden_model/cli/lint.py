"""`lint`: what is wrong with an image, without running it and, given a launch, with every check while it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from golden_model.cli import options as o
from golden_model.cli.app import app, refuse
from golden_model.cli.execution import conclude, execute
from golden_model.diagnosis import attach, sources_of
from golden_model.lint import lint as look


@app.command()
def lint(
    image: o.ImagePath,
    kernel: Annotated[str | None, typer.Option(help="also run this kernel, with every check on")] = None,
    grid: o.Grid = "1",
    block: o.Block = "1",
    cluster: o.Cluster = "1",
    lmem: o.Lmem = 0,
    arg: o.Arg = None,
    entry: o.Entry = None,
    clusters: o.Clusters = 1,
    cores: o.Cores = 1,
    warps: o.Warps = 4,
    threads: o.Threads = 4,
    seed: o.Seed = None,
    max_instructions: o.MaxInstructions = 1_000_000_000,
    full: o.Full = False,
    allow: Annotated[list[str] | None, typer.Option(help="KIND[@FUNCTION|@FILE:LINE|@ADDRESS] is intended")] = None,
    elf: Annotated[Path | None, typer.Option(help="symbols and lines (default: the .elf beside the image)")] = None,
) -> None:
    """Check the code of an image; with --kernel and its arguments also one launch, with every check of the model.

    Status: 0 nothing found, 1 something, 2 bad input.
    """
    wish = o.Wish(
        image, kernel or "", grid, block, cluster, lmem, arg or [], entry, clusters, cores, warps, threads, "fast", full
    )
    config = o.config_of(wish)
    module = o.load_image(image, config)
    complaints = look(module, config, entry or o.generation_of(module))
    for complaint in complaints:
        typer.echo(f"static: {complaint}")
    typer.echo(f"{image}: {len(complaints)} static complaints")
    if kernel is not None:
        prepared = o.prepare(wish)
        try:
            attach(prepared.machine, sources_of(image, elf), ["all"], [], allow or [])
        except ValueError as error:
            refuse(error)
        conclude(prepared, execute(prepared, kernel, max_instructions, seed))
    if complaints:
        raise typer.Exit(1)
