"""An interactive session over a recorded run, in IPython."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import IPython

from hw.tb.debug.find import open_run
from hw.tb.debug.library.run import Run
from hw.tb.debug.timeline.png import write_png
from hw.tb.debug.timeline.scene import make_scene
from hw.tb.debug.timeline.svg import write_svg

_HELP = """run.commits(warp=2, pc="sgemm+0x40", first=…, last=…)   instructions
run.at(cycle)                  registers of every lane, IPDOM stacks, barriers, local memory
run.who_wrote(addr)            the last store to an address
run.why(commit)                operands, who wrote them, back to loads and the bus
run.diff(open("<other id>"))   where two runs part
run.wave("*.core.trace_commit.uid", first, last)   a signal in a traced window; run.waves.windows() lists them
picture(first, last)           a window as SVG and PNG; returns the path"""


def start_shell(run: Run, folder: Path) -> None:
    """Start it; returns when the user leaves."""
    names = {"run": run, "open": lambda ident: open_run(ident)[0], "picture": partial(_picture, run, folder)}
    print(f"{run!r}\n\n{_HELP}")
    # An error is its sentence; a question that was asked wrongly needs no call stack.
    arguments = ["--no-banner", "--no-confirm-exit", "--InteractiveShell.xmode=Minimal"]
    IPython.start_ipython(argv=arguments, user_ns=names)


def _picture(run: Run, folder: Path, first: int, last: int) -> Path:
    path = folder / f"{first}-{last}.svg"
    write_svg(make_scene(run, first, last), path)
    write_png(path, path.with_suffix(".png"))
    return path.with_suffix(".png")
