"""Running a prepared launch: progress bar, Ctrl-C, hangs and findings."""

from __future__ import annotations

import time
from collections.abc import Callable

import typer
from rich.console import Console as Terminal
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from golden_model.cli.app import INTERRUPTED, refuse
from golden_model.cli.interrupt import Interruption
from golden_model.cli.options import Prepared
from golden_model.errors import HangError, LaunchError, LimitError
from golden_model.report import counts, findings
from golden_model.scheduler import Watch
from golden_model.step import Step
from golden_model.warp import Warp

_QUIET = 1.0  # seconds without a progress bar
_EVERY = {True: 2000, False: 5_000_000}  # warp instructions between two looks: readable, fast


class Bar:
    """Progress of a long run on the terminal; nothing where standard error is no terminal."""

    def __init__(self, label: str, blocks: int) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"), BarColumn(), TextColumn("block {task.completed} of {task.total}"),
            TextColumn("{task.fields[text]}"), TimeElapsedColumn(),
            console=Terminal(stderr=True), transient=True, disable=not Terminal(stderr=True).is_terminal,
        )  # fmt: skip
        self._began = time.perf_counter()
        self._shown = False
        self._task = self._progress.add_task(label, total=blocks, text="")

    def update(self, instructions: int, blocks: int) -> None:
        """Called now and then during the run; `blocks` were handed out."""
        spent = time.perf_counter() - self._began
        if spent < _QUIET:
            return
        if not self._shown:
            self._progress.start()
            self._shown = True
        text = f"{instructions:,} warp instructions, {instructions / spent:,.0f}/s"
        self._progress.update(self._task, completed=blocks, text=text)

    def close(self) -> None:
        """Take it off the screen."""
        if self._shown:
            self._progress.stop()


def execute(
    prepared: Prepared, kernel: str, limit: int, seed: int | None, step: Callable[[Warp, Step], None] | None = None
) -> str:
    """Launch and run to the end; returns why it failed (a hang, the limit, an interruption), or nothing."""
    machine = prepared.machine
    bar = Bar(kernel, prepared.blocks)
    readable = machine.tier == "readable" or step is not None
    interruption = Interruption()

    def look(instructions: int, blocks: int) -> None:
        interruption.check()
        bar.update(instructions, blocks)

    watch = Watch(step, look, _EVERY[readable])
    began = time.perf_counter()
    failure = ""
    try:
        machine.launch(prepared.launch)
        with interruption:
            summary = machine.run(limit, seed, watch)
        bar.close()
        typer.echo(counts(kernel, summary, time.perf_counter() - began))
    except LaunchError as error:
        refuse(error)
    except (HangError, LimitError) as error:
        failure = f"hang: {error}"
    except KeyboardInterrupt:
        done = sum(core.minstret for core in machine.cores)
        failure = f"interrupted after {done} warp instructions"
    finally:
        bar.close()
    if machine.tier_note:
        typer.echo(f"note: {machine.tier_note}", err=True)
    return failure


def conclude(prepared: Prepared, failure: str) -> None:
    """Print findings and the failure; ends with the status that they demand."""
    for line in findings(prepared.machine):
        typer.echo(line)
    if failure:
        typer.echo(failure)
        raise typer.Exit(INTERRUPTED if failure.startswith("interrupted") else 1)
    if prepared.machine.findings:
        raise typer.Exit(1)


def print_console(prepared: Prepared) -> None:
    """What the kernel printed."""
    for line in [*prepared.console.drain(), *prepared.console.unfinished()]:
        typer.echo(line)
