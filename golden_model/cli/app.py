"""The application to which the commands add themselves, and how a command refuses."""

from __future__ import annotations

from typing import NoReturn

import typer

INTERRUPTED = 130  # exit status after Ctrl-C

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="The golden model alone. Exit status: 0 clean, 1 findings, faults, a hang or a difference, 2 bad input.",
)


def refuse(sentence: object) -> NoReturn:
    """Say why the input is bad, and end with status 2."""
    typer.echo(f"golden_model: {sentence}", err=True)
    raise typer.Exit(2)
