"""An interactive session over a recorded run: IPython where it is installed, else Python's own console."""

from __future__ import annotations

import code
import importlib.util
from pathlib import Path

from hw.tb.debug.find import open_run
from hw.tb.debug.library.run import Run

_HELP = """run.commits(warp=2, pc="sgemm+0x40", first=…, last=…)   instructions
run.at(cycle)                  registers of every lane, IPDOM stacks, barriers, local memory
run.who_wrote(addr)            the last store to an address
run.why(commit)                operands, who wrote them, back to loads and the bus
run.diff(open("<other id>"))   where two runs part
picture(first, last)           a window as SVG; returns the path"""


def start_shell(run: Run) -> None:
    """Start it; returns when the user leaves."""
    scope = {"run": run, "open": lambda ident: open_run(ident)[0], "picture": lambda a, b: _picture(run, a, b)}
    banner = f"{run!r}\n\n{_HELP}"
    if importlib.util.find_spec("IPython") is None:
        code.interact(banner, local=scope, exitmsg="")
        return
    ipython = importlib.import_module("IPython")
    print(banner)
    ipython.start_ipython(argv=["--no-banner", "--no-confirm-exit"], user_ns=scope)


def _picture(run: Run, first: int, last: int) -> Path:
    from hw.tb.debug.timeline.scene import make_scene
    from hw.tb.debug.timeline.svg import write_svg

    path = run.recording.folder.parent / f"{first}-{last}.svg"
    write_svg(make_scene(run, first, last), path)
    return path
