"""`disasm` and `bench`."""

from __future__ import annotations

from typing import Annotated

import typer

from config import ConfigError, HardwareConfig
from golden_model.bench import speed_table
from golden_model.cli import options as o
from golden_model.cli.app import app, refuse
from golden_model.report import listing


@app.command()
def bench(
    lanes: Annotated[list[int] | None, typer.Option(help="lanes of a warp")] = None,
    seconds: Annotated[float, typer.Option(help="aim at about this long per figure")] = 1.0,
    loops: Annotated[bool, typer.Option(help="also small loops of one kind of instruction each")] = False,
) -> None:
    """Warp instructions a CPU second of both tiers on compiled kernels, and their ratio."""
    for width in lanes or []:
        if width not in (4, 8, 16, 32):
            refuse(f"--lanes {width}: must be 4, 8, 16 or 32")
    try:
        for line in speed_table(lanes or [4, 32], seconds, loops):
            typer.echo(line)
    except ValueError as error:
        refuse(error)


@app.command()
def disasm(
    image: o.ImagePath,
    kernel: Annotated[str | None, typer.Option(help="begin at this kernel")] = None,
    count: Annotated[int | None, typer.Option(help="number of words")] = None,
    xlen: Annotated[int, typer.Option(help="32 or 64")] = 32,
) -> None:
    """Disassemble an image; kernels are labelled. Data among the code shows as `.word`."""
    try:
        config = HardwareConfig(xlen=xlen)
    except ConfigError as error:
        refuse(error)
    module = o.load_image(image, config)
    if kernel is not None and kernel not in module.kernels:
        refuse(f"{image} has no kernel {kernel!r}; it has: {', '.join(module.kernels) or 'none'}")
    start = module.kernels[kernel] if kernel is not None else module.min_vma
    for line in listing(module.image, module.min_vma, module.kernels, start, count, xlen):
        typer.echo(line)
