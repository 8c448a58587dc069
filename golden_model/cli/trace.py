"""`trace` and `compare`: every warp instruction of a launch in a file; the first difference of two such files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from golden_model.cli import options as o
from golden_model.cli.app import app, refuse
from golden_model.cli.execution import conclude, execute, print_console
from golden_model.trace import Mapping, MappingError, Trace, TraceError, TraceWriter, load_mapping, read, write_csv
from golden_model.trace.compare import KEYS
from golden_model.trace.compare import compare as compare_traces
from golden_model.trace.report import report

_MAP_HELP = "TOML file that says which of the CSV's titles are which columns (docs/golden_model.md)"


@app.command()
def trace(
    image: o.ImagePath,
    out: Annotated[Path, typer.Option("--out", "-o", help="trace file (.npz), or .csv for text")] = Path("trace.npz"),
    kernel: o.Kernel = "main",
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
) -> None:
    """Run one launch and write every warp instruction to a file; Ctrl-C keeps what there is until then."""
    wish = o.Wish(
        image, kernel, grid, block, cluster, lmem, arg or [], entry, clusters, cores, warps, threads, "readable", full
    )
    prepared = o.prepare(wish)
    as_csv = out.suffix.lower() == ".csv"
    archive = out.with_name(out.name + ".partial.npz") if as_csv else out
    about = {"kernel": kernel, "image": image.name, "grid": grid, "block": block, "seed": seed}
    try:
        with TraceWriter(archive, threads, about) as writer:
            failure = execute(prepared, kernel, max_instructions, seed, writer.step)
        if as_csv:
            write_csv(read(archive), out)
            archive.unlink()
    except OSError as error:
        refuse(f"{out}: the trace cannot be written: {error.strerror or error}")
    print_console(prepared)
    typer.echo(f"{out}: {writer.rows} warp instructions")
    conclude(prepared, failure)


@app.command()
def compare(
    ours: Annotated[Path, typer.Argument(help="trace (.npz) or CSV")],
    theirs: Annotated[Path, typer.Argument(help="trace (.npz) or CSV, whoever made it")],
    by: Annotated[str, typer.Option(help="put side by side by warp, or by block if placement may differ")] = "warp",
    ignore: Annotated[list[str] | None, typer.Option(help="column that is not compared")] = None,
    map_ours: Annotated[Path | None, typer.Option(help=_MAP_HELP)] = None,
    map_theirs: Annotated[Path | None, typer.Option(help=_MAP_HELP)] = None,
    xlen: Annotated[int, typer.Option(help="32 or 64, for the disassembly")] = 32,
) -> None:
    """Print the first difference of two traces. Status 0: none, 1: there is one, 2: bad input."""
    if by not in KEYS:
        refuse(f"--by {by}: must be warp or block")
    if xlen not in (32, 64):
        refuse(f"--xlen {xlen}: must be 32 or 64")
    first, second = _read(ours, map_ours), _read(theirs, map_theirs)
    known = {*first.columns, *second.columns}
    for name in ignore or []:
        if name not in known:
            refuse(f"--ignore {name}: no trace has such a column; there are: {', '.join(sorted(known))}")
    try:
        comparison = compare_traces(first, second, by, ignore or [])
    except TraceError as error:
        refuse(error)
    for line in report(comparison, first, second, (ours.name, theirs.name), xlen):
        typer.echo(line)
    if comparison.difference is not None:
        raise typer.Exit(1)


def _read(path: Path, mapping: Path | None) -> Trace:
    try:
        rules: Mapping | None = load_mapping(mapping) if mapping is not None else None
        return read(path, rules)
    except (TraceError, MappingError) as error:
        refuse(error)
