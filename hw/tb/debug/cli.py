"""Command line over recorded runs: view, timeline, picture, shell. Every error is a sentence."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from hw.tb.debug.find import open_run
from hw.tb.debug.recording import RecordingError
from hw.tb.debug.shell import start_shell
from hw.tb.debug.timeline.chrome import write_chrome
from hw.tb.debug.timeline.konata import write_konata
from hw.tb.debug.timeline.png import write_png
from hw.tb.debug.timeline.scene import Scene, WindowError, default_window, is_long, make_scene
from hw.tb.debug.timeline.svg import PictureError, write_svg
from hw.tb.debug.timeline.terminal import view

EXIT_OK, EXIT_USAGE = 0, 2


def main(arguments: Sequence[str]) -> int:
    """Run one command; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m hw.tb.debug", description=__doc__)
    parser.add_argument("command", choices=("view", "timeline", "picture", "shell"))
    parser.add_argument("--run", default="", help="<test>/<configuration> below results/, its beginning, or a path")
    parser.add_argument("--from", dest="first", default="", help="first cycle")
    parser.add_argument("--to", dest="last", default="", help="last cycle")
    options = parser.parse_args(arguments)
    console = Console(highlight=False)
    try:
        first, last = _cycle("FROM", options.first), _cycle("TO", options.last)
        run, folder = open_run(options.run)
        if options.command == "shell":
            start_shell(run, folder)
            return EXIT_OK
        window = default_window(run, first, last)
        scene = make_scene(run, *window)
        _draw(options.command, scene, folder, console)
        if first is None and last is None and is_long(run):
            console.print(f"A part of cycles {run.first:,} to {run.last:,}; FROM and TO choose another one.")
    except (RecordingError, WindowError, PictureError) as error:
        print(f"error: {error}", file=sys.stderr)
        return EXIT_USAGE
    except OSError as error:
        print(f"error: {error.filename}: cannot be written: {error.strerror}", file=sys.stderr)
        return EXIT_USAGE
    return EXIT_OK


def _draw(command: str, scene: Scene, folder: Path, console: Console) -> None:
    label = f"{scene.first}-{scene.last}"
    if command == "view":
        view(scene, console)
        return
    target = folder / "timeline"
    target.mkdir(exist_ok=True)
    if command == "picture":
        path = target / f"{label}.svg"
        write_svg(scene, path, f"{folder.parent.name}, cycles {scene.first:,} to {scene.last:,}")
        write_png(path, path.with_suffix(".png"))
        console.print(f"picture: {path} and .png", soft_wrap=True)
        return
    events = write_chrome(scene, target / f"{label}.json")
    number = write_konata(scene, target / f"{label}.kanata")
    console.print(f"Perfetto, chrome://tracing: {target / f'{label}.json'}  ({events:,} events)", soft_wrap=True)
    console.print(f"Konata: {target / f'{label}.kanata'}  ({number:,} instructions)", soft_wrap=True)


def _cycle(name: str, text: str) -> int | None:
    if not text:
        return None
    try:
        value = int(text.replace(",", "").replace("_", ""))
    except ValueError:
        raise WindowError(f"{name}={text}: must be a cycle number") from None
    if value < 0:
        raise WindowError(f"{name}={text}: must not be negative")
    return value
