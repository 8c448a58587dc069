"""`riscv-test`: bare RISC-V programs with a summary."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from golden_model.cli.app import INTERRUPTED, app, refuse
from golden_model.riscv import ElfError, Outcome, Verdict, load, run


@app.command("riscv-test")
def riscv_test(
    elf: Annotated[list[Path], typer.Argument(help="linked programs that start at 0x80000000")],
    max_instructions: Annotated[int, typer.Option(help="give up a program after this many")] = 10_000_000,
    tier: Annotated[str, typer.Option(help="fast (compiled) or readable; results are the same")] = "fast",
) -> None:
    """Run RISC-V instruction set tests on lane 0 of warp 0, one line each, and count how they ended.

    A program says how it ended by a store to `tohost` (1 = pass) or by an exit code at 0x8348 (0 = pass) and TMC 0.
    Status: 0 all passed, 1 some did not, 2 a file is no such program.
    """
    if tier not in ("fast", "readable"):
        refuse(f"--tier {tier}: must be fast or readable")
    outcomes: list[Outcome] = []
    unreadable = 0
    width = max(len(path.name) for path in elf)
    for path in elf:
        try:
            program = load(path)
        except ElfError as error:
            typer.echo(f"golden_model: {error}", err=True)
            unreadable += 1
            continue
        try:
            outcome = run(program, max_instructions, "fast" if tier == "fast" else "readable")
        except KeyboardInterrupt:
            typer.echo(f"{path.name:{width}s}  interrupted")
            raise typer.Exit(INTERRUPTED) from None
        outcomes.append(outcome)
        detail = f"  {outcome.detail}" if outcome.detail else ""
        typer.echo(f"{path.name:{width}s}  {outcome.verdict.value:7s} {outcome.instructions:9,d} instructions{detail}")
        if outcome.verdict is not Verdict.FAULT:
            for finding in outcome.findings:
                typer.echo(f"{'':{width}s}  finding: {finding}")
    counted = Counter(outcome.verdict for outcome in outcomes)
    parts = [f"{counted[verdict]} {verdict.value}" for verdict in Verdict if counted[verdict]]
    if unreadable:
        parts.append(f"{unreadable} not run")
    typer.echo(f"{len(elf)} programs: {', '.join(parts)}")
    if unreadable:
        raise typer.Exit(2)
    if any(outcome.verdict is not Verdict.PASS for outcome in outcomes):
        raise typer.Exit(1)
